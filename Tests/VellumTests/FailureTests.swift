import Foundation
import Sediment
import SedimentDisk
import SedimentTesting
import Testing
import Vellum

/// An archive that fails when it is told to.
private struct Moody: Archivable, Sendable {
  struct Mood: Error {}

  var primaryKey: String
  var fails = ""

  func archiveData() throws -> Data {
    if fails == "encoding" { throw Mood() }
    return Data("\(primaryKey) \(fails)".utf8)
  }

  static func decode(archive data: Data) throws -> any Archivable {
    let parts = String(decoding: data, as: UTF8.self).split(separator: " ")
    if parts.last == "decoding" { throw Mood() }
    if parts.last == "type" { return Person("somebody") }
    return Moody(primaryKey: String(parts[0]))
  }
}

/// A class, of which the compiler cannot see that it lacks methods.
private class Mute: Archivable {
  let primaryKey = "mute"
}

@Suite struct FailureTests {
  @Test func `An object that cannot be encoded changes nothing, and the observer is told`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Moody> = try fixture.archives()
    archives.record(Moody(primaryKey: "a"))
    archives.record(Moody(primaryKey: "a", fails: "encoding"))
    #expect(archives.access(archiveWithKey: "a") != nil && archives.currentDiskSize == 2)
    let failure = try #require(fixture.failures.all.first)
    #expect(failure.archiveName == "moody" && failure.operation == .recording)
    #expect(failure.error.code == .notEncodable && failure.error.underlyingError is Moody.Mood)
    let error = #expect(throws: VellumError.self) {
      try archives.throwing.record(Moody(primaryKey: "b", fails: "encoding"))
    }
    #expect(error?.code == .notEncodable)
  }

  @Test func `Archives that cannot be decoded are left out and told, or thrown`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Moody> = try fixture.archives(memory: 0)
    archives.insert(
      Moody(primaryKey: "a"), Moody(primaryKey: "b", fails: "decoding"),
      Moody(primaryKey: "c", fails: "type"),
      Moody(primaryKey: "d"))
    #expect(archives.accessAll().map(\.primaryKey) == ["a", "d"])
    #expect(fixture.failures.codes == [.notDecodable, .notDecodable])
    #expect(fixture.failures.all.allSatisfy { $0.operation == .querying })
    #expect(throws: VellumError.self) { try archives.throwing.accessAll() }
    #expect(archives.access(archiveWithKey: "b") == nil && archives.access(archiveWithKey: "c") == nil)
    #expect(fixture.failures.all.last?.operation == .accessing)
    #expect(throws: VellumError.self) { try archives.throwing.access(archiveWithKey: "c") }
    #expect(try archives.throwing.accessAll(limitedBy: 1).count == 1)
    #expect(throws: VellumError.self) { try archives.throwing.accessAll(limitedBy: 2) }
    archives.delete(keys: "b", "c")
    #expect(try archives.throwing.accessAll().count == 2)
  }

  @Test func `A class that does not say how it becomes data is told so`() throws {
    let error = #expect(throws: VellumError.self) { try Mute().archiveData() }
    #expect(error?.code == .invalidArgument && error?.errorDescription?.contains("Mute") == true)
    #expect(throws: VellumError.self) { try Mute.decode(archive: Data()) }
    #expect(Mute().sizeOfData == .zero)
  }

  @Test func `What is no regular expression finds nothing, and is told or thrown`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Person> = try fixture.archives()
    archives.record(Person("Ada"))
    let query = archives.findWhere { $0.name(.matches(regex: "(")) }
    #expect(query.getResults().isEmpty)
    #expect(fixture.failures.codes == [.invalidArgument])
    #expect(throws: VellumError.self) { try query.results() }
    #expect(throws: VellumError.self) { try query.first() }
    #expect(throws: VellumError.self) { try query.last() }
  }

  @Test func `A failing disk is an error, and what was there stays`() throws {
    let fixture = try ArchiveFixture(
      options: SedimentOptions(durability: .unsynced, access: .unmapped, compression: .off))
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 1000, disk: 200)
    archives.insert(Block("a", byteCount: 100), Block("b", byteCount: 100))
    fixture.disk.injectForGood(.error(.inputOutput), only: [.write])
    archives.record(Block("c", byteCount: 100))
    archives.delete(archiveWithKey: "a")
    archives.deleteAll()
    archives.deleteAllInvalidateArchives(invalidateTimeInterval: -1)
    #expect(fixture.failures.all.map(\.operation) == [.recording, .deleting, .deleting, .deleting])
    #expect(fixture.failures.codes.allSatisfy { $0 == .store })
    #expect(throws: VellumError.self) { try archives.throwing.record(Block("d", byteCount: 10)) }
    #expect(archives.accessAll().map(\.primaryKey) == ["a", "b"])
    #expect(archives.currentDiskSize == 200)
    // Uses cannot be saved any more, which is told once.
    _ = archives.access(archiveWithKey: "a")
    fixture.pass(seconds: 2)
    _ = archives.access(archiveWithKey: "a")
    fixture.pass(seconds: 2)
    #expect(fixture.failures.all.filter { $0.operation == .savingUses }.count == 1)
  }

  @Test func `A full file refuses, and stays as it is`() throws {
    let fixture = try ArchiveFixture(
      options: SedimentOptions(
        durability: .unsynced, capacity: .limited(maxBytes: 512 << 10), compression: .off))
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 0, disk: 10 << 20)
    var count = 0
    while fixture.failures.all.isEmpty, count < 1000 {
      archives.record(Block("\(count)", byteCount: 10_000))
      count += 1
    }
    let error = fixture.failures.all.first?.error.underlyingError as? SedimentError
    #expect(error?.code == .outOfSpace)
    #expect(archives.accessAll().count == count - 1)
    #expect(try archives.recount() == nil)
    archives.delete(archiveWithKey: "0")
    #expect(fixture.failures.all.count == 1)
  }

  @Test func `A damaged archive is told, and hides no other`() throws {
    let fixture = try ArchiveFixture()
    do {
      let archives: ArchiveManager<Block> = try fixture.archives(memory: 0)
      archives.insert(
        Block("a", byteCount: 200), Block("b", byteCount: 200, fill: 0xb7), Block("c", byteCount: 200))
      // So that opening does not read it.
      try fixture.store.checkpoint()
      #expect(try fixture.store.storeIndex())
      try fixture.store.checkpoint()
      try archives.throwing.sync()
      let bytes = try #require(fixture.disk.contents(of: ArchiveFixture.path))
      let place = try #require(
        bytes.indices.dropLast(100).first { place in bytes[place..<place + 100].allSatisfy { $0 == 0xb7 } })
      fixture.disk.flipBit(0, ofByte: place + 50, in: ArchiveFixture.path)
      #expect(archives.accessAll().map(\.primaryKey) == ["a", "c"])
      #expect(fixture.failures.codes == [.damaged])
    }
    try fixture.restart()
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 0)
    #expect(fixture.failures.codes == [.damaged, .damaged])
    #expect(fixture.failures.all.last?.operation == .opening)
    #expect(archives.accessAll().map(\.primaryKey) == ["a", "c"])
    archives.record(Block("b", byteCount: 10))
    #expect(archives.accessAll().map(\.primaryKey) == ["a", "c", "b"])
    #expect(try archives.recount() == nil)
  }

  /// An archive of which memory says that it takes nothing.
  private struct Weightless: Archivable, Sendable {
    let primaryKey = "a"
    var data: Data
    var sizeOfData: DataSize { .zero }

    func archiveData() throws -> Data { data }
    static func decode(archive data: Data) throws -> any Archivable { Weightless(data: data) }
  }

  @Test func `What fits nowhere is refused where memory has no room for anything`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Weightless> = try fixture.archives(memory: 0, disk: 40)
    archives.record(Weightless(data: Data(repeating: 1, count: 10)))
    archives.record(Weightless(data: Data(repeating: 2, count: 50)))
    #expect(fixture.failures.codes == [.tooLarge])
    #expect(archives.access(archiveWithKey: "a")?.data.count == 10)
  }

  @Test func `Errors carry nothing of an archive`() throws {
    struct Choice: ArchiveCodable, Sendable {
      enum Kind: String, Codable { case one }
      var primaryKey: String { "a" }
      var kind = Kind.one
    }
    let fixture = try ArchiveFixture()
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("vellum-failure-\(UUID().uuidString)/vellum_choice")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    try Data(#"{"kind":"secret"}"#.utf8).write(to: folder.appendingPathComponent("a.vlm"))
    _ = try fixture.factory.importing(folder: folder)
    #expect(try fixture.factory.archives(for: Choice.self).accessAll().isEmpty)
    let error = try #require(fixture.failures.all.first?.error)
    #expect(error.code == .notDecodable)
    #expect(!"\(error)".contains("secret") && "\(error)".contains("'kind'"))
  }

  @Test func `A closed store is an error, and memory goes on`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Person> = try fixture.archives()
    archives.record(Person("Ada"))
    try fixture.store.close()
    #expect(archives.access(archiveWithKey: "Ada") != nil)
    #expect(throws: VellumError.self) { try archives.throwing.record(Person("Bob")) }
    #expect(throws: VellumError.self) { try archives.throwing.sync() }
  }

  @Test func `Archives of a newer version are left alone`() throws {
    let fixture = try ArchiveFixture()
    let collection = try fixture.store.collection("archive:person")
    try collection.set([2, 1, 1, 1] as [UInt8], forKey: "new")
    let error = #expect(throws: VellumError.self) { try fixture.archives(of: Person.self) }
    #expect(error?.code == .newer)
    #expect(try collection.count() == 1)
  }

  @Test func `Foreign bytes in a collection are nobody's archive`() throws {
    let fixture = try ArchiveFixture()
    let collection = try fixture.store.collection("archive:person")
    let far = [UInt8](repeating: 0xff, count: 9) + [1]
    for (key, value) in [
      ("empty", []), ("old", [0, 1, 1, 1]), ("short", [1, 1]), ("far", [1] + far + [1, 1]),
    ] {
      try collection.set(value as [UInt8], forKey: key)
    }
    try collection.set([1, 1, 1, 1] as [UInt8], forKey: [0xff, 0xfe] as [UInt8])
    let archives: ArchiveManager<Person> = try fixture.archives()
    #expect(archives.accessAll().isEmpty && archives.currentSize == .zero)
    archives.record(Person("short"))
    #expect(archives.accessAll() == [Person("short")])
  }

  @Test func `An archive that something else damages or removes is an error or not there`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Person> = try fixture.archives(memory: 0)
    archives.insert(Person("a"), Person("b"), Person("c"))
    let collection = try fixture.store.collection("archive:person")
    try collection.set([0] as [UInt8], forKey: "a")
    try collection.remove(forKey: "b")
    let error = #expect(throws: VellumError.self) { try archives.throwing.access(archiveWithKey: "a") }
    #expect(error?.code == .damaged)
    #expect(try archives.throwing.access(archiveWithKey: "b") == nil)
    #expect(archives.latestAccessedTime(for: "b") == nil)
    #expect(archives.accessAll().map(\.name) == ["c"])
  }

  @Test func `A file that is only read can be read, and no more`() throws {
    let fixture = try ArchiveFixture()
    do {
      let archives: ArchiveManager<Block> = try fixture.archives()
      for number in 0..<5 { archives.record(Block("\(number)", byteCount: 100)) }
    }
    try fixture.store.close()
    let store = try SedimentStore(
      path: ArchiveFixture.path, options: SedimentOptions(readOnly: true), disk: fixture.disk,
      background: ManualBackground())
    let factory = ArchivesFactory(store: store)
    let archives = try factory.archives(for: Block.self, trySetMaxDiskSize: 300)
    #expect(archives.accessAll().count == 5 && archives.access(archiveWithKey: "1") != nil)
    #expect(throws: VellumError.self) { try archives.throwing.record(Block("x", byteCount: 3)) }
    try store.close()
  }

  @Test func `Errors and failures carry no keys`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Moody> = try fixture.archives(memory: 0)
    archives.record(Moody(primaryKey: "secret", fails: "decoding"))
    _ = archives.access(archiveWithKey: "secret")
    let failure = try #require(fixture.failures.all.first)
    #expect(!"\(failure.error)".contains("secret") && !failure.error.localizedDescription.isEmpty)
  }
}
