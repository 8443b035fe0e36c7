import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// Batches that lie in several segments.
struct StoreBatchSegmentsTests {
  private static let memberCount = 60

  /// A capped store with a batch of which each slot holds five members.
  private static func fixture(_ access: SedimentOptions.Access = .automatic) throws -> StoreFixture {
    let fixture = try StoreFixture(access, maxByteCount: 4 << 20, compaction: .manual)
    fixture.options.storesIndex = false
    try fixture.reopen()
    try fixture.store.batch { batch in
      for number in 0..<memberCount { batch.set(pattern(3_000, number), forKey: "member \(number)") }
    }
    return fixture
  }

  private static func expectMembers(_ numbers: some Sequence<Int>, in fixture: StoreFixture) throws {
    for number in numbers {
      #expect(try same(fixture.store.retrieve(forKey: "member \(number)"), pattern(3_000, number)))
    }
  }

  @Test(arguments: accesses)
  func `A batch makes no segment longer than others, and is whole after a death and a close`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.fixture(access)
    // No more than the survivors of an exchange may take.
    #expect(fixture.store.segments.count > 4)
    #expect(fixture.store.segments.allSatisfy { $0.byteCount <= 3 * 16_384 })
    #expect(fixture.store.accountFindings() == [])
    try Self.expectMembers(0..<Self.memberCount, in: fixture)
    // Replayed, since no checkpoint followed; then scanned.
    let dead = try StoreFixture(access, on: fixture.disk.afterProcessDeath())
    #expect(try dead.store.count() == Self.memberCount)
    try Self.expectMembers(0..<Self.memberCount, in: dead)
    #expect(dead.store.accountFindings() == [])
    try fixture.reopen()
    try Self.expectMembers(0..<Self.memberCount, in: fixture)
    try fixture.close()
    #expect(try SedimentStore.verify(path: StoreFixture.path, on: fixture.disk).findings == [])
  }

  @Test func `Segments in the middle of a batch come back, and what is left is intact`() throws {
    let fixture = try Self.fixture()
    // All members of some segments die, and some of the others.
    for number in 0..<Self.memberCount where number / 15 % 2 == 0 || number % 5 == 0 {
      try fixture.store.remove(forKey: "member \(number)")
    }
    let left = (0..<Self.memberCount).filter { $0 / 15 % 2 == 1 && $0 % 5 != 0 }
    #expect(fixture.store.accountFindings() == [])
    let before = fixture.store.segments.count
    // It ends behind a step.
    #expect(code { try fixture.store.compact { _ in .stop } } == .cancelled)
    #expect(fixture.store.segments.count < before)
    #expect(fixture.store.accountFindings() == [])
    try Self.expectMembers(left, in: fixture)
    try fixture.close()
    let findings = try SedimentStore.verify(path: StoreFixture.path, on: fixture.disk).findings
    // Segments that were freed and whose headers are still there.
    #expect(findings.filter { $0.kind != .orphaned }.map(\.description) == [])
    let report = try SedimentStore.salvage(from: StoreFixture.path, to: "data/saved", on: fixture.disk)
    #expect(report.brokenBatchCount == 0)
    try fixture.open()
    #expect(try fixture.store.count() == left.count)
    try Self.expectMembers(left, in: fixture)
  }

  @Test func `A batch whose commit is not there leaves nothing of it, in however many segments it lay`()
    throws
  {
    let fixture = try StoreFixture()
    try fixture.store.set("kept", forKey: "kept", durability: .synced)
    try fixture.store.batch { batch in
      for number in 0..<Self.memberCount { batch.set(pattern(3_000, number), forKey: "member \(number)") }
    }
    // The commit is the last record of the tail's segment.
    let tail = try #require(fixture.store.segments.first { $0.isTail })
    let image = fixture.disk.afterProcessDeath()
    var bytes = try #require(image.contents(of: StoreFixture.path))
    let end = Int(tail.byteOffset + 128 + tail.usedByteCount)
    for place in end - 16..<end { bytes[place] = 0 }
    image.install(bytes, at: StoreFixture.path)
    let opened = try StoreFixture(on: image)
    #expect(try opened.store.keys() == [Array("kept".utf8)])
    #expect(opened.store.accountFindings() == [])
    try opened.store.set("new", forKey: "new")
    try opened.reopen()
    #expect(try opened.store.count() == 2)
  }

  @Test(arguments: [64, 96, 128] as [UInt64])
  func `A batch that fills a small store does not keep it from going on`(slotCount: UInt64) throws {
    let fixture = try StoreFixture(maxByteCount: slotCount << 14, compaction: .manual)
    var count = Int(slotCount) * 4
    while true {
      do {
        try fixture.store.batch { batch in
          for number in 0..<count { batch.set(pattern(3_000, number), forKey: "member \(number)") }
        }
        break
      } catch let error as SedimentError where error.code == .outOfSpace {
        count -= 1
      }
    }
    #expect(UInt64(count) * 3_000 > slotCount << 12)
    for number in 0..<count where number % 5 != 0 { try fixture.store.remove(forKey: "member \(number)") }
    for number in 0..<count / 2 { try fixture.store.set(pattern(3_000, number), forKey: "new \(number)") }
    for number in stride(from: 0, to: count, by: 5) {
      #expect(try same(fixture.store.retrieve(forKey: "member \(number)"), pattern(3_000, number)))
    }
    #expect(fixture.store.accountFindings() == [])
  }
}
