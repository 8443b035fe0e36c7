import Foundation
import Sediment
import SedimentTesting
import Synchronization
import Testing
import Vellum

/// A value whose end uses the archives that it was in.
private final class Goodbye: Sendable {
  let action: @Sendable () -> Void
  init(_ action: @escaping @Sendable () -> Void) { self.action = action }
  deinit { action() }
}

private struct Leaving: Archivable, Sendable {
  var primaryKey: String
  var goodbye: Goodbye?
  var sizeOfData: DataSize { 100 }
  func archiveData() throws -> Data { Data(primaryKey.utf8) }
  static func decode(archive data: Data) throws -> any Archivable {
    Leaving(primaryKey: String(decoding: data, as: UTF8.self))
  }
}

/// An archive that lets something happen while it is read.
private struct Slow: Archivable, Sendable, Equatable {
  static let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)

  var primaryKey: String { "slow" }
  var version: UInt8

  func archiveData() throws -> Data { Data([version]) }
  static func decode(archive data: Data) throws -> any Archivable {
    let action = meanwhile.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
    return Slow(version: data[data.startIndex])
  }
}

@Suite struct ThreadTests {
  @Test func `A version that was replaced while it was read is not kept`() throws {
    let fixture = try ArchiveFixture()
    do { try fixture.archives(of: Slow.self).record(Slow(version: 1)) }
    try fixture.restart()
    let archives: ArchiveManager<Slow> = try fixture.archives()
    Slow.meanwhile.withLock { $0 = { archives.record(Slow(version: 2)) } }
    #expect(archives.access(archiveWithKey: "slow") == Slow(version: 1))
    #expect(archives.access(archiveWithKey: "slow") == Slow(version: 2))
    Slow.meanwhile.withLock { $0 = { archives.deleteAll() } }
    archives.record(Slow(version: 3))
    #expect(try archives.recount() == nil)
    // It would keep the store open to the end of all tests.
    Slow.meanwhile.withLock { $0 = nil }
  }

  @Test func `Any number of threads may use archives, and nothing drifts`() async throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 1500, disk: 4000)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(worker))
          for round in 0..<400 {
            let key = "\(Int.random(in: 0..<60, using: &random))"
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9:
              let fill = UInt8(worker * 60) + UInt8(key)! % 60
              archives.record(Block(key, byteCount: Int.random(in: 10..<200, using: &random), fill: fill))
            case 9..<16:
              guard let block = archives.access(archiveWithKey: key) else { continue }
              #expect(block.primaryKey == key)
              #expect(block.bytes.allSatisfy { $0 % 60 == UInt8(key)! % 60 })
            case 16: archives.delete(archiveWithKey: key)
            case 17: _ = archives.latestAccessedTime(for: key)
            case 18:
              let found = archives.sorted { $0.primaryKey(.descending) }.limitResults(by: 5).getResults()
              #expect(Set(found.map(\.primaryKey)).count == found.count)
            default: if round % 50 == 0 { archives.deleteAllInvalidateArchives(invalidateTimeInterval: -1) }
            }
          }
        }
      }
    }
    #expect(try archives.recount() == nil)
    #expect(fixture.failures.all.isEmpty)
  }

  @Test func `Threads that ask for a type at once get one manager`() async throws {
    let fixture = try ArchiveFixture()
    let factory = fixture.factory
    let managers = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<8 { group.addTask { ObjectIdentifier(try factory.archives(for: Person.self)) } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(managers.count == 1)
  }

  @Test func `An archive that uses its manager when it goes does no harm`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Leaving> = try fixture.archives(memory: 200)
    let count = Mutex(0)
    archives.record(
      Leaving(
        primaryKey: "a",
        goodbye: Goodbye { [weak archives] in
          archives?.record(Leaving(primaryKey: "from the end"))
          archives?.delete(archiveWithKey: "b")
          count.withLock { $0 += 1 }
        }))
    for key in ["b", "c", "d"] { archives.record(Leaving(primaryKey: key)) }
    #expect(count.withLock { $0 } == 1)
    #expect(archives.accessAll().map(\.primaryKey).sorted() == ["a", "c", "d", "from the end"])
    #expect(try archives.recount() == nil)
  }

  @Test func `Tasks record, access and delete, and what they did is on the disk`() async throws {
    // Waiting tasks need the threads that the engine's own background has.
    let disk = SimulatedDisk(seed: 1)
    let store = try SedimentStore(path: ArchiveFixture.path, disk: disk)
    let people = try ArchivesFactory(store: store).archives(for: Person.self).asynchronous
    try await people.record(Person("Ada"))
    try await people.update(Person("Ada", age: 36))
    try await people.insert(all: [Person("Bob"), Person("Cid"), Person("Dan")])
    try await people.delete(Person("Cid"))
    try await people.delete(allKeys: ["Dan"])
    let afterPowerLoss = try SedimentStore(
      path: ArchiveFixture.path, disk: disk.afterPowerLoss(.nothing), background: ManualBackground())
    let found = try ArchivesFactory(store: afterPowerLoss).archives(for: Person.self).accessAll()
    #expect(found == [Person("Ada", age: 36), Person("Bob")])
    #expect(try await people.access(archiveWithKey: "Bob") == Person("Bob"))
    #expect(try await people.accessAll(limitedBy: 1) == [Person("Ada", age: 36)])
    try await people.deleteAllInvalidateArchives(invalidateTimeInterval: -1)
    try await people.deleteAll()
    try await people.sync()
    #expect(try await people.accessAll().isEmpty)
  }
}
