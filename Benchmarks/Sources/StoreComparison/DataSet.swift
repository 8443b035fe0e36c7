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

  /// The stored ones in as many more orders as they are overwritten one by one.
  package let overwritten: [[BenchmarkKey]]

  /// Keys that are never stored.
  package let missing: [BenchmarkKey]

  /// What each value is made of: another one for each key, which begins with the key's first eight bytes.
  package let value: [UInt8]

  /// Values of their own, which can be compressed; nil where all have the same random bytes.
  package let corpus: ValueCorpus?

  /// Values of random bytes; without `hasOthers` there are neither keys to be added later nor keys that are missing.
  package init(
    _ identifier: String, keyCount: Int, valueByteCount: Int, overwriteCount: Int = 0, hasOthers: Bool = true
  ) {
    self.identifier = identifier
    self.keyCount = keyCount
    self.valueByteCount = valueByteCount
    title =
      "\(countText(keyCount)) keys of \(BenchmarkKey.byteCount) B, values of \(byteText(valueByteCount))"
    let stored = BenchmarkKeys.stored(count: keyCount, seed: 101)
    keys = hasOthers ? stored + BenchmarkKeys.stored(count: max(keyCount / 4, 1), seed: 102) : stored
    missing = hasOthers ? BenchmarkKeys.stored(count: keyCount, seed: 107) : []
    var random = SplitMix64(seed: 104)
    shuffled = BenchmarkKeys.shuffled(stored, using: &random)
    overwritten = (0..<overwriteCount).map { _ in BenchmarkKeys.shuffled(stored, using: &random) }
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
    overwritten = []
    missing = []
    value = []
  }

  /// What keys and values have of bytes.
  package var byteCount: Int {
    keyCount * BenchmarkKey.byteCount + (corpus?.bytes.count ?? keyCount * valueByteCount)
  }
}

private func byteText(_ byteCount: Int) -> String {
  if byteCount >= 1 << 20, byteCount.isMultiple(of: 1 << 20) { return "\(byteCount >> 20) MiB" }
  if byteCount >= 1 << 10, byteCount.isMultiple(of: 1 << 10) { return "\(byteCount >> 10) KiB" }
  return "\(byteCount) B"
}
