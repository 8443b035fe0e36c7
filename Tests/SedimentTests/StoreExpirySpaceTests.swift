import Sediment
import SedimentDisk
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
}
