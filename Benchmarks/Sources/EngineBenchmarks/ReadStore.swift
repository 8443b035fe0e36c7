internal import BenchmarkHarness
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store that is read in loops which look at each value.
final class ReadStore {
  /// A sample reads one part of the keys, the next sample another: what was read last is not in a cache any more.
  static let partCount = 4

  /// In the order of reading, which is random to the index and to the file.
  let keys: [BenchmarkKey]

  /// As many keys that are not there.
  let missing: [BenchmarkKey]

  private let loaded: LoadedStore
  private var partNumber = 0

  init(_ scale: EngineScale, valueByteCount: Int, directory: String) throws {
    let keys = BenchmarkKeys(count: scale.keyCount, seed: 12)
    self.keys = keys.shuffled
    missing = keys.missing
    loaded = try LoadedStore(
      "read-\(valueByteCount)", keys: keys.stored, valueByteCount: valueByteCount, directory: directory)
  }

  /// Times a loop over a part of the keys, which returns how many were wrong.
  func read(
    _ keys: [BenchmarkKey], _ loop: (SedimentStore, ArraySlice<BenchmarkKey>) throws -> Int
  ) throws -> Sample {
    let part = nextPart(of: keys)
    let stopwatch = Stopwatch()
    let wrongCount = try loop(loaded.store, part)
    let sample = stopwatch.sample(of: part.count)
    try expectNone(wrongCount, "in a loop of reads")
    return sample
  }

  /// The same in two threads, each with a part of its own.
  func readInTwoThreads() throws -> Sample {
    let store = loaded.store
    let parts = [nextPart(of: keys), nextPart(of: keys)]
    let stopwatch = Stopwatch()
    let wrongCounts = try inParallel(threadCount: 2) { try countWrongInPlace(store, parts[$0]) }
    let sample = stopwatch.sample(of: parts[0].count + parts[1].count)
    try expectNone(wrongCounts.reduce(0, +), "in two threads")
    return sample
  }

  private func nextPart(of keys: [BenchmarkKey]) -> ArraySlice<BenchmarkKey> {
    let start = partNumber * keys.count / ReadStore.partCount
    let end = (partNumber + 1) * keys.count / ReadStore.partCount
    partNumber = (partNumber + 1) % ReadStore.partCount
    return keys[start..<end]
  }
}
