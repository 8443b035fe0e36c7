import Foundation
import Sediment
import SedimentDisk
import SedimentSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Backup, verification and salvage on the machine's own file systems.
struct FileCallsTests {
  @Test(arguments: [true, false])
  func `A store is backed up without holding a thread`(isInMemory: Bool) async throws {
    let directory = try StoreDirectory(takesManySyncs: isInMemory)
    let store = try SedimentStore(path: directory["store"])
    try StoreFixture.fill(store)
    try await store.backup(to: directory["copy"])
    let error = await code { try await store.backup(to: directory["copy"]) }
    #expect(error == .exists)
    let copy = try SedimentStore(path: directory["copy"])
    #expect(try contents(of: copy) == contents(of: store))
  }

  @Test(arguments: [true, false])
  func `A store is backed up, verified, damaged and salvaged`(isInMemory: Bool) throws {
    let directory = try StoreDirectory(takesManySyncs: isInMemory)
    let store = try SedimentStore(path: directory["store"])
    try StoreFixture.fill(store)
    let before = try contents(of: store)
    try store.backup(to: directory["copy"])
    #expect(code { try store.backup(to: directory["copy"]) } == .exists)
    #expect(code { _ = try SedimentStore.verify(path: directory["store"]) } == .locked)
    try store.close()
    #expect(try directory.names == ["copy", "store"])
    for name in try directory.names {
      let report = try SedimentStore.verify(path: directory[name])
      #expect(report.isIntact && report.wasClosed == true)
      // What was freed at the close may still look like a segment.
      #expect(report.findings.allSatisfy { $0.kind == .orphaned })
      let opened = try SedimentStore(path: directory[name], options: .init(mustExist: true, readOnly: true))
      #expect(opened.recovery.wasClosed)
      #expect(try contents(of: opened) == before)
      let mode = try FileManager.default.attributesOfItem(atPath: directory[name])[.posixPermissions]
      #expect((mode as? Int) == 0o600)
    }
    let handle = try #require(FileHandle(forWritingAtPath: directory["copy"]))
    for offset in [0, 16_384] {
      try handle.seek(toOffset: UInt64(offset))
      handle.write(Data(repeating: 0, count: 4096))
    }
    try handle.close()
    #expect(try !SedimentStore.verify(path: directory["copy"]).isIntact)
    let report = try SedimentStore.salvage(from: directory["copy"], to: directory["saved"])
    #expect(report.isComplete)
    #expect(try contents(of: SedimentStore(path: directory["saved"])) == before)
    #expect(try directory.names == ["copy", "saved", "store"])
  }

  @Test func `A directory that takes no file is an error, and so is a destination in none`() throws {
    let directory = try StoreDirectory()
    let store = try SedimentStore(path: directory["store"])
    try store.set("1", forKey: "key")
    #expect(code { try store.backup(to: directory["absent/copy"]) } == .notFound)
    #expect(code { try store.backup(to: directory.path) } == .exists)
    try store.set("2", forKey: "key", durability: .synced)
    try store.close()
    #expect(code { _ = try SedimentStore.salvage(from: directory["store"], to: directory.path) } == .exists)
    #expect(try directory.names == ["store"])
  }

  @Test func `A child that was forked backs nothing up, and leaves no file`() throws {
    let directory = try StoreDirectory()
    let store = try SedimentStore(path: directory["store"])
    try store.set("1", forKey: "key")
    try store.backup(to: directory["copy"])
    #expect(code { try store.backup(to: directory["copy"]) } == .exists)
    let status = inForkedChild {
      code { try store.backup(to: directory["another"]) } == .forked ? 7 : 1
    }
    #expect(status == 7)
    #expect(try directory.names == ["copy", "store"])
  }
}
