import Sediment
import SedimentTesting
import Testing

/// Full stores whose free slots lie one by one.
@Suite struct StoreScatteredTests {
  private static let byteCount: UInt64 = 16 << 20

  /// Sets values of so many bytes until there is no room for another; how many.
  private static func fill(_ fixture: StoreFixture, _ name: String, _ byteCount: Int) throws -> Int {
    var count = 0
    while true {
      let failure = code { try fixture.store.set(pattern(byteCount, count), forKey: "\(name)-\(count)") }
      guard failure == nil else {
        #expect(failure == .outOfSpace)
        return count
      }
      count += 1
    }
  }

  @Test func `A record for which no slots lie in a row does not keep other segments from being emptied`()
    throws
  {
    let fixture = try StoreFixture(maxByteCount: Self.byteCount, compaction: .manual)
    // Two slots each, of which the first record takes more than one; then one slot each.
    for number in 0..<25 {
      try fixture.store.set(pattern(17_000, number), forKey: "long-\(number)")
      try fixture.store.set(pattern(15_000), forKey: "rest-\(number)")
      for short in 0..<10 { try fixture.store.set(pattern(1_500, short), forKey: "short-\(number)-\(short)") }
    }
    // Holes of one slot.
    for number in 0..<100 { try fixture.store.set(pattern(16_000), forKey: "spacer-\(number)") }
    for number in 0..<100 where number % 4 == 0 { try fixture.store.remove(forKey: "spacer-\(number)") }
    try fixture.store.compact()
    // All else.
    #expect(try Self.fill(fixture, "large", 200_000) > 50)
    _ = try Self.fill(fixture, "slot", 16_000)
    // Those of two slots are worth most now.
    for number in 0..<25 {
      #expect(try fixture.store.remove(forKey: "rest-\(number)"))
      for short in 0..<4 { #expect(try fixture.store.remove(forKey: "short-\(number)-\(short)")) }
    }
    for number in 0..<5 { try fixture.store.set(pattern(15_000, number), forKey: "new-\(number)") }
    #expect(fixture.store.statistics.fileByteCount <= Self.byteCount)
    for _ in 0..<2 {
      for number in 0..<25 {
        #expect(try same(fixture.store.retrieve(forKey: "long-\(number)"), pattern(17_000, number)))
        for short in 4..<10 {
          #expect(try same(fixture.store.retrieve(forKey: "short-\(number)-\(short)"), pattern(1_500, short)))
        }
      }
      for number in 0..<5 {
        #expect(try same(fixture.store.retrieve(forKey: "new-\(number)"), pattern(15_000, number)))
      }
      try fixture.reopen()
    }
    #expect(fixture.disk.violations.first == nil)
  }
}
