package import MachineLimits

/// Keys in the order in which a loop overwrites them, each chosen at random among all: some come twice, some never.
///
/// The bytes of the keys lie in memory in this order, as those of a program that has just made them.
package struct Draws: Sendable {
  /// The numbers of the keys.
  package let numbers: [UInt32]

  package let keys: [BenchmarkKey]

  /// How long each value is; empty where all are alike.
  package let byteCounts: [UInt16]

  init(_ count: Int, from stored: [BenchmarkKey], sizes: ValueSizes?, _ random: inout SplitMix64) {
    numbers = (0..<count).map { _ in UInt32(random.below(stored.count)) }
    keys = BenchmarkKey.copies(of: numbers.lazy.map { stored[Int($0)] })
    byteCounts = sizes.map { sizes in (0..<count).map { _ in sizes.next(&random) } } ?? []
  }
}

/// Lengths of values of which each power of two has as many as any other.
package struct ValueSizes: Sendable {
  package static let least = 16
  package static let most = 4096

  package init() {}

  /// The next length.
  package func next(_ random: inout SplitMix64) -> UInt16 {
    let powers = (ValueSizes.most / ValueSizes.least).trailingZeroBitCount
    let start = ValueSizes.least << random.below(powers)
    return UInt16(start + random.below(start))
  }
}

/// What each key holds after passes of overwriting, the last of which may have ended early.
///
/// A pass writes values that differ throughout from those of the pass before, so that a lost write is seen.
package struct WriteLedger: Sendable {
  private let data: DataSet
  /// How many draws of each pass were written.
  private var passes: [Int] = []

  package init(_ data: DataSet) {
    self.data = data
  }

  /// By what the values of the present pass differ from their keys.
  package var mask: UInt64 { WriteLedger.mask(passes.count) }

  /// The draws of the present pass that were not written yet.
  package var left: Range<Int> { (passes.last ?? 0)..<draws.keys.count }

  /// The draws of the present pass.
  package var draws: Draws { data.draws[max(passes.count - 1, 0) % data.draws.count] }

  /// Begins the next pass if the present one has ended.
  package mutating func turn() {
    if passes.isEmpty || left.isEmpty { passes.append(0) }
  }

  /// Notes that so many of the draws that were left were written.
  package mutating func write(_ count: Int) {
    passes[passes.count - 1] += count
  }

  /// The state of all keys: by what each value differs from its key, and its length.
  package func states() -> (masks: [UInt64], byteCounts: [Int]) {
    var masks = [UInt64](repeating: 0, count: data.keyCount)
    var byteCounts =
      data.loadedByteCounts.map { $0.map(Int.init) }
      ?? [Int](repeating: data.valueByteCount, count: data.keyCount)
    // The same draws come again after some passes: older ones cannot be seen.
    let first = max(0, passes.count - data.draws.count - 1)
    for pass in first..<max(passes.count, first) {
      let draws = data.draws[pass % data.draws.count]
      for place in 0..<passes[pass] {
        let number = Int(draws.numbers[place])
        masks[number] = WriteLedger.mask(pass + 1)
        if !draws.byteCounts.isEmpty { byteCounts[number] = Int(draws.byteCounts[place]) }
      }
    }
    return (masks, byteCounts)
  }

  /// The bytes of keys and values that the store holds.
  package func byteCount() -> Int {
    states().byteCounts.reduce(data.keyCount * BenchmarkKey.byteCount, +)
  }

  private static func mask(_ passCount: Int) -> UInt64 { passCount.isMultiple(of: 2) ? 0 : ~0 }
}
