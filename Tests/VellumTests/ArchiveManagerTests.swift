import Foundation
import Sediment
import SedimentTesting
import Testing
import Vellum

@Suite struct ArchiveManagerTests {
  @Test func `An archive is there after a restart, and is kept in memory then`() throws {
    let fixture = try ArchiveFixture()
    try fixture.archives().record(Person("Ada", age: 36))
    try fixture.restart()
    let archives: ArchiveManager<Person> = try fixture.archives()
    #expect(archives.currentMemorySize == .zero && archives.currentDiskSize == archives.currentSize)
    #expect(archives.access(archiveWithKey: "Ada") == Person("Ada", age: 36))
    #expect(archives.currentMemorySize == archives.currentDiskSize)
    #expect(archives.access(archiveWithKey: "Bob") == nil)
    #expect(fixture.failures.all.isEmpty)
  }

  @Test func `Recording again replaces, and an archive keeps its place in the order`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Person> = try fixture.archives()
    archives.insert(Person("c"), Person("a"), Person("b"))
    archives.update(Person("c", age: 5))
    #expect(archives.accessAll() == [Person("c", age: 5), Person("a"), Person("b")])
    archives.delete(archiveWithKey: "c")
    archives.record(Person("c", age: 6))
    #expect(archives.accessAll().map(\.name) == ["a", "b", "c"])
    #expect(try archives.recount() == nil)
  }

  @Test func `The order and the archives are the same after a restart`() throws {
    let fixture = try ArchiveFixture()
    do {
      let archives: ArchiveManager<Person> = try fixture.archives()
      archives.insert(all: (0..<300).map { Person("\($0 * 7 % 300)", age: $0) })
      archives.update(Person("5", age: 1000))
      archives.delete(keys: "7", "14")
    }
    try fixture.restart()
    let archives: ArchiveManager<Person> = try fixture.archives()
    let expected = (0..<300).map { $0 * 7 % 300 }.filter { $0 != 7 && $0 != 14 }.map { "\($0)" }
    #expect(archives.accessAll().map(\.name) == expected)
    #expect(archives.accessAll(limitedBy: 3).map(\.name) == Array(expected.prefix(3)))
    #expect(archives.accessAll(limitedBy: 0).isEmpty && archives.accessAll(limitedBy: -1).isEmpty)
    #expect(archives.access(archiveWithKey: "5")?.age == 1000)
  }

  @Test func `Sizes are those of the data, and those of both parts together`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 100, disk: 250)
    #expect(archives.maxSize == 350)
    archives.record(Block("a", byteCount: 60))
    archives.record(Block("b", byteCount: 50))
    #expect(archives.currentMemorySize == 50 && archives.currentDiskSize == 110)
    #expect(archives.currentSize == 160)
    archives.record(Block("b", byteCount: 70))
    #expect(archives.currentDiskSize == 130 && archives.currentMemorySize == 70)
    #expect(archives.currentSize == 200)
    archives.deleteAll()
    #expect(archives.currentSize == .zero && archives.accessAll().isEmpty)
  }

  @Test func `A size of its own counts in memory, and its data on the disk`() throws {
    struct Image: ArchiveCodable {
      var primaryKey: String
      var sizeOfData: DataSize { 1000 }
    }
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Image> = try fixture.archives(memory: 2500, disk: 100_000)
    archives.insert(all: "abc".map { Image(primaryKey: String($0)) })
    #expect(archives.currentMemorySize == 2000 && archives.currentDiskSize < 100)
    #expect(archives.accessAll().count == 3)
  }

  @Test func `The least recently used go first, and using is recording and accessing`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 0, disk: 300)
    for key in ["a", "b", "c"] { archives.record(Block(key, byteCount: 100)) }
    #expect(archives.access(archiveWithKey: "a") != nil)
    // None of these is a use.
    _ = archives.accessAll()
    _ = archives.findWhere { $0.primaryKey(.isEqual(with: "b")) }.getResults()
    _ = archives.latestAccessedTime(for: "b")
    archives.record(Block("d", byteCount: 100))
    #expect(archives.accessAll().map(\.primaryKey) == ["a", "c", "d"])
    archives.record(Block("c", byteCount: 100, fill: 1))
    archives.record(Block("e", byteCount: 150))
    #expect(archives.accessAll().map(\.primaryKey) == ["c", "e"])
    #expect(try archives.recount() == nil)
  }

  @Test func `Only as many go as must`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 0, disk: 100)
    for number in 0..<10 { archives.record(Block("\(number)", byteCount: 10)) }
    archives.record(Block("x", byteCount: 25))
    #expect(archives.accessAll().map(\.primaryKey) == ["3", "4", "5", "6", "7", "8", "9", "x"])
  }

  @Test func `What fits into memory alone is only there`() throws {
    let fixture = try ArchiveFixture()
    do {
      let archives: ArchiveManager<Block> = try fixture.archives(memory: 1000, disk: 100)
      archives.record(Block("small", byteCount: 80))
      archives.record(Block("large", byteCount: 500))
      #expect(archives.currentDiskSize == 80 && archives.currentMemorySize == 580)
      #expect(archives.access(archiveWithKey: "large")?.bytes.count == 494)
      #expect(archives.accessAll().map(\.primaryKey) == ["small", "large"])
      // What leaves the disk stays in memory as long as that has room.
      archives.record(Block("other", byteCount: 90))
      #expect(archives.currentDiskSize == 90)
      #expect(archives.access(archiveWithKey: "small") != nil && archives.accessAll().count == 3)
      #expect(archives.latestAccessedTime(for: "large") != nil)
      archives.record(Block("huge", byteCount: 950))
      #expect(archives.accessAll().map(\.primaryKey) == ["other", "huge"])
      #expect(archives.latestAccessedTime(for: "large") == nil)
      #expect(try archives.recount() == nil)
      archives.delete(archiveWithKey: "huge")
      #expect(archives.access(archiveWithKey: "huge") == nil)
    }
    try fixture.restart()
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 1000, disk: 100)
    #expect(archives.accessAll().map(\.primaryKey) == ["other"])
  }

  @Test func `A new version that fits nowhere is refused, and the old one stays`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 100, disk: 200)
    archives.record(Block("a", byteCount: 50))
    #expect(throws: VellumError.self) { try archives.throwing.record(Block("a", byteCount: 201)) }
    archives.record(Block("a", byteCount: 201))
    #expect(fixture.failures.codes == [.tooLarge])
    #expect(archives.access(archiveWithKey: "a") == Block("a", byteCount: 50))
    archives.record(Block("a", byteCount: 150))
    #expect(archives.currentMemorySize == .zero && archives.currentDiskSize == 150)
    #expect(archives.access(archiveWithKey: "a") == Block("a", byteCount: 150))
  }

  @Test func `A smaller size than before lets the least recently used go at the next start`() throws {
    let fixture = try ArchiveFixture()
    do {
      let archives: ArchiveManager<Block> = try fixture.archives(disk: 1000)
      for number in 0..<10 { archives.record(Block("\(number)", byteCount: 100)) }
      _ = archives.access(archiveWithKey: "0")
    }
    try fixture.restart()
    let archives: ArchiveManager<Block> = try fixture.archives(disk: 299)
    #expect(archives.accessAll().map(\.primaryKey) == ["0", "9"])
    #expect(try archives.recount() == nil)
  }

  @Test func `Keys that are equal as text are one key, whatever their bytes`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Person> = try fixture.archives(memory: 0)
    archives.record(Person("caf\u{e9}", age: 1))
    archives.record(Person("cafe\u{301}", age: 2))
    #expect(archives.accessAll().map(\.age) == [2])
    #expect(archives.access(archiveWithKey: "caf\u{e9}")?.age == 2)
    archives.delete(archiveWithKey: "cafe\u{301}")
    #expect(archives.accessAll().isEmpty)
    #expect(try archives.recount() == nil)
  }

  @Test func `A key is any text, up to the limit of the store's keys`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Person> = try fixture.archives(memory: 0)
    let names = ["", "a/b", "../c", ".", "\0", String(repeating: "k", count: 65_535)]
    archives.insert(all: names.map { Person($0) })
    #expect(archives.accessAll().map(\.name) == names)
    archives.record(Person(String(repeating: "k", count: 65_536)))
    #expect(fixture.failures.codes == [.store] && archives.accessAll().count == names.count)
  }

  @Test func `Managers of a type in one file share archives and sizes`() throws {
    let fixture = try ArchiveFixture()
    let one: ArchiveManager<Person> = try fixture.archives(disk: 5000)
    let other: ArchiveManager<Person> = try fixture.archives(disk: 7000)
    one.record(Person("Ada"))
    #expect(other.access(archiveWithKey: "Ada") != nil && other.maxSize == one.maxSize)
    other.record(Person("Ada", age: 3))
    #expect(one.access(archiveWithKey: "Ada")?.age == 3)
  }

  @Test func `Types have archives of their own in one file, beside what else is there`() throws {
    let fixture = try ArchiveFixture()
    try fixture.store.set("mine", forKey: "a")
    let people: ArchiveManager<Person> = try fixture.archives()
    let blocks: ArchiveManager<Block> = try fixture.archives()
    people.record(Person("a"))
    blocks.record(Block("a", byteCount: 10))
    people.deleteAll()
    #expect(blocks.accessAll().count == 1 && people.accessAll().isEmpty)
    #expect(try fixture.store.retrieve(forKey: "a", as: String.self) == "mine")
    #expect(
      fixture.store.collectionNames
        == ["archive:block", "archive:person", "used:*", "used:block", "used:person"])
  }
}
