import Sediment
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
}
