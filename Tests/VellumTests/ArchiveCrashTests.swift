import Foundation
import Sediment
import SedimentTesting
import Testing
import Vellum

/// Archives of at most 1,000 bytes, put to death at every moment.
private struct ArchiveScenario: CrashScenario {
  enum Operation { case record(Int, byteCount: Int), delete(Int), deleteAll, sync }

  struct Contents: Equatable {
    /// In the order in which they were first recorded.
    var archives: [Entry] = []
    /// Keys, the least recently used first.
    var uses: [String] = []

    struct Entry: Equatable {
      var key: String
      var number: UInt8
      var byteCount: Int
    }

    var byteCount: Int { archives.reduce(0) { $0 + $1.byteCount } }

    mutating func remove(_ key: String) {
      archives.removeAll { $0.key == key }
      uses.removeAll { $0 == key }
    }
  }

  final class Storage {
    let store: SedimentStore
    let archives: ArchiveManager<Block>

    init(on disk: SimulatedDisk) throws {
      let background = ManualBackground()
      store = try SedimentStore(
        path: "data/archives", options: SedimentOptions(durability: .unsynced, compression: .off),
        disk: disk, background: background)
      archives = try ArchiveManager(
        maxMemorySize: .zero, maxDiskSize: .bytes(byteCountMax), in: ArchivesFactory(store: store))
    }
  }

  static let byteCountMax = 1000

  var empty: Contents { Contents() }

  func open(on disk: SimulatedDisk) throws -> Storage { try Storage(on: disk) }

  func close(_ storage: Storage) throws -> CrashPromise {
    try storage.store.close()
    return .forEver
  }

  func contents(of storage: Storage) throws -> Contents {
    if let wrong = try storage.archives.recount() { throw WrongCount(what: wrong) }
    let blocks = try storage.archives.throwing.accessAll()
    return Contents(
      archives: try blocks.map {
        Contents.Entry(
          key: $0.primaryKey, number: $0.bytes.first ?? 0, byteCount: try $0.archiveData().count)
      }, uses: storage.archives.diskKeysByUse)
  }

  struct WrongCount: Error { let what: String }

  func operation(using generator: inout SeededGenerator) -> Operation {
    let key = Int.random(in: 0..<8, using: &generator)
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<14: return .record(key, byteCount: Int.random(in: 20..<400, using: &generator))
    case 14..<17: return .delete(key)
    case 17: return .deleteAll
    default: return .sync
    }
  }

  func perform(_ operation: Operation, number: Int, on storage: Storage) throws -> CrashPromise {
    let archives = storage.archives.throwing
    switch operation {
    case .record(let key, let byteCount):
      try archives.record(Block("\(key)", byteCount: byteCount, fill: UInt8(truncatingIfNeeded: number)))
    case .delete(let key): try archives.delete(archiveWithKey: "\(key)")
    case .deleteAll: try archives.deleteAll()
    case .sync:
      try archives.sync()
      return .forEver
    }
    return .untilPowerFails
  }

  func apply(_ operation: Operation, number: Int, to contents: inout Contents, on disk: SimulatedDisk) {
    switch operation {
    case .record(let key, let byteCount):
      let entry = Contents.Entry(
        key: "\(key)", number: UInt8(truncatingIfNeeded: number), byteCount: byteCount)
      if let place = contents.archives.firstIndex(where: { $0.key == entry.key }) {
        contents.archives[place] = entry
      } else {
        contents.archives.append(entry)
      }
      contents.uses.removeAll { $0 == entry.key }
      contents.uses.append(entry.key)
      while contents.byteCount > Self.byteCountMax { contents.remove(contents.uses[0]) }
    case .delete(let key): contents.remove("\(key)")
    case .deleteAll: contents = Contents()
    case .sync: break
    }
  }
}

@Suite struct ArchiveCrashTests {
  @Test func `A crash at any moment leaves archives, their order and sizes as they once were`() {
    var check = CrashCheck(ArchiveScenario())
    check.operationCount = 25
    check.imageCountMax = 400
    let report = check.run(seeds: 0..<3)
    #expect(report.findings.isEmpty)
    #expect(report.historyCount == 3)
  }
}
