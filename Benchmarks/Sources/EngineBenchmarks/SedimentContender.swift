internal import BenchmarkHarness
internal import Foundation
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

  func setMany(_ keys: ArraySlice<BenchmarkKey>, _ value: [UInt8], mask: UInt64) throws {
    var value = value
    try store.batch { batch in
      unsafe value.withUnsafeMutableBytes { bytes in
        for key in keys {
          unsafe mark(bytes, key.word ^ mask)
          // The bytes stay where they are, and nobody changes them during the call.
          batch.set(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes)), forKey: key)
        }
      }
    }
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

  func sync() throws {
    try store.sync()
  }

  /// Waits until compaction has nothing to do, ten seconds at most, and syncs.
  func settle() throws {
    let stopwatch = Stopwatch()
    while pendingWork() > 0, stopwatch.nanoseconds < 10_000_000_000 { Thread.sleep(forTimeInterval: 0.001) }
    try store.sync()
  }

  func pendingWork() -> Int {
    Int(clamping: store.statistics.compactionDebtByteCount)
  }

  func compact() throws {
    try store.compact()
  }

  func close() throws {
    try store.close()
  }
}

extension Contender {
  private static let version = SedimentVersion.package

  /// The store of this package as it opens without options.
  public static let sediment = Contender(
    "Sediment", version: version,
    settings: [
      "Default options: changes are on the disk a second later, compression is automatic, checksums are verified at each"
        + " read. Where sets are synced, each is by itself.",
      "Each set is complete for other threads and survives the death of the process when it returns.",
    ]
  ) { place in
    let options = place.isSynced ? SedimentOptions(durability: .synced) : SedimentOptions()
    return SedimentContender(store: try SedimentStore(path: "\(place.folder)/data", options: options))
  }

  /// The store of this package with what the others are without: neither syncs of its own nor compression.
  public static let sedimentUnsynced = Contender(
    "Sediment, unsynced", version: version,
    settings: [
      "Durability .unsynced and compression off, of JSON as well: it asks no more of the system than the others. Where"
        + " sets are synced, each is by itself, as with the default options.",
      "What a set survives when it returns is the same, but for a power failure; checksums are verified at each read.",
    ]
  ) { place in
    let options = SedimentOptions(durability: place.isSynced ? .synced : .unsynced, compression: .off)
    return SedimentContender(store: try SedimentStore(path: "\(place.folder)/data", options: options))
  }

  /// The store of this package in both forms, and once more in the first, to show the noise.
  public static let ownStores = [sediment, sediment.again, sedimentUnsynced]
}
