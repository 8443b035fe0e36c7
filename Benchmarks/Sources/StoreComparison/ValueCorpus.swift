package import MachineLimits

/// Values of one kind, one behind the other, and a key for each.
package struct ValueCorpus: Sendable {
  /// The key of each value, in the order of the values.
  package let keys: [BenchmarkKey]

  /// All values, one behind the other.
  package private(set) var bytes: [UInt8] = []

  private var ends: [Int] = []

  /// Takes so many values; the keys follow from the seed.
  package init(count: Int, seed: UInt64, next: () -> [UInt8]) {
    keys = BenchmarkKeys.stored(count: count, seed: seed)
    ends.reserveCapacity(count)
    for _ in 0..<count {
      bytes += next()
      ends.append(bytes.count)
    }
  }

  /// How many values there are.
  package var count: Int { ends.count }

  /// Where a value lies.
  @inline(__always)
  package func range(_ number: Int) -> Range<Int> {
    (number == 0 ? 0 : ends[number - 1])..<ends[number]
  }

  /// What tells each value from others, in an order that is random to the index and to the file.
  package func marks(shuffledBy random: inout SplitMix64) -> [ValueMark] {
    let numbers = (0..<count).shuffled(using: &random)
    return zip(BenchmarkKey.copies(of: numbers.map { keys[$0] }), numbers).map { key, number in
      ValueMark(key, unsafe bytes.span.bytes.extracting(range(number)))
    }
  }
}

/// What a loop of reads knows of a value: enough to see whether it has found the right one, without fetching more of
/// what it compares with than a line.
package struct ValueMark: Sendable {
  /// Its key.
  package let key: BenchmarkKey

  private let byteCount: Int
  private let word: UInt64

  package init(_ key: BenchmarkKey, _ value: RawSpan) {
    self.key = key
    byteCount = value.byteCount
    word = ValueMark.middleWord(value)
  }

  /// Whether these bytes have the length of the value and its middle.
  @inline(__always)
  package func fits(_ bytes: RawSpan) -> Bool {
    bytes.byteCount == byteCount && ValueMark.middleWord(bytes) == word
  }

  @inline(__always)
  private static func middleWord(_ bytes: RawSpan) -> UInt64 {
    firstWord(bytes.extracting(last: bytes.byteCount / 2))
  }
}
