internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store that a process has loaded before it was killed, anew in each round.
final class KilledStore {
  private let task: ChildTask
  private let keys: [BenchmarkKey]
  private let recordsByteCount: Int
  private let directory: String
  private let path: String
  private let program: String
  private var openingNanoseconds: UInt64?
  private var opened: SedimentStore?
  private var anonymousByteCount: Int?

  init(_ scale: EngineScale, valueByteCount: Int, directory: String, program: String) {
    self.directory = directory
    self.program = program
    path = "\(directory)/killed-\(valueByteCount)"
    task = .load(path: path, keyCount: scale.keyCount, valueByteCount: valueByteCount)
    keys = ChildTask.loadedKeys(scale.keyCount)
    recordsByteCount = scale.keyCount * recordByteCountOfValue(valueByteCount)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Has a store loaded and its process killed, then reads the file from one end to the other.
  func read() throws -> Sample {
    openingNanoseconds = nil
    opened = nil
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    try Room.warm(directory, storeByteCount: recordsByteCount)
    let process = try ChildProcess(task.arguments, program: program)
    anonymousByteCount = process.anonymousByteCount
    try process.kill()
    let file = try FileScan(path: path)
    let stopwatch = Stopwatch()
    let byteCount = try file.read()
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: byteCount)
  }

  /// Finds the records of the file that ``read()`` left again, as a loop without a store would in two threads.
  func index() throws -> Sample {
    let file = try FileScan(path: path)
    let recordByteCount = recordsByteCount / keys.count
    let stopwatch = Stopwatch()
    let byteCount = try file.index(recordByteCount: recordByteCount, threadCount: 2)
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: byteCount)
  }

  /// Opens the store that ``read()`` left, and looks whether all is there.
  func open() throws -> Sample {
    let stopwatch = Stopwatch()
    let store = try SedimentStore(path: path, options: .plain(durability: .unsynced))
    let nanoseconds = stopwatch.nanoseconds
    guard !store.recovery.wasClosed else { throw WrongValue("it was closed in order though it was killed") }
    guard try store.count() == keys.count else { throw WrongValue("it has lost keys with its process") }
    try expectNone(countWrongInPlace(store, keys[...]), "after its process was killed")
    opened = store
    openingNanoseconds = nanoseconds
    return Sample(nanoseconds: nanoseconds, amount: 1)
  }

  /// Closes the store that ``open()`` opened.
  func close() throws -> Sample {
    guard let opened else { throw Unsupported("the store was not opened") }
    self.opened = nil
    let stopwatch = Stopwatch()
    try opened.close()
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: 1)
  }

  /// Opens the store once more, now that it was closed in order, and looks whether all is there.
  func openClosed() throws -> Sample {
    let stopwatch = Stopwatch()
    let store = try SedimentStore(path: path, options: .plain(durability: .unsynced))
    let wrongCount = try countWrongInPlace(store, keys.prefix(1))
    let nanoseconds = stopwatch.nanoseconds
    try expectNone(wrongCount, "in the first read")
    guard store.recovery.wasClosed else { throw WrongValue("it was not closed in order") }
    guard try store.count() == keys.count else { throw WrongValue("it has lost keys by being closed") }
    try expectNone(countWrongInPlace(store, keys[...]), "after it was closed")
    try store.close()
    return Sample(nanoseconds: nanoseconds, amount: 1)
  }

  /// How fast the bytes of the records went by in ``open()``.
  func scan() throws -> Sample {
    guard let nanoseconds = openingNanoseconds else { throw Unsupported("the store was not opened") }
    return Sample(nanoseconds: nanoseconds, amount: recordsByteCount)
  }

  /// What the process took of memory for each key while it loaded the store.
  func memory() throws -> Sample {
    guard let anonymousByteCount else { throw Unsupported(ChildProcess.memoryIsUnknown) }
    return Sample(byteCount: anonymousByteCount, amount: keys.count)
  }
}
