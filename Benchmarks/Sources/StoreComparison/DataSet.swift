internal import CBench
internal import MachineLimits

/// What the stores that are compared hold.
package struct DataSet: Sendable {
  /// Names it for machines.
  package let identifier: String

  /// Names it for people.
  package let title: String

  /// How many keys are stored, before some are added.
  package let keyCount: Int

  /// How many bytes each value has; where there is a corpus, how many they have on the average.
  package let valueByteCount: Int

  /// In the order in which they are stored; those that are added later come last.
  package let keys: [BenchmarkKey]

  /// The stored ones in another order.
  package let shuffled: [BenchmarkKey]

  /// What passes of overwriting write, one after another; the first follows the last.
  package let draws: [Draws]

  /// How long the value of each key is once it was loaded; nil where all are alike.
  package let loadedByteCounts: [UInt16]?

  /// Keys that are never stored.
  package let missing: [BenchmarkKey]

  /// What each value is made of: another one for each key, which begins with the key's first eight bytes.
  package let value: [UInt8]

  /// Values of their own, which can be compressed; nil where all have the same random bytes.
  package let corpus: ValueCorpus?

  /// Values of random bytes; without `hasOthers` there are neither keys to be added later nor keys that are missing.
  ///
  /// `drawCount` is the number of passes of overwriting until the same keys come again.
  package init(
    _ identifier: String, keyCount: Int, valueByteCount: Int, drawCount: Int = 0, hasOthers: Bool = true
  ) {
    self.init(
      identifier, keyCount: keyCount, valueByteCount: valueByteCount, sizes: nil, drawCount: drawCount,
      hasOthers: hasOthers)
  }

  /// Values of all lengths, each overwritten by one of another length.
  package init(_ identifier: String, keyCount: Int, sizes: ValueSizes, drawCount: Int) {
    self.init(
      identifier, keyCount: keyCount, valueByteCount: ValueSizes.most, sizes: sizes, drawCount: drawCount,
      hasOthers: false)
  }

  private init(
    _ identifier: String, keyCount: Int, valueByteCount: Int, sizes: ValueSizes?, drawCount: Int,
    hasOthers: Bool
  ) {
    self.identifier = identifier
    self.keyCount = keyCount
    self.valueByteCount = valueByteCount
    let values =
      sizes == nil ? byteText(valueByteCount) : "\(ValueSizes.least) B to \(byteText(ValueSizes.most))"
    title = "\(countText(keyCount)) keys of \(BenchmarkKey.byteCount) B, values of \(values)"
    let stored = BenchmarkKeys.stored(count: keyCount, seed: 101)
    keys = hasOthers ? stored + BenchmarkKeys.stored(count: max(keyCount / 4, 1), seed: 102) : stored
    missing = hasOthers ? BenchmarkKeys.stored(count: keyCount, seed: 107) : []
    var random = SplitMix64(seed: 104)
    shuffled = BenchmarkKeys.shuffled(stored, using: &random)
    draws = (0..<drawCount).map { _ in Draws(keyCount, from: stored, sizes: sizes, &random) }
    loadedByteCounts = sizes.map { sizes in (0..<keyCount).map { _ in sizes.next(&random) } }
    value = valueBytes(count: valueByteCount)
    corpus = nil
  }

  /// JSON of some hundred bytes each.
  package init(_ identifier: String, jsonCount: Int) {
    var values = JSONValues(seed: 103)
    let corpus = ValueCorpus(count: jsonCount, seed: 101) { values.next() }
    self.identifier = identifier
    self.corpus = corpus
    keyCount = jsonCount
    valueByteCount = corpus.bytes.count / max(jsonCount, 1)
    title =
      "\(countText(jsonCount)) keys of \(BenchmarkKey.byteCount) B, JSON of \(valueByteCount) B on the average"
    keys = corpus.keys
    shuffled = corpus.keys
    draws = []
    loadedByteCounts = nil
    missing = []
    value = []
  }

  /// From how many bytes on the time that it takes to make a value is no part of what a store takes.
  static let madeByteCountMin = 1 << 10

  /// The nanoseconds that it takes to make a value, measured now; 0 for short ones.
  func nanosecondsToMakeValue() -> Double {
    guard valueByteCount >= DataSet.madeByteCountMin, corpus == nil else { return 0 }
    var bytes = value
    let lengths = loadedByteCounts?.prefix(DataSet.makingCount).map(Int.init) ?? [valueByteCount]
    let count = max(DataSet.makingCount, 1)
    return unsafe bytes.withUnsafeMutableBytes { bytes in
      let start = bench_nanoseconds()
      for number in 0..<count {
        let length = lengths[number % lengths.count]
        unsafe mark(UnsafeMutableRawBufferPointer(rebasing: bytes[..<length]), UInt64(number))
      }
      return Double(bench_nanoseconds() - start) / Double(count)
    }
  }

  private static let makingCount = 200

  /// What keys and values have of bytes.
  package var byteCount: Int {
    let values = loadedByteCounts.map { $0.reduce(0) { $0 + Int($1) } } ?? keyCount * valueByteCount
    return keyCount * BenchmarkKey.byteCount + (corpus?.bytes.count ?? values)
  }

  /// The bytes of some draws, keys and values.
  func byteCount(of draws: Draws, _ places: Range<Int>) -> Int {
    guard !draws.byteCounts.isEmpty else { return places.count * (BenchmarkKey.byteCount + valueByteCount) }
    return draws.byteCounts[places].reduce(places.count * BenchmarkKey.byteCount) { $0 + Int($1) }
  }
}

private func byteText(_ byteCount: Int) -> String {
  if byteCount >= 1 << 20, byteCount.isMultiple(of: 1 << 20) { return "\(byteCount >> 20) MiB" }
  if byteCount >= 1 << 10, byteCount.isMultiple(of: 1 << 10) { return "\(byteCount >> 10) KiB" }
  return "\(byteCount) B"
}
