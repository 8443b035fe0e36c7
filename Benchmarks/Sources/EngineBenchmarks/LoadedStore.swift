internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment

/// The store that the rows of one value size share: each round loads a new one, reads it, overwrites it, removes it.
final class LoadedStore {
  let keys: BenchmarkKeys
  let valueByteCount: Int
  private let directory: String
  private let path: String
  private let value: [UInt8]
  private var open: SedimentStore?
  private var place = 0

  init(_ scale: EngineScale, valueByteCount: Int, directory: String) {
    keys = BenchmarkKeys(count: scale.keyCount, seed: 11)
    self.valueByteCount = valueByteCount
    self.directory = directory
    path = "\(directory)/store-\(valueByteCount)"
    value = valueBytes(count: valueByteCount)
  }

  deinit {
    try? remove()
  }

  var recordByteCount: Int { recordByteCountOfValue(valueByteCount) }

  /// A new store, all of whose keys are set in the time of the sample.
  func load() throws -> Sample {
    try remove()
    try warm()
    let store = try SedimentStore(path: path, options: SedimentOptions(durability: .unsynced))
    let stopwatch = Stopwatch()
    try setAll(store, keys.stored[...], value: value)
    let nanoseconds = stopwatch.nanoseconds
    open = store
    return Sample(nanoseconds: nanoseconds, amount: keys.stored.count)
  }

  /// Sets all keys again in another order, and is done with the store then.
  func overwrite() throws -> Sample {
    let store = try loaded()
    try warm()
    let stopwatch = Stopwatch()
    try setAll(store, keys.shuffled[...], value: value, mask: ~0)
    let nanoseconds = stopwatch.nanoseconds
    let seen = keys.stored.prefix(1000)
    try expectNone(countWrongInPlace(store, seen, mask: ~0), "after overwriting")
    try remove()
    return Sample(nanoseconds: nanoseconds, amount: keys.shuffled.count)
  }

  /// Times a loop over half of the keys in random order, which counts what was wrong.
  func read(
    _ keys: [BenchmarkKey], _ loop: (SedimentStore, ArraySlice<BenchmarkKey>) throws -> Int
  ) throws -> Sample {
    let store = try loaded()
    let half = nextHalf(of: keys)
    let stopwatch = Stopwatch()
    let wrongCount = try loop(store, half)
    let nanoseconds = stopwatch.nanoseconds
    try expectNone(wrongCount, "in a loop of reads")
    return Sample(nanoseconds: nanoseconds, amount: half.count)
  }

  /// The same in two threads, each with a half of its own.
  func readInTwoThreads() throws -> Sample {
    let store = try loaded()
    let halves = [nextHalf(of: keys.shuffled), nextHalf(of: keys.shuffled)]
    let stopwatch = Stopwatch()
    let wrongCounts = try inParallel(threadCount: 2) { try countWrongInPlace(store, halves[$0]) }
    let nanoseconds = stopwatch.nanoseconds
    try expectNone(wrongCounts.reduce(0, +), "in two threads")
    return Sample(nanoseconds: nanoseconds, amount: halves[0].count + halves[1].count)
  }

  /// What the index takes for each key.
  func indexMemory() throws -> Sample {
    let figures = try loaded().statistics
    guard figures.liveKeyCount == keys.stored.count else { throw WrongValue("it has lost count of its keys") }
    return Sample(byteCount: figures.indexByteCount, amount: keys.stored.count)
  }

  private func loaded() throws -> SedimentStore {
    if let open { return open }
    _ = try load()
    return try loaded()
  }

  /// The first half, then the second, then the first: what was read last is not in a cache any more.
  private func nextHalf(of keys: [BenchmarkKey]) -> ArraySlice<BenchmarkKey> {
    place += 1
    let middle = keys.count / 2
    return place.isMultiple(of: 2) ? keys[..<middle] : keys[middle...]
  }

  private func warm() throws {
    try Room.warm(directory, storeByteCount: keys.stored.count * recordByteCount)
  }

  private func remove() throws {
    guard let store = open else { return }
    open = nil
    try store.close()
    try FileManager.default.removeItem(atPath: path)
  }
}

func expectNone(_ wrongCount: Int, _ occasion: String) throws {
  if wrongCount > 0 { throw WrongValue("\(countText(wrongCount)) values were not those set \(occasion)") }
}
