internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store that is loaded, overwritten and removed in each round.
final class FreshStore {
  private let keys: [BenchmarkKey]
  private let shuffled: [BenchmarkKey]
  private let value: [UInt8]
  private let directory: String
  private let path: String
  private var open: SedimentStore?

  init(_ scale: EngineScale, valueByteCount: Int, directory: String) {
    let keys = BenchmarkKeys(count: scale.keyCount, seed: 11)
    self.keys = keys.stored
    shuffled = keys.shuffled
    value = valueBytes(count: valueByteCount)
    self.directory = directory
    path = "\(directory)/fresh-\(valueByteCount)"
  }

  deinit {
    try? remove()
  }

  /// A new store, all of whose keys are set in the time of the sample.
  func load() throws -> Sample {
    try remove()
    try warm()
    let store = try SedimentStore(path: path, options: .plain(durability: .unsynced))
    open = store
    let stopwatch = Stopwatch()
    try setAll(store, keys[...], value: value)
    let sample = stopwatch.sample(of: keys.count)
    try expectNone(countWrongInPlace(store, shuffled[...]), "after loading")
    return sample
  }

  /// Sets all keys again in another order, and is done with the store then.
  func overwrite() throws -> Sample {
    let store = try loaded()
    try warm()
    let stopwatch = Stopwatch()
    try setAll(store, shuffled[...], value: value, mask: ~0)
    let sample = stopwatch.sample(of: keys.count)
    try expectNone(countWrongInPlace(store, keys[...], mask: ~0), "after overwriting")
    try remove()
    return sample
  }

  /// What the index takes for each key.
  func indexMemory() throws -> Sample {
    let figures = try loaded().statistics
    guard figures.liveKeyCount == keys.count else { throw WrongValue("it has lost count of its keys") }
    return Sample(byteCount: figures.indexByteCount, amount: keys.count)
  }

  private func loaded() throws -> SedimentStore {
    guard let open else { throw Unsupported("the store was not loaded") }
    return open
  }

  private func warm() throws {
    try Room.warm(directory, storeByteCount: keys.count * recordByteCountOfValue(value.count))
  }

  private func remove() throws {
    guard let store = open else { return }
    open = nil
    try store.close()
    try FileManager.default.removeItem(atPath: path)
  }
}
