import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// Records that do not fit into one slot, in full stores whose free slots lie one by one (invariant 22).
struct StoreLongRecordTests {
  private static func key(_ number: Int, _ byteCount: Int) -> [UInt8] { pattern(byteCount, number) }

  @Test(arguments: [17_000, 40_000, 65_535])
  func `A key of several slots can be removed from a full store in which no slots lie in a row`(
    keyByteCount: Int
  ) throws {
    let fixture = try StoreFixture(maxByteCount: 2 << 20, compaction: .manual)
    let store = fixture.store
    for number in 0..<8 { try store.set("long", forKey: Self.key(number, keyByteCount)) }
    let count = try fixture.fill("slot", valueByteCount: 15_900)
    #expect(count > 20)
    // One slot here and one there, which are filled again by what is short.
    for number in stride(from: 0, to: count, by: 3) { try store.remove(forKey: "slot\(number)") }
    #expect(try fixture.fill("short", valueByteCount: 700) > 20)
    for number in 0..<8 {
      #expect(try store.remove(forKey: Self.key(number, keyByteCount)))
      #expect(try !store.contains(Self.key(number, keyByteCount)))
      #expect(store.accountFindings() == [])
    }
    try fixture.reopen()
    for number in 0..<8 { #expect(try !fixture.store.contains(Self.key(number, keyByteCount))) }
  }

  @Test func `A record of a long key has a segment of its own`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("short", forKey: "before")
    try fixture.store.set("long", forKey: Self.key(1, 20_000))
    try fixture.store.set("short", forKey: "behind")
    try fixture.store.batch { batch in
      batch.set("short", forKey: "in the batch")
      batch.set("long", forKey: Self.key(2, 40_000))
      batch.set("short", forKey: "at its end")
    }
    let counts = fixture.store.segments.sorted { $0.generation < $1.generation }.map { $0.byteCount >> 14 }
    // The log begins in a segment with a checkpoint.
    #expect(counts == [1, 2, 1, 1, 3, 1])
    for _ in 0..<2 {
      #expect(try fixture.store.count() == 6)
      #expect(try fixture.store.retrieve(forKey: Self.key(2, 40_000), as: String.self) == "long")
      try fixture.reopen()
    }
  }

  @Test func `A long key is set in a full store once what lies last has moved to free slots before it`()
    throws
  {
    let fixture = try StoreFixture(maxByteCount: 2 << 20, compaction: .manual)
    let count = try fixture.fill("slot", valueByteCount: 15_900)
    for number in stride(from: 0, to: count, by: 2) { try fixture.store.remove(forKey: "slot\(number)") }
    for number in 0..<4 { try fixture.store.set("long", forKey: Self.key(number, 65_535)) }
    for _ in 0..<2 {
      for number in 0..<4 {
        #expect(try fixture.store.retrieve(forKey: Self.key(number, 65_535), as: String.self) == "long")
      }
      for number in stride(from: 1, to: count, by: 2) {
        #expect(try same(fixture.store.retrieve(forKey: "slot\(number)"), pattern(15_900, number)))
      }
      #expect(fixture.store.accountFindings() == [])
      try fixture.reopen()
    }
  }

  @Test(arguments: [SedimentCompression.off, .zstd(level: 1)])
  func `Compaction stores a long value anew in scattered slots where its record finds none in a row`(
    compression: SedimentCompression
  ) throws {
    let fixture = try StoreFixture(maxByteCount: 16 << 20, compaction: .manual, compression: compression)
    let store = fixture.store
    let isPacked = compression != .off
    func long(_ number: Int) -> [UInt8] { isPacked ? Samples.text(70_000 + number) : pattern(30_000, number) }
    // Each in a segment with a record that dies.
    for number in 0..<30 {
      try store.set(long(number), forKey: "long \(number)")
      try store.set(pattern(10_000, number), forKey: "dies \(number)")
    }
    let count = try fixture.fill("slot", valueByteCount: 15_900)
    for number in stride(from: 0, to: count, by: 2) { try store.remove(forKey: "slot\(number)") }
    _ = try fixture.fill("one", valueByteCount: 15_900)
    for number in 0..<30 { try store.remove(forKey: "dies \(number)") }
    var more = 0
    while code({ try store.set(pattern(15_900, more), forKey: "more \(more)") }) == nil { more += 1 }
    #expect(more > 5)
    for _ in 0..<2 {
      for number in 0..<30 {
        #expect(try same(fixture.store.retrieve(forKey: "long \(number)"), long(number)))
      }
      #expect(fixture.store.accountFindings() == [])
      try fixture.reopen()
    }
  }
}
