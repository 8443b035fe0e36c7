internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment

/// Stores of ten small values, one of which is opened again and again.
final class SmallStores {
  static let keyCount = 10
  static let valueByteCount = 100

  private let keys = BenchmarkKeys.stored(count: SmallStores.keyCount, seed: 51)
  private let value = valueBytes(count: SmallStores.valueByteCount)
  private let directory: String
  private let path: String
  private let openingCount: Int
  private let storeCount: Int

  init(_ scale: EngineScale, directory: String) throws {
    self.directory = directory
    path = "\(directory)/small"
    openingCount = scale.limits.operations(200)
    storeCount = max(4, scale.limits.operations(200))
    try make(path).close()
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The system calls without which nothing of a file can be read: it is opened, mapped, looked at and closed.
  func openBare() throws -> Sample {
    var nanoseconds: UInt64 = 0
    for _ in 0..<openingCount {
      let stopwatch = Stopwatch()
      try FileScan(path: path).touchMapped()
      nanoseconds += stopwatch.nanoseconds
    }
    return Sample(nanoseconds: nanoseconds, amount: openingCount)
  }

  /// Opens the store, reads all of it, and closes it; only the opening counts.
  func open() throws -> Sample {
    var nanoseconds: UInt64 = 0
    for _ in 0..<openingCount {
      let stopwatch = Stopwatch()
      let store = try SedimentStore(path: path)
      nanoseconds += stopwatch.nanoseconds
      try expectNone(countWrongInPlace(store, keys[...]), "in a small store")
      try store.close()
    }
    return Sample(nanoseconds: nanoseconds, amount: openingCount)
  }

  /// What a new store takes of the disk while it is open.
  func diskWhileOpen() throws -> Sample {
    try withNewStore { path, _ in
      Sample(byteCount: try FileScan(path: path).allocatedByteCount(), amount: 1)
    }
  }

  /// What it takes when it was closed.
  func diskWhenClosed() throws -> Sample {
    try withNewStore { path, store in
      try store.close()
      return Sample(byteCount: try FileScan(path: path).allocatedByteCount(), amount: 1)
    }
  }

  /// What an open store takes of memory that belongs to no file, among many.
  func memory() throws -> Sample {
    // The first takes what all share.
    try withNewStore { _, _ in
      let paths = (0..<storeCount).map { "\(directory)/small-\($0)" }
      defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
      let byteCountBefore = try anonymousByteCount()
      let stores = try paths.map(make)
      let byteCount = try anonymousByteCount()
      for store in stores { try store.close() }
      return Sample(byteCount: max(0, byteCount - byteCountBefore), amount: stores.count)
    }
  }

  private func withNewStore(_ body: (String, SedimentStore) throws -> Sample) throws -> Sample {
    let path = "\(directory)/small-new"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try make(path)
    defer { try? store.close() }
    return try body(path, store)
  }

  private func make(_ path: String) throws -> SedimentStore {
    let store = try SedimentStore(path: path)
    try setAll(store, keys[...], value: value)
    return store
  }
}
