import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Blocks that nobody uses when a file is opened, since whoever had it open before left before giving them back.
@Suite struct StoreIdleBlocksTests {
  private static let path = StoreFixture.path
  private static let valueByteCount = 10_000

  /// A closed store of 4 MB, of which one value is live and most slots are free, and have blocks all the same.
  private static func leftBehind(punchesHoles: Bool = true) throws -> StoreFixture {
    let traits = FileTraits(
      allocatesBlocks: true, punchesHoles: punchesHoles, clones: false, name: "simulated")
    let fixture = try StoreFixture(on: SimulatedDisk(SimulatedDiskOptions(seed: 1, traits: traits)))
    for number in 0..<400 { try fixture.store.set(pattern(valueByteCount, number), forKey: "\(number)") }
    for number in 1..<400 { try fixture.store.remove(forKey: "\(number)") }
    // Long enough for compaction, too short to be idle.
    for _ in 0..<20 {
      fixture.scheduler.advance(by: 1_000_000)
      try fixture.store.set("changes", forKey: "other")
    }
    let figures = fixture.store.statistics
    #expect(figures.freeByteCount + figures.holeByteCount > 3_500_000)
    try fixture.close()
    #expect(try #require(fixture.disk.allocatedByteCount(of: path)) > 4_000_000)
    return fixture
  }

  private static func check(_ fixture: StoreFixture) throws {
    #expect(try same(fixture.store.retrieve(forKey: "0"), pattern(valueByteCount, 0)))
    #expect(try fixture.store.count() == 2)
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `An idle store gives back the blocks that it found`() throws {
    let fixture = try Self.leftBehind()
    try fixture.open()
    fixture.scheduler.advance(by: 1_000_000_000)
    #expect(try #require(fixture.disk.allocatedByteCount(of: Self.path)) < 1_100_000)
    #expect(fixture.scheduler.pendingCount == 0)
    try Self.check(fixture)
    // The slots are as good as before.
    for number in 400..<800 { try fixture.store.set(pattern(1_000, number), forKey: "\(number)") }
    try fixture.reopen()
    #expect(try fixture.store.count() == 402)
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `A store that finds holes leaves the file alone`() throws {
    let fixture = try Self.leftBehind()
    try fixture.open()
    fixture.scheduler.advance(by: 1_000_000_000)
    try fixture.close()
    let calls = fixture.disk.calls.count
    try fixture.open()
    #expect(fixture.scheduler.pendingCount == 0)
    fixture.scheduler.advance(by: 1_000_000_000)
    #expect(fixture.count(.punchHole, since: calls) == 0)
    try Self.check(fixture)
  }

  @Test func `Compacting by hand gives back the blocks that were found, and nothing else does then`() throws {
    let fixture = try Self.leftBehind()
    fixture.options.compaction = .manual
    try fixture.open()
    fixture.scheduler.advance(by: 1_000_000_000)
    #expect(try #require(fixture.disk.allocatedByteCount(of: Self.path)) > 4_000_000)
    try fixture.store.compact()
    #expect(try #require(fixture.disk.allocatedByteCount(of: Self.path)) < 600_000)
    try Self.check(fixture)
  }

  @Test func `Where there are no holes the blocks stay, and are used again`() throws {
    let fixture = try Self.leftBehind(punchesHoles: false)
    try fixture.open()
    let before = try #require(fixture.disk.allocatedByteCount(of: Self.path))
    fixture.scheduler.advance(by: 1_000_000_000)
    try Self.check(fixture)
    for number in 400..<700 {
      try fixture.store.set(pattern(Self.valueByteCount, number), forKey: "\(number)")
    }
    #expect(try #require(fixture.disk.allocatedByteCount(of: Self.path)) <= before)
  }

  @Test func `A hole that cannot be made is told, and the store goes on`() throws {
    let fixture = try Self.leftBehind()
    fixture.options.compaction = .manual
    try fixture.open()
    fixture.disk.inject(.error(.inputOutput), only: [.punchHole])
    #expect(throws: SedimentError.self) { try fixture.store.compact() }
    try Self.check(fixture)
    try fixture.store.compact()
    #expect(try #require(fixture.disk.allocatedByteCount(of: Self.path)) < 600_000)
    try Self.check(fixture)
  }
}
