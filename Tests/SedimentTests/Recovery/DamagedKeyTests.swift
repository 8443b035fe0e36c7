import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// What a store with one damaged record owes its user.
struct DamagedKeyTests {
  /// Where a record is damaged.
  enum Place: CaseIterable {
    case key, value
  }

  /// A store that was opened by its stored index, of whose keys one is damaged.
  private static func opened(_ place: Place?, count: Int = 3_000) throws -> StoreFixture {
    let fixture = try StoreFixture()
    let space = try fixture.store.collection("users")
    for number in 0..<count { try space.set(pattern(50, number), forKey: "user \(number)") }
    try fixture.store.set("other", forKey: "other")
    // What follows lies in another segment than the damage.
    try fixture.store.set(pattern(100_000), forKey: "filler")
    try #require(try fixture.store.storeIndex())
    try fixture.close()
    if let place {
      let record = try record(of: "user 7", fixture)
      let byte = place == .key ? record.key : record.end - 20
      fixture.disk.flipBit(0, ofByte: byte, in: StoreFixture.path)
    }
    try fixture.open()
    return fixture
  }

  private static func record(of key: String, _ fixture: StoreFixture) throws -> (key: Int, end: Int) {
    let bytes = try #require(fixture.disk.contents(of: StoreFixture.path))
    for record in try FileInspection.inspect(path: StoreFixture.path, on: fixture.disk).segments.flatMap(
      \.records)
    {
      let start = Int(record.offset.byteOffset)
      let range = record.header.keyRange
      if bytes[start + range.lowerBound..<start + range.upperBound].elementsEqual(key.utf8) {
        return (start + range.lowerBound, start + record.header.byteCount)
      }
    }
    let none: (key: Int, end: Int)? = nil
    return try #require(none, "there is no such record")
  }

  @Test(arguments: Place.allCases)
  func `What needs the value says that it is damaged`(place: Place) throws {
    let fixture = try Self.opened(place)
    let users = try fixture.store.collection("users")
    let key = "user 7"
    #expect(code { _ = try users.retrieve(forKey: key) } == .damaged)
    #expect(code { _ = try users.contains(key) } == .damaged)
    #expect(code { _ = try users.setIfAbsent("new", forKey: key) } == .damaged)
    if place == .key { #expect(code { _ = try users.remove(forKey: key) } == .damaged) }
    #expect(try same(users.retrieve(forKey: "user 8"), pattern(50, 8)))
  }

  @Test(arguments: Place.allCases, [10, 5_000, 200_000])
  func `A set of any length makes a damaged key whole`(place: Place, byteCount: Int) throws {
    let fixture = try Self.opened(place)
    let users = try fixture.store.collection("users")
    try users.set(pattern(byteCount, 1), forKey: "user 7")
    #expect(try same(users.retrieve(forKey: "user 7"), pattern(byteCount, 1)))
    #expect(try !users.setIfAbsent("new", forKey: "user 7"))
  }

  @Test func `A removal takes a damaged key away`() throws {
    let fixture = try Self.opened(.value)
    let users = try fixture.store.collection("users")
    try users.remove(forKey: "user 7")
    #expect(try users.retrieve(forKey: "user 7") == nil)
    #expect(try users.count() == 2_999)
  }

  @Test(arguments: [false, true])
  func `A clearing ends the damage, and nothing else`(drops: Bool) throws {
    // As in a store without damage, no record is left that keeps its segment.
    let liveByteCounts = try [Place.value, nil].map { place in
      let fixture = try Self.opened(place)
      if drops {
        try fixture.store.dropCollection("users")
      } else {
        try fixture.store.collection("users").removeAll()
      }
      fixture.scheduler.advance(by: 60_000_000_000)
      #expect(try fixture.store.retrieve(forKey: "other", as: String.self) == "other")
      return fixture.store.segments.filter { $0.kind == .hot || $0.kind == .survivors }
        .reduce(0) { $0 + $1.liveByteCount }
    }
    #expect(liveByteCounts[0] == liveByteCounts[1])
  }

  @Test func `Salvage counts a value whose record is damaged`() throws {
    for place in Place.allCases {
      let fixture = try Self.opened(place)
      let disk = fixture.disk.afterProcessDeath()
      let report = try SedimentStore.salvage(from: StoreFixture.path, to: SalvageTests.saved, on: disk)
      #expect(report.lostValueCount == 1 && report.losses.count == 1 && !report.isComplete)
    }
  }
}
