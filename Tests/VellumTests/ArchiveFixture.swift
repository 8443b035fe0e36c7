import Foundation
import Sediment
import SedimentTesting
import Synchronization
import Testing
import Vellum

/// Archives on a simulated disk, with a clock that a test sets and background work that it does.
final class ArchiveFixture {
  static let path = "data/archives"

  let disk: SimulatedDisk
  let scheduler = ManualScheduler()
  let time = TestTime()
  let failures = FailureList()
  private(set) var store: SedimentStore
  private(set) var factory: ArchivesFactory
  private var options: SedimentOptions

  init(
    options: SedimentOptions = SedimentOptions(durability: .unsynced, compression: .off),
    on disk: SimulatedDisk = SimulatedDisk(seed: 1)
  ) throws {
    self.disk = disk
    self.options = options
    store = try SedimentStore(path: Self.path, options: options, disk: disk, scheduler: scheduler)
    factory = ArchivesFactory(ArchivePlace(store, scheduler: scheduler, clock: time.clock))
    observe()
  }

  private func observe() {
    let failures = failures
    factory.observer = { failures.add($0) }
  }

  func archives<Archive: Archivable>(
    of type: Archive.Type = Archive.self, memory: Int = 1 << 20, disk: Int = 2 << 20
  ) throws -> ArchiveManager<Archive> {
    try ArchiveManager(maxMemorySize: .bytes(memory), maxDiskSize: .bytes(disk), in: factory)
  }

  /// Opens the file again as another run of the program would; all managers must be gone.
  ///
  /// If the last run is to have been killed, `kill` goes before the managers go.
  func restart() throws {
    // The core of the last run writes uses as it goes, if its store still takes them.
    factory = ArchivesFactory(file: URL(fileURLWithPath: "/nowhere"))
    try store.close()
    store = try SedimentStore(path: Self.path, options: options, disk: disk, scheduler: scheduler)
    factory = ArchivesFactory(ArchivePlace(store, scheduler: scheduler, clock: time.clock))
    observe()
  }

  /// Lets nothing reach the file any more from what holds the store.
  func kill() throws {
    try store.close()
  }

  /// Lets so many seconds pass, with what the background does then.
  func pass(seconds: Double) {
    time.pass(seconds: seconds)
    scheduler.advance(by: UInt64(seconds * 1e9))
  }
}

/// A clock that stands still until a test lets time pass.
final class TestTime: Sendable {
  private let milliseconds = Atomic<UInt64>(1_700_000_000_000)

  var clock: ArchiveClock { ArchiveClock { self.milliseconds.load(ordering: .relaxed) } }

  var now: Date { Date(timeIntervalSince1970: Double(milliseconds.load(ordering: .relaxed)) / 1000) }

  func pass(seconds: Double) {
    milliseconds.store(
      UInt64(Int64(milliseconds.load(ordering: .relaxed)) + Int64(seconds * 1000)), ordering: .relaxed)
  }
}

/// What an observer was told.
final class FailureList: Sendable {
  private let failures = Mutex<[VellumFailure]>([])

  func add(_ failure: VellumFailure) { failures.withLock { $0.append(failure) } }

  var all: [VellumFailure] { failures.withLock { $0 } }

  var codes: [VellumError.Code] { all.map(\.error.code) }
}

/// An archive whose data has just the bytes it is told.
struct Block: Archivable, Equatable, Sendable, CustomTestStringConvertible {
  var primaryKey: String
  var bytes: [UInt8]

  var testDescription: String { "\(primaryKey): \(bytes.count) x \(bytes.first ?? 0)" }

  init(_ key: String, byteCount: Int, fill: UInt8 = 0) {
    primaryKey = key
    bytes = Array(repeating: fill, count: Swift.max(byteCount - key.utf8.count - 1, 0))
  }

  func archiveData() throws -> Data { Data(primaryKey.utf8) + [0] + bytes }

  static func decode(archive data: Data) throws -> any Archivable {
    let parts = data.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw DecodingError() }
    var block = Block(String(decoding: parts[0], as: UTF8.self), byteCount: 0)
    block.bytes = Array(parts[1])
    return block
  }

  struct DecodingError: Error {}
}

/// An archive as JSON.
struct Person: ArchiveCodable, Equatable, Sendable {
  var primaryKey: String { name }
  var name: String
  var age: Int
  var city: String?

  init(_ name: String, age: Int = 0, city: String? = nil) {
    self.name = name
    self.age = age
    self.city = city
  }
}
