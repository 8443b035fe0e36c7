internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// Stores of ten small values, one of which is opened again and again.
final class SmallStores {
  static let keyCount = 10
  static let valueByteCount = 100

  private static let keys = BenchmarkKeys.stored(count: keyCount, seed: 51)

  private let directory: String
  private let path: String
  private let openingCount: Int
  private let storeCount: Int
  private let program: String

  init(_ scale: EngineScale, directory: String, program: String) throws {
    self.directory = directory
    self.program = program
    path = "\(directory)/small"
    openingCount = scale.limits.operations(100)
    storeCount = max(4, scale.limits.operations(200))
    try SmallStores.make(path).close()
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
      let store = try SedimentStore(path: path, options: .plain())
      nanoseconds += stopwatch.nanoseconds
      try expectNone(countWrongInPlace(store, SmallStores.keys[...]), "in a small store")
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

  /// What each of many open stores takes of memory that belongs to no file.
  func memory() throws -> Sample {
    let task = ChildTask.openSmall(directory: directory, storeCount: storeCount)
    let process = try ChildProcess(task.arguments, program: program)
    try process.finish()
    guard let byteCount = process.anonymousByteCount else { throw Unsupported(ChildProcess.memoryIsUnknown) }
    return Sample(byteCount: byteCount, amount: storeCount)
  }

  private func withNewStore(_ body: (String, SedimentStore) throws -> Sample) throws -> Sample {
    let path = "\(directory)/small-new"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try SmallStores.make(path)
    defer { try? store.close() }
    return try body(path, store)
  }

  /// A new store that is open.
  static func make(_ path: String) throws -> SedimentStore {
    let store = try SedimentStore(path: path, options: .plain())
    try setAll(store, keys[...], value: valueBytes(count: valueByteCount))
    return store
  }
}
