import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// Full stores whose free slots lie one by one.
@Suite struct StoreScatteredTests {
  private static let byteCount: UInt64 = 16 << 20

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
    #expect(try fixture.fill("large", valueByteCount: 200_000) > 50)
    _ = try fixture.fill("slot", valueByteCount: 16_000)
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

  @Test(arguments: accesses, [SedimentCompression.off, .automatic])
  func `A large value takes slots that lie one by one, where there are no others`(
    access: SedimentOptions.Access, compression: SedimentCompression
  ) throws {
    let fixture = try StoreFixture(
      access, maxByteCount: Self.byteCount, compaction: .manual, compression: compression)
    let isPacked = compression != .off
    let large = isPacked ? Samples.text(700_000) : pattern(200_000)
    // One slot more for the pieces' headers; what would waste most of a slot stands in the record.
    let slotCount: ClosedRange<UInt64> = isPacked ? 9...16 : 12...13
    let count = try fixture.fill("slot", valueByteCount: 16_000)
    for number in 0..<120 where number % 2 == 0 { try fixture.store.remove(forKey: "slot\(number)") }
    try fixture.store.compact()
    func extentSlotCount() -> UInt64 {
      fixture.store.segments.reduce(0) { $1.kind == .extent ? $0 + $1.byteCount >> 14 : $0 }
    }
    #expect(extentSlotCount() == 0)
    for key in ["large", "more"] { try fixture.store.set(large, forKey: key) }
    func check() throws {
      for key in ["large", "more"] {
        #expect(try same(fixture.store.retrieve(forKey: key), large))
        #expect(try fixture.store.withValue(forKey: key) { same(copy($0), large) } == true)
      }
      for number in 120..<count {
        #expect(try same(fixture.store.retrieve(forKey: "slot\(number)"), pattern(16_000, number)))
      }
      #expect(fixture.store.statistics.fileByteCount <= Self.byteCount)
    }
    try check()
    #expect(2 * slotCount.lowerBound...2 * slotCount.upperBound ~= extentSlotCount())
    try fixture.close()
    #expect(try SedimentStore.verify(path: StoreFixture.path, on: fixture.disk).findings == [])
    try fixture.open()
    try check()
    for key in ["large", "more"] { try fixture.store.remove(forKey: key) }
    try fixture.store.compact()
    #expect(extentSlotCount() == 0)
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `A large value evicts hardly more than the bytes that it takes, though slots lie scattered`()
    throws
  {
    let fixture = try StoreFixture()
    try fixture.close()
    fixture.options.capacity = .evicting(maxBytes: 6 << 20)
    try fixture.open()
    var generator = SeededGenerator(seed: 3)
    func use(_ count: Int) throws {
      for step in 0..<count {
        let number = Int.random(in: 0..<10_000, using: &generator)
        try fixture.store.set(pattern(200 + number % 1_500, number), forKey: "\(number)")
        if step % 64 == 0 { fixture.scheduler.runDue() }
      }
    }
    try use(20_000)
    var most = 0
    for number in 0..<20 {
      let before = fixture.store.statistics.liveByteCount
      try fixture.store.set(pattern(200_000, number), forKey: "large-\(number % 3)")
      most = max(most, Int(before) - Int(fixture.store.statistics.liveByteCount))
      #expect(try same(fixture.store.retrieve(forKey: "large-\(number % 3)"), pattern(200_000, number)))
      try use(500)
    }
    #expect(most < 400_000)
  }
}
