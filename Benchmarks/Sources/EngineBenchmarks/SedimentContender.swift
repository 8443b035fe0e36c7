internal import Sediment
public import StoreComparison

/// The store of this package as one of those that are compared.
struct SedimentContender: BenchmarkStore {
  let store: SedimentStore

  @inline(__always)
  func set(_ key: BenchmarkKey, _ value: RawSpan) throws {
    try store.set(value, forKey: key)
  }

  @inline(__always)
  func retrieve(_ key: BenchmarkKey, into buffer: inout [UInt8]) throws -> Bool {
    try store.retrieve(forKey: key, into: &buffer)
  }

  @inline(__always)
  func withValue(_ key: BenchmarkKey, _ body: (RawSpan) -> Void) throws -> Bool {
    try store.withValue(forKey: key) { body($0) } != nil
  }

  func withValues(_ keys: ArraySlice<BenchmarkKey>, _ body: (Int, RawSpan?) -> Void) throws {
    try store.withValues(forKeys: keys) { body($0, $1) }
  }

  @inline(__always)
  func remove(_ key: BenchmarkKey) throws -> Bool {
    try store.remove(forKey: key)
  }

  func forEach(_ body: (RawSpan, RawSpan) -> Void) throws {
    try store.forEach {
      body($0, $1)
      return .continue
    }
  }

  func settle() throws {
    try store.sync()
  }

  func compact() throws {
    try store.compact()
  }

  func close() throws {
    try store.close()
  }
}

extension Contender {
  /// The store of this package.
  public static let sediment = Contender(
    "Sediment", version: "0.1",
    settings: [
      "Each set is complete for other threads and survives the death of the process when it returns, also in loads.",
      "Nothing is synced but where sets are; then each one by itself.",
      "Checksums are verified at each read. No compression of random bytes, automatic compression of JSON.",
    ]
  ) { place in
    let options = SedimentOptions(
      durability: place.isSynced ? .synced : .unsynced, compression: place.isCompressible ? .automatic : .off)
    return SedimentContender(store: try SedimentStore(path: "\(place.folder)/data", options: options))
  }
}
