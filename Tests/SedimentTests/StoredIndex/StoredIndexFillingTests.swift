import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Openings that leave the parts of a stored index until somebody needs them, and parts that are no good then.
struct StoredIndexFillingTests {
  private static let count = 6_000

  /// A store that was closed right after its index was stored, in a part of several pages or in 64 parts, and some of
  /// whose keys were removed before.
  private static func closed(
    _ access: SedimentOptions.Access = .automatic, inParts: Bool = false
  ) throws -> StoreFixture {
    let fixture = try StoreFixture(access)
    if inParts { fixture.options.storedPartEntryCount = 1 }
    try fixture.reopen()
    for number in 0..<count { try fixture.store.set("value \(number)", forKey: "key \(number)") }
    let users = try fixture.store.collection("users")
    for number in 0..<50 { try users.set("user", forKey: "\(number)", expiry: .at(milliseconds: 1 << 46)) }
    for number in 0..<50 { try fixture.store.remove(forKey: "key \(number)") }
    #expect(try fixture.store.storeIndex())
    try fixture.close()
    return fixture
  }

  /// Expects that the store has the keys that `closed` has left, and that its accounts are right.
  private static func expectAll(_ store: SedimentStore) throws {
    for number in 0..<count {
      let value = try store.retrieve(forKey: "key \(number)", as: String.self)
      #expect(value == (number < 50 ? nil : "value \(number)"))
    }
    #expect(try store.count() == count - 50)
    #expect(try store.collection("users").count() == 50)
    #expect(store.accountFindings() == [])
  }

