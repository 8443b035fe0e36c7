internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store with all its keys, on the disk and in memory; it is removed with the object.
final class LoadedStore {
  let keys: [BenchmarkKey]
  let store: SedimentStore
  let value: [UInt8]

  /// Loads a store under a name that must be free in `directory`, and syncs it: nothing is left to be written behind the
  /// back of what is measured.
  init(_ name: String, keys: [BenchmarkKey], valueByteCount: Int, directory: String) throws {
    self.keys = keys
    value = valueBytes(count: valueByteCount)
    let storeByteCount = keys.count * recordByteCountOfValue(valueByteCount)
    try Room(directory).check(storeByteCount: storeByteCount)
    store = try SedimentStore(
      path: "\(directory)/\(name)", options: .plain(durability: .unsynced))
    try setAll(store, keys[...], value: value)
    try store.sync()
  }

  deinit {
    try? store.close()
    try? FileManager.default.removeItem(atPath: store.path)
  }
}
