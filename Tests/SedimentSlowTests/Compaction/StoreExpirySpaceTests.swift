import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// What expires among what stays gives its space back, whatever its lifetimes are, and by whoever opens the store.
struct StoreExpirySpaceTests {
  /// How the lifetimes of values are mixed.
  enum Mixture: CaseIterable {
    /// One in fifty stays.
    case staying
    /// One in fifty lives for a year, and what is about it for an hour.
    case longLived
    /// Every other one stays.
    case half
    /// One in fifty stays, and large values expire.
    case large

    /// How many of the values, which are set once a second, have not expired of so many.
    func heldCount(of count: Int) -> Int {
      let isHalf = self == .half
      return (isHalf ? count / 2 : count / 50) + min(count, 3_600)
    }

    func lifetime(of number: Int) -> SedimentExpiry {
      switch self {
      case .staying, .large: number % 50 == 0 ? .never : .after(.seconds(3_600))
      case .longLived: .after(.seconds(number % 50 == 0 ? 365 * 86_400 : 3_600))
      case .half: number % 2 == 0 ? .never : .after(.seconds(3_600))
      }
    }

    func byteCount(of number: Int) -> Int { self == .large && number % 50 == 25 ? 100_000 : 400 }
  }

  /// The bytes of all segments with what users set.
  private static func takenByteCount(_ store: SedimentStore) -> Int {
    store.segments.reduce(0) { sum, segment in
      switch segment.kind {
      case .hot, .survivors, .extent: sum + Int(segment.byteCount)
      default: sum
      }
    }
  }

  @Test(arguments: Mixture.allCases, [false, true])
  func `Records take no more than twice what has not expired`(mixture: Mixture, isReopened: Bool) throws {
    let fixture = try StoreFixture()
    let valueByteCount = mixture == .large ? 400 + 2_100 : 400
    for number in 0..<40_000 {
      try fixture.store.set(
        pattern(mixture.byteCount(of: number), number), forKey: "\(number)",
        expiry: mixture.lifetime(of: number))
      fixture.disk.advanceClocks(by: .seconds(1))
      guard number % 100 == 0 else { continue }
      fixture.scheduler.runDue()
      if isReopened, number % 2_000 == 0 { try fixture.reopen() }
      let held = mixture.heldCount(of: number) * (valueByteCount + 40)
      let taken = Self.takenByteCount(fixture.store)
      #expect(taken <= 2 * held + 2 << 20, "after \(number)")
    }
    #expect(fixture.store.accountFindings() == [])
  }

  @Test func `Large values that are renewed before they expire do not make what lies beside them look empty`()
    throws
  {
    let fixture = try StoreFixture(maxByteCount: 16 << 20)
    var refusedCount = 0
    for number in 0..<20_000 {
      fixture.disk.advanceClocks(by: .seconds(2))
      let isLarge = number % 20 == 0
      let key = isLarge ? "large \(number / 20 % 30)" : "small \(number % 9_000)"
      let value = pattern(isLarge ? 100_000 : 600, number)
      let expiry = isLarge ? SedimentExpiry.after(.seconds(3_600)) : .never
      if code({ try fixture.store.set(value, forKey: key, expiry: expiry) }) != nil { refusedCount += 1 }
      if number % 100 == 0 { fixture.scheduler.runDue() }
    }
    #expect(refusedCount == 0)
    // What is live is not moved again and again for what only seems to have expired.
    #expect(fixture.store.statistics.writeAmplification < 3)
    #expect(fixture.store.accountFindings() == [])
  }

  @Test func `What expired while a store was closed comes back though hardly anything is set`() throws {
    let fixture = try StoreFixture()
    for number in 0..<20_000 {
      try fixture.store.set(
        pattern(400, number), forKey: "\(number)",
        expiry: number % 50 == 0 ? .never : .after(.seconds(3_600)))
    }
    try fixture.close()
    fixture.disk.advanceClocks(by: .seconds(7_200))
    try fixture.open()
    for number in 0..<4 {
      try fixture.store.set(pattern(10, number), forKey: "next")
      try fixture.store.sync()
      fixture.scheduler.runDue()
      fixture.disk.advanceClocks(by: .seconds(660))
    }
    while fixture.scheduler.runFirst() {}
    #expect(Self.takenByteCount(fixture.store) < 1 << 20)
    #expect(fixture.store.accountFindings() == [])
  }

  @Test func `What expires at the end of time has not expired before`() {
    var classes = ExpiryClasses()
    classes.add(byteCount: 800, isLarge: true, expiry: Limits.clockMax, now: 1)
    #expect(classes.byteCount(expiredBy: Limits.clockMax - 1 << 20) == 0)
    #expect(classes.largeCount(expiredBy: Limits.clockMax - 1 << 20) == 0)
  }
}