  @Test(arguments: accesses)
  func `A part is read when a key of it is asked for, once, and the rest in the background`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.closed(access, inParts: true)
    #expect(try fixture.disk.indexParts().count > 30)
    try fixture.open()
    #expect(fixture.store.recovery.storedKeyCount == UInt64(Self.count))
    #expect(try fixture.store.count() == Self.count - 50)
    var byteCount = fixture.store.statistics.indexByteCount
    #expect(try fixture.store.retrieve(forKey: "key 77", as: String.self) == "value 77")
    let grown = fixture.store.statistics.indexByteCount
    #expect(grown > byteCount)
    #expect(grown - byteCount < 3_000)
    byteCount = grown
    #expect(try fixture.store.retrieve(forKey: "key 77", as: String.self) == "value 77")
    #expect(fixture.store.statistics.indexByteCount == byteCount)
    fixture.scheduler.advance(by: 20_000_000)
    let whole = fixture.store.statistics.indexByteCount
    #expect(whole > 40 * (grown - byteCount))
    try Self.expectAll(fixture.store)
    #expect(fixture.store.statistics.indexByteCount == whole)
    try fixture.close()
  }

  @Test(arguments: accesses)
  func `Every way of reading finds what is there and misses what is not, also without the background`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.closed(access, inParts: true)
    let readings: [(String, (SedimentStore) throws -> Bool)] = [
      ("bytes", { try $0.retrieve(forKey: "key 60", as: String.self) == "value 60" }),
      ("missing", { try $0.retrieve(forKey: "nothing", as: String.self) == nil }),
      ("removed", { try $0.retrieve(forKey: "key 1", as: String.self) == nil }),
      ("contains", { try $0.contains("key 61") && !$0.contains("nothing") }),
      ("expiry", { try $0.collection("users").expiry(forKey: "7") == .at(milliseconds: 1 << 46) }),
      ("in place", { try $0.withValue(forKey: "key 62") { $0.byteCount } == 8 }),
      (
        "many",
        { store in
          var found: [Int: Int] = [:]
          try store.withValues(forKeys: ["key 63", "nothing", "key 1", "key 64"]) { number, value in
            found[number] = value?.byteCount ?? 0
          }
          return found == [0: 8, 1: 0, 2: 0, 3: 8]
        }
      ),
      (
        "iteration",
        { store in
          var count = 0
          try store.forEachKey(withPrefix: "") { _ in
            count += 1
            return .continue
          }
          return count == Self.count - 50
        }
      ),
    ]
    for (name, reading) in readings {
      for readOnly in [false, true] {
        fixture.options.readOnly = readOnly
        try fixture.open()
        #expect(try reading(fixture.store), "\(name), \(readOnly)")
        try fixture.close()
      }
    }
  }

  @Test(arguments: accesses)
  func `A change waits for all parts, and a close does not`(access: SedimentOptions.Access) throws {
    let fixture = try Self.closed(access, inParts: true)
    let before = fixture.contents.dropFirst(4_096 + 64)
    let call = fixture.disk.calls.count
    try fixture.open()
    #expect(try fixture.store.contains("key 77"))
    try fixture.close()
    // The owner's note.
    #expect(fixture.changes(since: call) == [.write])
    #expect(fixture.contents.dropFirst(4_096 + 64) == before)
    let changes: [(SedimentStore) throws -> Void] = [
      { try $0.set("new", forKey: "key 100") },
      { try $0.remove(forKey: "key 101") },
      { try $0.batch { $0.set("new", forKey: "key 102") } },
      { try $0.collection("users").removeAll() },
      { try $0.compact() },
      { try $0.storeIndex() },
      { try $0.removeEverything() },
    ]
    for (number, change) in changes.enumerated() {
      try fixture.open()
      #expect(fixture.store.recovery.wasClosed)
      try change(fixture.store)
      #expect(fixture.store.accountFindings() == [], "change \(number)")
      try fixture.reopen()
      #expect(fixture.store.accountFindings() == [], "change \(number), reopened")
      try fixture.close()
      try fixture.disk.expectSameIndex("change \(number)")
    }
  }

  @Test(arguments: accesses, [1, 400])
  func `A store whose segment has no good header is refused at once, however many it has`(
    access: SedimentOptions.Access, countOfLarge: Int
  ) throws {
    let fixture = try Self.closed(access, inParts: true)
    try fixture.open()
    // Each has a segment of its own.
    let large = [UInt8](repeating: 7, count: 14_000)
    for number in 0..<countOfLarge { try fixture.store.set(large, forKey: "large \(number)") }
    #expect(try fixture.store.storeIndex())
    try fixture.close()
    let file = try fixture.disk.openFile(StoreFixture.path, .read)
    let catalogue = try Opening(file, on: fixture.disk).recover(.readOnly).log.catalogue
    try file.close()
    #expect((catalogue.segments.count > 64) == (countOfLarge == 400))
    for entry in catalogue.segments.filter({ $0.end != nil }).prefix(8) {
      let place = Int(entry.identity.run.byteRange.lowerBound) + 40
      fixture.disk.flipBit(3, ofByte: place, in: StoreFixture.path)
      let (before, call) = (fixture.contents, fixture.disk.calls.count)
      for readOnly in [false, true] {
        fixture.options.readOnly = readOnly
        #expect(code { try fixture.open() } == .damaged)
        #expect(fixture.contents == before)
      }
      // Not with the same bytes either, as the owner's note may be.
      #expect(fixture.changes(since: call) == [])
      fixture.disk.flipBit(3, ofByte: place, in: StoreFixture.path)
    }
    fixture.options.readOnly = false
    try fixture.open()
    #expect(fixture.store.accountFindings() == [])
    try fixture.close()
  }

  @Test func `What was written behind the parts is found, and asks for the parts of its keys alone`() throws {
    let fixture = try Self.closed(inParts: true)
    try fixture.open()
    try fixture.store.set("newer", forKey: "key 200")
    try fixture.store.remove(forKey: "key 201")
    try fixture.store.set("new", forKey: "more")
    try fixture.reopen()
    #expect(try fixture.store.retrieve(forKey: "key 200", as: String.self) == "newer")
    #expect(try fixture.store.retrieve(forKey: "key 201", as: String.self) == nil)
    #expect(try fixture.store.retrieve(forKey: "more", as: String.self) == "new")
    #expect(try fixture.store.retrieve(forKey: "key 202", as: String.self) == "value 202")
    #expect(try fixture.store.count() == Self.count - 50)
    fixture.scheduler.advance(by: 20_000_000)
    #expect(fixture.store.accountFindings() == [])
    try fixture.close()
  }

  // MARK: Damage

  /// A byte behind the pages that an opening looks at, of the part that has most.
  private static func place(_ fixture: StoreFixture) throws -> Int {
    let part = try #require(try fixture.disk.indexParts().max { $0.pageCount < $1.pageCount })
    try #require(part.pageCount > 6)
    return Int(part.segment.run.byteRange.lowerBound) + SegmentHeader.byteCount + 5 * IndexPage.byteCount
      + 900
  }

  @Test(arguments: accesses, [false, true])
  func `A bit that is wrong behind a part's head costs no key, whoever finds it`(
    access: SedimentOptions.Access, readOnly: Bool
  ) throws {
    let fixture = try Self.closed(access)
    fixture.disk.flipBit(3, ofByte: try Self.place(fixture), in: StoreFixture.path)
    fixture.options.readOnly = readOnly
    let finders: [(SedimentStore) throws -> Void] = [
      { _ = try $0.retrieve(forKey: "key 77") as [UInt8]? },
      { _ = try $0.contains("nothing") },
      { _ in fixture.scheduler.advance(by: 20_000_000) },
      { try $0.forEachKey(withPrefix: "") { _ in .stop } },
      { _ = $0.accountFindings() },
      // Last, since the next opening asks for the part itself.
      { if !readOnly { try $0.set("value 77", forKey: "key 77") } },
    ]
    for find in finders {
      try fixture.open()
      // Nothing was found so far.
      #expect(fixture.store.recovery.storedKeyCount == UInt64(Self.count))
      try find(fixture.store)
      if !readOnly { #expect(fixture.store.statistics.unstoredLogByteCount > 200_000) }
      try Self.expectAll(fixture.store)
      try fixture.close()
      if !readOnly { try fixture.disk.expectSameIndex() }
    }
  }

  @Test func `Where the log is damaged, too, what needs it fails, changes nothing, and a close does not`()
    throws
  {
    let fixture = try Self.closed()
    let record = try #require(fixture.contents.firstRange(of: Array("key 300value 300".utf8)))
    fixture.disk.flipBit(3, ofByte: try Self.place(fixture), in: StoreFixture.path)
    fixture.disk.flipBit(0, ofByte: record.upperBound - 1, in: StoreFixture.path)
    let before = fixture.contents.dropFirst(4_096 + 64)
    try fixture.open()
    for _ in 0..<2 {
      #expect(code { _ = try fixture.store.retrieve(forKey: "key 77") as [UInt8]? } == .damaged)
      #expect(code { try fixture.store.set("new", forKey: "key 77") } == .damaged)
      #expect(code { try fixture.store.compact() } == .damaged)
      #expect(code { try fixture.store.forEachKey(withPrefix: "") { _ in .continue } } == .damaged)
    }
    fixture.scheduler.advance(by: 20_000_000)
    try fixture.close()
    #expect(fixture.contents.dropFirst(4_096 + 64) == before)
    // As an opening without a stored index.
    #expect(code { _ = try fixture.another { $0.storesIndex = false } } == .damaged)
  }

  @Test(arguments: [true, false])
  func `A part that cannot be read is made from the log`(isRead: Bool) throws {
    let fixture = try Self.closed()
    let start = UInt64(try Self.place(fixture)) / 512 * 512
    try fixture.open()
    fixture.disk.makeUnreadable(start..<start + 512, in: StoreFixture.path)
    if isRead { #expect(try fixture.store.contains("key 77")) }
    try fixture.store.set("new", forKey: "key 77")
    #expect(fixture.store.accountFindings() == [])
    try fixture.store.set("value 77", forKey: "key 77")
    try Self.expectAll(fixture.store)
    // The index is stored anew, and the sector is nobody's.
    #expect(try fixture.store.storeIndex())
    try fixture.close()
    try fixture.open()
    try Self.expectAll(fixture.store)
    try fixture.close()
  }

  @Test func `What was cleared before is swept though the index cannot be had at first`() throws {
    let fixture = try StoreFixture()
    let users = try fixture.store.collection("users")
    for number in 0..<6_000 { try users.set("value", forKey: "\(number)") }
    #expect(try fixture.store.storeIndex())
    try users.removeAll()
    try fixture.close()
    try fixture.open()
    // Neither the stored index nor the log.
    fixture.disk.makeUnreadable(8 << 10..<UInt64(1) << 40, in: StoreFixture.path)
    fixture.scheduler.advance(by: 20_000_000)
    fixture.disk.makeReadable(StoreFixture.path)
    fixture.scheduler.advance(by: 20_000_000_000)
    #expect(fixture.store.statistics.liveByteCount == 0)
    #expect(fixture.store.accountFindings() == [])
    try fixture.close()
  }
}
