import Foundation
import Sediment
import SedimentTesting
import Testing
import Vellum

@Suite struct UseTests {
  @Test func `The time of the last recording or access is known`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Person> = try fixture.archives(memory: 10)
    let start = fixture.time.now
    archives.insert(Person("a"), Person("b"))
    fixture.pass(seconds: 10)
    #expect(archives.latestAccessedTime(for: "a") == start)
    _ = archives.access(archiveWithKey: "a")
    #expect(archives.latestAccessedTime(for: "a") == start + 10)
    #expect(archives.latestAccessedTime(for: Person("b")) == start)
    #expect(archives.latestAccessedTime(for: "c") == nil)
    fixture.pass(seconds: 1)
    archives.update(Person("b"))
    #expect(archives.latestAccessedTime(for: "b") == start + 11)
  }

  @Test func `Times and the order of uses survive a restart`() throws {
    let fixture = try ArchiveFixture()
    let start = fixture.time.now
    do {
      let archives: ArchiveManager<Block> = try fixture.archives(memory: 0, disk: 300)
      for key in ["a", "b", "c"] { archives.record(Block(key, byteCount: 100)) }
      fixture.pass(seconds: 5)
      // All in one millisecond: only their order tells them apart.
      for key in ["c", "a"] { _ = archives.access(archiveWithKey: key) }
      fixture.pass(seconds: 2)
      try fixture.kill()
    }
    try fixture.restart()
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 0, disk: 300)
    #expect(archives.latestAccessedTime(for: "a") == start + 5)
    #expect(archives.latestAccessedTime(for: "b") == start)
    #expect(archives.latestAccessedTime(for: "c") == start + 5)
    archives.record(Block("d", byteCount: 200))
    #expect(archives.accessAll().map(\.primaryKey) == ["a", "d"])
  }

  @Test func `Of uses that wait to be saved none is forgotten when an archive is used again`() throws {
    let fixture = try ArchiveFixture()
    let start = fixture.time.now
    do {
      let archives: ArchiveManager<Person> = try fixture.archives()
      archives.insert(Person("a"), Person("b"), Person("c"), Person("d"))
      fixture.time.pass(seconds: 5)
      for key in ["a", "b", "c", "a"] { _ = archives.access(archiveWithKey: key) }
      archives.record(Person("b"))
      archives.delete(archiveWithKey: "d")
      fixture.pass(seconds: 1)
      try fixture.kill()
    }
    try fixture.restart()
    let archives: ArchiveManager<Person> = try fixture.archives()
    for key in ["a", "b", "c"] { #expect(archives.latestAccessedTime(for: key) == start + 5) }
    #expect(archives.diskKeysByUse == ["c", "a", "b"])
  }

  @Test func `A killed process loses uses of the last second, and nothing else`() throws {
    let fixture = try ArchiveFixture()
    let start = fixture.time.now
    do {
      let archives: ArchiveManager<Person> = try fixture.archives()
      archives.insert(Person("a"), Person("b"))
      fixture.pass(seconds: 3)
      _ = archives.access(archiveWithKey: "a")
      fixture.pass(seconds: 1)
      _ = archives.access(archiveWithKey: "b")
      try fixture.kill()
    }
    try fixture.restart()
    let archives: ArchiveManager<Person> = try fixture.archives()
    #expect(archives.latestAccessedTime(for: "a") == start + 3)
    #expect(archives.latestAccessedTime(for: "b") == start)
  }

  @Test func `Going away in order, and syncing, keep all uses`() throws {
    let fixture = try ArchiveFixture()
    let start = fixture.time.now
    func use(_ key: String, syncing: Bool) throws {
      let archives: ArchiveManager<Person> = try fixture.archives()
      archives.record(Person(key))
      fixture.time.pass(seconds: 4)
      _ = archives.access(archiveWithKey: key)
      if syncing {
        try archives.throwing.sync()
        try fixture.kill()
      }
    }
    try use("a", syncing: false)
    try fixture.restart()
    try use("b", syncing: true)
    try fixture.restart()
    let archives: ArchiveManager<Person> = try fixture.archives()
    #expect(archives.latestAccessedTime(for: "a") == start + 4)
    #expect(archives.latestAccessedTime(for: "b") == start + 8)
  }

  @Test func `Accessing writes nothing, and a second later the background saves all uses in small batches`()
    throws
  {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Person> = try fixture.archives()
    archives.insert(all: (0..<10_000).map { Person("\($0)") })
    let before = fixture.store.statistics.sequence
    for _ in 0..<3 { for number in 0..<10_000 { _ = archives.access(archiveWithKey: "\(number)") } }
    #expect(fixture.store.statistics.sequence == before)
    let uses = try fixture.store.collection("used:person")
    var counts: [Int] = []
    for _ in 0..<4 {
      fixture.pass(seconds: 1)
      counts.append(try uses.count())
    }
    #expect(counts == [10_000, 10_000, 10_000, 10_000])
    fixture.pass(seconds: 5)
    let after = fixture.store.statistics.sequence
    fixture.pass(seconds: 5)
    #expect(fixture.store.statistics.sequence == after)
  }

  @Test func `A use that was saved goes with its archive`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 0, disk: 250)
    let uses = try fixture.store.collection("used:block")
    archives.record(Block("a", byteCount: 100))
    archives.record(Block("b", byteCount: 100))
    for key in ["a", "b"] { _ = archives.access(archiveWithKey: key) }
    fixture.pass(seconds: 1)
    #expect(try uses.count() == 2)
    archives.record(Block("c", byteCount: 100))
    #expect(try uses.count() == 1)
    archives.delete(archiveWithKey: "b")
    #expect(try uses.count() == 0)
    _ = archives.access(archiveWithKey: "c")
    fixture.pass(seconds: 1)
    archives.deleteAll()
    #expect(try uses.count() == 0)
  }

  @Test func `A saved use without its archive goes at the next start`() throws {
    let fixture = try ArchiveFixture()
    try fixture.store.collection("used:person").set([1, 1], forKey: [0, 0, 0, 0, 0, 0, 0, 1] as [UInt8])
    try fixture.store.collection("used:person").set("odd", forKey: "odd")
    let archives: ArchiveManager<Person> = try fixture.archives()
    #expect(try fixture.store.collection("used:person").count() == 0)
    archives.record(Person("a"))
    #expect(archives.latestAccessedTime(for: "a") == fixture.time.now)
  }

  @Test func `What was not used for longer than an interval is deleted, and nothing else`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Person> = try fixture.archives()
    archives.insert(Person("old"), Person("used"), Person("edge"))
    fixture.pass(seconds: 50)
    _ = archives.access(archiveWithKey: "edge")
    fixture.pass(seconds: 40)
    _ = archives.access(archiveWithKey: "used")
    archives.record(Person("new"))
    fixture.pass(seconds: 60)
    for harmless in [Double.nan, .infinity, 1e300] {
      archives.deleteAllInvalidateArchives(invalidateTimeInterval: harmless)
    }
    #expect(archives.accessAll().count == 4)
    archives.deleteAllInvalidateArchives(invalidateTimeInterval: 100)
    #expect(archives.accessAll().map(\.name) == ["used", "edge", "new"])
    archives.deleteAllInvalidateArchives(invalidateTimeInterval: 99.9)
    #expect(archives.accessAll().map(\.name) == ["used", "new"])
    #expect(archives.access(archiveWithKey: "edge") == nil)
    #expect(try archives.recount() == nil)
    archives.deleteAllInvalidateArchives(invalidateTimeInterval: -1)
    #expect(archives.accessAll().isEmpty)
  }

  @Test func `A clock that goes back changes times and not the order of uses`() throws {
    let fixture = try ArchiveFixture()
    let archives: ArchiveManager<Block> = try fixture.archives(memory: 0, disk: 200)
    archives.record(Block("a", byteCount: 100))
    fixture.time.pass(seconds: -1000)
    archives.record(Block("b", byteCount: 100))
    #expect(archives.latestAccessedTime(for: "b") == fixture.time.now)
    archives.record(Block("c", byteCount: 100))
    #expect(archives.accessAll().map(\.primaryKey) == ["b", "c"])
  }
}
