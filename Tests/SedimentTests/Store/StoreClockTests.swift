import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Clocks that jump, and what is deleted because of them.
struct StoreClockTests {
  private static let year: UInt64 = 31_536_000_000

  private static func fixture(evicts: Bool) throws -> StoreFixture {
    let fixture = try StoreFixture()
    guard evicts else { return fixture }
    try fixture.close()
    fixture.options.capacity = .evicting(maxBytes: 16 << 20)
    try fixture.open()
    return fixture
  }

  @Test(arguments: [false, true])
  func `A clock that was wrong for one sync costs nothing once it is right`(isReopened: Bool) throws {
    let fixture = try Self.fixture(evicts: true)
    fixture.disk.setWallClock(to: fixture.disk.wallClock() + Self.year)
    try fixture.store.set("value", forKey: "key", durability: .synced)
    fixture.disk.setWallClock(to: fixture.disk.wallClock() - Self.year)
    if isReopened { try fixture.reopen() }
    for number in 0..<2_000 {
      try fixture.store.set(pattern(500, number), forKey: "\(number)", expiresIn: .seconds(86_400))
      if number % 100 == 0 {
        fixture.disk.advanceClocks(by: .seconds(10))
        try fixture.store.sync()
        fixture.scheduler.runDue()
      }
    }
    try fixture.store.compact()
    #expect(try fixture.store.count() == 2_001)
  }

  @Test func `A clock that was wrong for an hour has no say once it is right`() throws {
    for evicts in [false, true] {
      let fixture = try Self.fixture(evicts: evicts)
      fixture.disk.setWallClock(to: fixture.disk.wallClock() + Self.year)
      for _ in 0..<10 {
        try fixture.store.set("value", forKey: "key", durability: .synced)
        fixture.disk.advanceClocks(by: .seconds(400))
      }
      fixture.disk.setWallClock(to: fixture.disk.wallClock() - Self.year)
      for number in 0..<500 {
        try fixture.store.set(pattern(500, number), forKey: "\(number)", expiresIn: .seconds(86_400))
      }
      try fixture.store.compact()
      #expect(try fixture.store.count() == 501)
      // Nor does it help a second jump.
      try fixture.store.sync()
      fixture.disk.setWallClock(to: fixture.disk.wallClock() + Self.year)
      try fixture.store.sync()
      try fixture.store.compact()
      fixture.disk.setWallClock(to: fixture.disk.wallClock() - Self.year)
      #expect(try fixture.store.count() == 501)
    }
  }

  /// A store that takes no more, full of values that have expired.
  private static func expiredFixture() throws -> StoreFixture {
    let fixture = try StoreFixture(maxByteCount: 2 << 20)
    var count = 0
    while code({
      try fixture.store.set(pattern(3_000, count), forKey: "\(count)", expiresIn: .seconds(1))
    }) == nil {
      count += 1
      try #require(count < 1_000)
    }
    fixture.disk.advanceClocks(by: .seconds(1))
    #expect(try fixture.store.count() == 0)
    return fixture
  }

  @Test func `A full store has the room of expired values back within ten minutes and a half`() throws {
    let fixture = try Self.expiredFixture()
    var seconds = 0
    while code({ try fixture.store.set(pattern(3_000), forKey: "new") }) == .outOfSpace {
      fixture.disk.advanceClocks(by: .seconds(1))
      fixture.scheduler.advance(by: 1_000_000_000)
      seconds += 1
      try #require(seconds < 10_000)
    }
    #expect(seconds >= 600 && seconds <= 630)
  }

  @Test func `A compaction wins what had expired when it looked at the clock ten minutes before`() throws {
    let fixture = try Self.expiredFixture()
    // Of looks within half a minute the first is kept.
    fixture.disk.advanceClocks(by: .seconds(30))
    try fixture.store.compact()
    #expect(fixture.store.statistics.liveKeyCount > 0)
    fixture.disk.advanceClocks(by: .seconds(600))
    try fixture.store.compact()
    #expect(fixture.store.statistics.liveKeyCount == 0)
    #expect(fixture.store.statistics.fileByteCount < 256 << 10)
  }

  @Test(arguments: [1, 7, 29, 30, 31, 200, 601])
  func `A time is confirmed ten minutes after a look, and hardly later`(spacing: UInt64) {
    var clocks = StoreNumbers.Clocks()
    var clock = DeletionClock()
    let start: UInt64 = 1_700_000_000_000
    for look in 0..<2_000 as Range<UInt64> {
      let now = start + look * spacing * 1_000
      clock.note(wallClock: now, elapsed: look == 0 ? 0 : spacing * 1_000, in: &clocks)
      #expect(clock.laterLooks.count <= 20)
      // The last look that was ten minutes old, and one pause before.
      let age = now - start
      guard age >= 600_000 else {
        #expect(clocks.deletion == 0)
        continue
      }
      #expect(clocks.deletion <= now - 600_000)
      #expect(clocks.deletion + 600_000 + 30_000 + 2 * spacing * 1_000 > now)
    }
  }

  @Test func `A clock that goes back confirms nothing that it does not reach any more`() {
    var clocks = StoreNumbers.Clocks()
    var clock = DeletionClock()
    let start: UInt64 = 1_700_000_000_000
    for _ in 0..<19 { clock.note(wallClock: start + Self.year, elapsed: 30_000, in: &clocks) }
    clock.note(wallClock: start, elapsed: 30_000, in: &clocks)
    #expect(clock.laterLooks == [] && clocks.candidate == start)
    for _ in 0..<19 { clock.note(wallClock: start + Self.year, elapsed: 30_000, in: &clocks) }
    #expect(clocks.deletion == 0)
    clock.note(wallClock: start + Self.year, elapsed: 30_000, in: &clocks)
    #expect(clocks.deletion == start)
    clock.note(wallClock: start + Self.year, elapsed: 30_000, in: &clocks)
    #expect(clocks.deletion == start + Self.year)
  }
}
