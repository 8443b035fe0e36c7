internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// An open store of which copies are made.
final class CopiedStore {
  static let valueByteCount = 1000

  private let loaded: LoadedStore
  private let directory: String
  private let copyPath: String
  private var hasBackup = false

  init(_ scale: EngineScale, directory: String) throws {
    self.directory = directory
    copyPath = "\(directory)/copied-backup"
    loaded = try LoadedStore(
      "copied", keys: BenchmarkKeys.stored(count: scale.keyCount, seed: 73),
      valueByteCount: CopiedStore.valueByteCount, directory: directory)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: copyPath)
  }

  /// Copies the store's file, a mebibyte at a time, and waits until the copy is on the disk.
  func copy() throws -> Sample {
    let source = try FileScan(path: loaded.store.path)
    try Room.warm(directory, storeByteCount: try source.byteCount())
    let target = try ScratchFile("copied-bare", in: directory)
    let stopwatch = Stopwatch()
    let byteCount = try source.copy(to: target)
    try target.syncData()
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: byteCount)
  }

  /// Makes a backup, opens it and looks whether all is there.
  func backUp() throws -> Sample {
    let byteCount = try FileScan(path: loaded.store.path).byteCount()
    hasBackup = false
    try? FileManager.default.removeItem(atPath: copyPath)
    try Room.warm(directory, storeByteCount: byteCount)
    let stopwatch = Stopwatch()
    try loaded.store.backup(to: copyPath)
    let nanoseconds = stopwatch.nanoseconds
    let copy = try SedimentStore(path: copyPath, options: .plain(durability: .unsynced))
    try expectNone(countWrongInPlaceBatched(copy, loaded.keys[...]), "in a backup")
    try copy.close()
    hasBackup = true
    return Sample(nanoseconds: nanoseconds, amount: byteCount)
  }

  /// Reads the backup from one end to the other.
  func read() throws -> Sample {
    let file = try backup()
    let stopwatch = Stopwatch()
    let byteCount = try file.read()
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: byteCount)
  }

  /// Has every byte of the backup verified.
  func verify() throws -> Sample {
    let byteCount = try backup().byteCount()
    let stopwatch = Stopwatch()
    let report = try SedimentStore.verify(path: copyPath)
    let nanoseconds = stopwatch.nanoseconds
    guard report.isIntact else { throw WrongValue("an intact store is said to be damaged") }
    return Sample(nanoseconds: nanoseconds, amount: byteCount)
  }

  private func backup() throws -> FileScan {
    guard hasBackup else { throw Unsupported("no backup was made") }
    return try FileScan(path: copyPath)
  }
}
