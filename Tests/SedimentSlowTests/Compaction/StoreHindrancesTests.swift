import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// What must not keep space from coming back: what has expired, what cannot be read, and what wins nothing.
struct StoreHindrancesTests {
  // MARK: What has expired

  @Test(arguments: [SedimentCompaction.automatic, .manual])
  func `A full store of which everything has expired takes changes again, without one being stored before`(
    compaction: SedimentCompaction
  ) throws {
    let fixture = try StoreFixture(maxByteCount: 3_000_000, compaction: compaction)
    var count = 0
    while code({
      try fixture.store.set(pattern(400, count), forKey: "\(count)", expiresIn: .seconds(1_800))
    }) == nil { count += 1 }
    var refusedCount = 0
    // A wall clock counts once it was reached ten minutes ago.
    for _ in 0..<12 {
      fixture.disk.advanceClocks(by: .seconds(300))
      if code({ try fixture.store.set(pattern(400, 1), forKey: "new") }) == .outOfSpace { refusedCount += 1 }
      fixture.scheduler.runDue()
    }
    #expect(refusedCount == 7)
    #expect(try fixture.store.count() == 1)
    #expect(fixture.store.accountFindings() == [])
  }

  @Test func `Compaction wins what has expired where nothing was replaced`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<2_000 {
      try fixture.store.set(pattern(400, number), forKey: "\(number)", expiresIn: .seconds(60))
    }
    for _ in 0..<4 {
      fixture.disk.advanceClocks(by: .seconds(660))
      try fixture.store.compact()
    }
    #expect(try #require(fixture.disk.byteCount(of: StoreFixture.path)) < 200_000)
    #expect(fixture.store.accountFindings() == [])
  }

  // MARK: What cannot be read

  @Test func `A large value that cannot be read keeps nothing else from being moved`() throws {
    let fixture = try StoreFixture(.unmapped, compaction: .manual)
    for number in 0..<60 { try fixture.store.set(pattern(200_000, number), forKey: "gone \(number)") }
    try fixture.store.set(pattern(200_000, 999), forKey: "unreadable")
    for number in 0..<10 { try fixture.store.set(pattern(200_000, number), forKey: "kept \(number)") }
    try fixture.store.sync()
    for number in 0..<60 { try fixture.store.remove(forKey: "gone \(number)") }
    try fixture.store.sync()
    try fixture.makeUnreadable(pattern(200_000, 999)[1_000..<1_100])
    let before = try #require(fixture.disk.byteCount(of: StoreFixture.path))
    try fixture.store.compact()
    for number in 0..<10 {
      #expect(try same(fixture.store.retrieve(forKey: "kept \(number)"), pattern(200_000, number)))
    }
    #expect(code { _ = try fixture.store.retrieve(forKey: "unreadable") } == .inputOutput)
    // What lay behind it lies before it now.
    #expect(try #require(fixture.disk.byteCount(of: StoreFixture.path)) < before - 9 * 200_000)
  }

  @Test func `A change finds room though a page beside what is dead cannot be read`() throws {
    let fixture = try StoreFixture(.unmapped, maxByteCount: 3_000_000, compaction: .manual)
    var count = 0
    while code({ try fixture.store.set(pattern(1_000, count), forKey: "\(count)") }) == nil { count += 1 }
    for number in 0..<count where number % 2 == 0 { try fixture.store.remove(forKey: "\(number)") }
    try fixture.store.sync()
    try fixture.makeUnreadable(pattern(1_000, count / 2 | 1)[100..<200])
    for number in 0..<200 {
      #expect(code { try fixture.store.set(pattern(1_000, number), forKey: "new \(number)") } == nil)
    }
  }

  @Test func `A page that cannot be read keeps only its own segment from being emptied`() throws {
    let fixture = try StoreFixture(.unmapped, compaction: .manual)
    func set(_ name: String, _ key: Int, _ numbers: some Sequence<Int>) throws {
      for number in numbers {
        try fixture.store.set(pattern(1_000, number), forKey: "\(name) \(key) \(number)")
      }
    }
    // Older values beside what is live.
    for key in 0..<60 {
      try fixture.store.set(pattern(40, key), forKey: "key \(key)")
      try set("first", key, 0..<6)
    }
    // Each tombstone among others that die for the most part.
    for key in 0..<60 {
      try fixture.store.remove(forKey: "key \(key)")
      try set("second", key, 0..<20)
    }
    // By newer values, all of them in one page, each tombstone can be left out.
    let mark = pattern(40, 77_777)
    try fixture.store.set(mark, forKey: "mark")
    for key in 0..<60 { try fixture.store.set(pattern(20, key), forKey: "key \(key)") }
    for key in 0..<60 { try set("second", key, (0..<20).filter { $0 % 4 != 0 }) }
    try fixture.store.sync()
    try fixture.makeUnreadable(mark[...])
    var failureCount = 0
    for _ in 0..<20 where code({ try fixture.store.compact() }) != nil { failureCount += 1 }
    // The segment with the page is tried, and what there leads to large values is looked for.
    #expect(failureCount == 2)
    #expect(fixture.store.statistics.deadByteCount < 100_000)
  }

  // MARK: What wins nothing

  @Test func `A segment that wins nothing does not hide those that a superblock needs`() throws {
    let fixture = try StoreFixture(maxByteCount: 64 << 20)
    fixture.options.windowedSlotCount = .max
    try fixture.reopen()
    var recordByteCountMax: UInt64 = 0
    for number in 0..<3_000 {
      // Nearly all of each batch is dead at once, and hardly ever a whole segment.
      try fixture.store.batch { batch in
        for member in 0..<200 { batch.set(pattern(100, member), forKey: "again") }
        for member in 0..<4 { batch.set(pattern(100, member), forKey: "\(number) \(member)") }
      }
      fixture.scheduler.runDue()
      let statistics = fixture.store.statistics
      recordByteCountMax = max(recordByteCountMax, statistics.liveByteCount + statistics.deadByteCount)
    }
    #expect(recordByteCountMax == 2_387_928)
    #expect(fixture.store.accountFindings() == [])
  }

  @Test func `Keys that take slots of their own do not hide what else can be won`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<100 {
      try fixture.store.set([UInt8](), forKey: pattern(17_000, number))
    }
    for number in 0..<2_000 { try fixture.store.set(pattern(400, number), forKey: "\(number)") }
    for number in 0..<2_000 where number % 3 == 0 { try fixture.store.remove(forKey: "\(number)") }
    try fixture.store.compact()
    #expect(fixture.store.statistics.deadByteCount == 18_288)
    #expect(fixture.store.accountFindings() == [])
  }
}

extension StoreFixture {
  /// Makes 4 KiB unreadable that begin with bytes of a value.
  fileprivate func makeUnreadable(_ bytes: ArraySlice<UInt8>) throws {
    let place = UInt64(try #require(contents.firstRange(of: bytes)).lowerBound)
    disk.makeUnreadable(place..<place + 4_096, in: Self.path)
  }
}
