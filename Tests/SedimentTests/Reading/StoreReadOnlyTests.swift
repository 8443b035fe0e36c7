import Foundation
import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Stores that are opened for reading.
struct StoreReadOnlyTests {
  private static func filled(_ access: SedimentOptions.Access, isClean: Bool) throws -> SimulatedDisk {
    let fixture = try StoreFixture(access)
    try AnyChange.prepare(fixture.store)
    try fixture.store.set(pattern(200_000), forKey: "large")
    try fixture.store.collection("users").set("1", forKey: "a")
    for number in 0..<100 { try fixture.store.set(pattern(500, number), forKey: "\(number)") }
    if isClean { try fixture.close() }
    return fixture.disk.afterProcessDeath()
  }

  private static func open(_ disk: SimulatedDisk, _ access: SedimentOptions.Access) throws -> SedimentStore {
    let options = SedimentOptions(readOnly: true, access: access)
    return try SedimentStore(
      path: StoreFixture.path, options: options, disk: disk, scheduler: ManualScheduler())
  }

  @Test(arguments: accesses, [true, false])
  func `Everything is read, and not a byte is written`(
    access: SedimentOptions.Access, isClean: Bool
  ) throws {
    let disk = try Self.filled(access, isClean: isClean)
    let before = disk.contents(of: StoreFixture.path).map(FileImage.init)
    let store = try Self.open(disk, access)
    #expect(store.recovery.wasClosed == isClean)
    #expect(store.recovery.isDurable == isClean)
    for reading in StoreReading.allCases where reading != .text { try reading.make(in: store) }
    for number in 0..<100 { #expect(try store.retrieve(forKey: "\(number)") == pattern(500, number)) }
    #expect(try same(store.retrieve(forKey: "large"), pattern(200_000)))
    #expect(try store.count() == 102)
    #expect(store.collectionNames == ["users"])
    #expect(try store.collection("users").retrieve(forKey: "a", as: String.self) == "1")
    #expect(store.statistics.liveKeyCount == 103)
    #expect(store.statistics.fileByteCount > 200_000)
    try store.close()
    let writing = disk.calls.map(\.operation).filter { [.write, .allocate, .truncate].contains($0) }
    #expect(writing == [])
    #expect(disk.contents(of: StoreFixture.path).map(FileImage.init) == before)
  }

  @Test(arguments: accesses, AnyChange.allCases)
  func `Every change is refused`(access: SedimentOptions.Access, change: AnyChange) throws {
    let disk = try Self.filled(access, isClean: true)
    let before = disk.contents(of: StoreFixture.path).map(FileImage.init)
    let store = try Self.open(disk, access)
    for durability in [nil, .unsynced, .synced] as [SedimentDurability?] {
      #expect(code { try change.make(in: store, durability) } == .readOnly)
    }
    #expect(disk.contents(of: StoreFixture.path).map(FileImage.init) == before)
  }

  @Test func `Changes that would come to nothing are refused, too`() async throws {
    let store = try Self.open(try Self.filled(.automatic, isClean: true), .automatic)
    #expect(code { try store.setIfAbsent("new", forKey: "key") } == .readOnly)
    #expect(code { try store.remove(forKey: "absent") } == .readOnly)
    #expect(code { try store.compareAndSet(forKey: "key", expected: nil, new: nil as [UInt8]?) } == .readOnly)
    #expect(
      code { try store.compareAndSet(forKey: "absent", expected: nil, new: nil as [UInt8]?) } == .readOnly)
    #expect(code { try store.update(forKey: "absent") { _ in nil } } == .readOnly)
    #expect(code { try store.setExpiry(.never, forKey: "absent") } == .readOnly)
    #expect(code { try store.setExpiry(.unchanged, forKey: "key") } == .readOnly)
    #expect(code { try store.dropCollection("absent") } == .readOnly)
    #expect(code { try store.sync() } == .readOnly)
    #expect(code { try store.checkpoint() } == .readOnly)
    #expect(await code { try await store.sync() } == .readOnly)
    #expect(await code { try await store.setSynced("new", forKey: "key") } == .readOnly)
    try store.close()
  }

  @Test func `An unclean store stays so for the next writer`() throws {
    let disk = try Self.filled(.automatic, isClean: false)
    for _ in 0..<2 { try Self.open(disk, .automatic).close() }
    let fixture = try StoreFixture(on: disk)
    #expect(!fixture.store.recovery.wasClosed)
    #expect(try fixture.store.count() == 102)
  }

  @Test func `Expiry goes by the clock of the reader`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key", expiresIn: .seconds(1))
    try fixture.close()
    let store = try Self.open(fixture.disk, .automatic)
    #expect(try store.contains("key"))
    fixture.disk.advanceClocks(by: .seconds(1))
    #expect(try !store.contains("key"))
    #expect(try store.count() == 0)
  }

  @Test func `A file without the right to write it, in a directory without, is read`() throws {
    let directory = try StoreDirectory()
    let path = directory["store"]
    let store = try SedimentStore(path: path)
    try store.set("value", forKey: "key")
    try store.close()
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
    try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory.path)
    defer { try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path) }
    let before = try manager.attributesOfItem(atPath: path)[.modificationDate] as? Date
    let reader = try SedimentStore(path: path, options: SedimentOptions(readOnly: true))
    #expect(try reader.retrieve(forKey: "key", as: String.self) == "value")
    try reader.close()
    #expect(try manager.attributesOfItem(atPath: path)[.modificationDate] as? Date == before)
    #expect(try directory.names == ["store"])
    // The superuser may write all the same.
    if geteuid() != 0 {
      #expect(code { _ = try SedimentStore(path: path) } == .accessDenied)
      #expect(code { _ = try SedimentStore(path: directory["new"]) } == .accessDenied)
    }
  }

  @Test func `A disk that forbids opening says so`() throws {
    let fixture = try StoreFixture()
    try fixture.close()
    for failure in [SystemErrorCode.accessDenied, .readOnlyFileSystem] {
      fixture.disk.inject(.error(failure), only: [.open])
      #expect(code { try fixture.open() } == .accessDenied)
    }
  }
}
