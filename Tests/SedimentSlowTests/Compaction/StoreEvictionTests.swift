import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Stores that leave out what was not read lately to stay below a number of bytes.
@Suite struct StoreEvictionTests {
  private static func fixture(
    _ byteCount: UInt64, _ access: SedimentOptions.Access = .automatic
  ) throws -> StoreFixture {
    let fixture = try StoreFixture(access)
    try fixture.close()
    fixture.options.capacity = .evicting(maxBytes: byteCount)
    try fixture.open()
    return fixture
  }

  @Test(arguments: accesses, [512 << 10, 1 << 20, 3_000_000] as [UInt64])
  func `The file never exceeds its cap, and the newest keys are there`(
    access: SedimentOptions.Access, byteCount: UInt64
  ) throws {
    let fixture = try Self.fixture(byteCount, access)
    let count = Int(byteCount) / 200
    for number in 0..<count {
      try fixture.store.set(pattern(1_000, number), forKey: "\(number)")
      if number % 16 == 0 { fixture.scheduler.runDue() }
      #expect(fixture.store.statistics.fileByteCount <= byteCount)
    }
    let held = try fixture.store.count()
    // Most of the file holds values.
    #expect(held * 1_030 > Int(byteCount) * 6 / 10)
    #expect(fixture.store.statistics.evictedKeyCount == UInt64(count - held))
    for number in count - held / 2..<count {
      #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(1_000, number)))
    }
    try fixture.reopen()
    #expect(try fixture.store.count() == held)
    #expect(fixture.store.statistics.fileByteCount <= byteCount)
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `What goes to segments that are used again is stored, and not written by a call for each`()
    throws
  {
    let fixture = try Self.fixture(512 << 10)
    fixture.options.useSmallWindow()
    try fixture.reopen()
    for number in 0..<1_000 {
      try fixture.store.set(pattern(1_000, number), forKey: "\(number)")
      fixture.scheduler.runDue()
    }
    // Such as are followed by no mark, no segment that begins, and no space that is made.
    var quietCount = 0
    for number in 1_000..<3_000 {
      let call = fixture.disk.calls.count
      try fixture.store.set(pattern(1_000, number), forKey: "\(number)")
      if fixture.count(.write, since: call) == 0 { quietCount += 1 }
      fixture.scheduler.runDue()
    }
    // One record in eleven goes across the ring's end.
    #expect(quietCount > 1_600)
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `A full store that makes no room, since compaction is off, can be emptied`() throws {
    let fixture = try Self.fixture(1 << 20)
    try fixture.close()
    fixture.options.compaction = .off
    try fixture.open()
    var count = 0
    do {
      while count < 2_000 {
        try fixture.store.set(pattern(1_000, count), forKey: "\(count)")
        count += 1
      }
    } catch let error as SedimentError {
      #expect(error.code == .outOfSpace)
    }
    #expect(count > 500 && count < 1_000)
    for number in 0..<count { #expect(try fixture.store.remove(forKey: "\(number)")) }
    try fixture.reopen()
    #expect(try fixture.store.count() == 0)
  }
}

/// What expiry and eviction do to the space of a store.
@Suite struct StoreDeletionTests {
  private static let minute: Duration = .seconds(60)

  @Test func `What has expired is deleted once clocks have gone on for ten observed minutes`() throws {
    let fixture = try StoreFixture(durability: .interval(.seconds(60)))
    try fixture.store.set("stays", forKey: "stays")
    // So that the keys that expire have segments of their own.
    try fixture.store.set(pattern(16_000), forKey: "spacer")
    for number in 0..<300 {
      try fixture.store.set(pattern(1_000, number), forKey: "\(number)", expiresIn: .seconds(30))
    }
    try fixture.store.set(pattern(16_000), forKey: "spacer")
    try fixture.store.checkpoint()
    try fixture.store.checkpoint()
    func pass(_ minutes: Int) throws {
      for _ in 0..<minutes {
        fixture.disk.advanceClocks(by: Self.minute)
        try fixture.store.set("again", forKey: "stays")
        try fixture.store.sync()
        fixture.scheduler.advance(by: 60_000_000_000)
      }
    }
    try pass(5)
    #expect(try fixture.store.count() == 2)
    #expect(fixture.store.statistics.liveKeyCount == 302)
    #expect(fixture.store.statistics.expiredKeyCount == 0)
    try pass(15)
    #expect(fixture.store.statistics.liveKeyCount == 2)
    #expect(fixture.store.statistics.expiredKeyCount == 300)
    #expect(fixture.store.statistics.liveByteCount < 17_000)
    try fixture.reopen()
    #expect(try fixture.store.count() == 2)
    #expect(fixture.store.statistics.liveKeyCount == 2)
  }

  @Test(arguments: [false, true])
  func `Keys are counted right when others expire in the segments of a collection that has just been emptied`(
    isDropped: Bool
  ) throws {
    let fixture = try StoreFixture(durability: .interval(.seconds(60)), compaction: .manual)
    let users = try fixture.store.collection("users")
    for number in 0..<100 {
      try fixture.store.set(pattern(1_000, number), forKey: "\(number)", expiresIn: .seconds(30))
      try users.set(pattern(1_000, number), forKey: "\(number)", expiresIn: .seconds(30))
    }
    try fixture.store.set(pattern(16_000), forKey: "spacer")
    try fixture.store.set("stays", forKey: "stays")
    for _ in 0..<20 {
      fixture.disk.advanceClocks(by: Self.minute)
      try fixture.store.set("again", forKey: "stays")
      try fixture.store.sync()
    }
    // What led to them is taken out of the index in the background, which has not begun.
    if isDropped { try fixture.store.dropCollection("users") } else { try users.removeAll() }
    try fixture.store.compact()
    #expect(fixture.store.statistics.liveKeyCount == 2)
    #expect(fixture.store.statistics.expiredKeyCount == 100)
    for _ in 0..<2 {
      for key in ["spacer", "stays"] { try fixture.store.set("last", forKey: key) }
      #expect(try fixture.store.count() == 2)
      #expect(fixture.store.statistics.liveKeyCount == 2)
      try fixture.reopen()
    }
  }

  @Test func `A clock that jumps hides what expires, and deletes nothing`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<60 {
      try fixture.store.set(pattern(1_000, number), forKey: "\(number)", expiresIn: .seconds(600))
    }
    let now = fixture.disk.wallClock()
    fixture.disk.setWallClock(to: now + 1_000_000_000)
    for _ in 0..<3 {
      try fixture.store.sync()
      try fixture.store.set("x", forKey: "x")
    }
    #expect(try !fixture.store.contains("7"))
    try fixture.store.compact()
    fixture.disk.setWallClock(to: now)
    for number in 0..<60 {
      #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(1_000, number)))
    }
  }
}
