import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// What compaction keeps, leaves out and gives back, on a simulated disk.
@Suite struct StoreCompactionTests {
  /// A store whose background does nothing about space by itself.
  private static func fixture(_ access: SedimentOptions.Access = .automatic) throws -> StoreFixture {
    try StoreFixture(access, compaction: .manual)
  }

  /// Fills about a segment with keys that stay.
  private static func fillSegment(_ store: SedimentStore, _ name: String) throws {
    for number in 0..<15 { try store.set(pattern(1_000, number), forKey: "\(name)-\(number)") }
  }

  private static func checkSegment(_ store: SedimentStore, _ name: String) throws {
    for number in 0..<15 {
      #expect(try same(store.retrieve(forKey: "\(name)-\(number)"), pattern(1_000, number)))
    }
  }

  @Test(arguments: accesses)
  func `What was replaced is won back, and what is live stays`(access: SedimentOptions.Access) throws {
    let fixture = try Self.fixture(access)
    for round in 0..<20 {
      for number in 0..<50 { try fixture.store.set(pattern(1_000, round + number), forKey: "\(number)") }
    }
    let before = fixture.store.statistics
    #expect(before.fileByteCount > 1_000_000)
    try fixture.store.compact()
    let after = fixture.store.statistics
    #expect(after.liveByteCount == before.liveByteCount)
    #expect(after.deadByteCount < 40_000)
    #expect(try #require(fixture.disk.allocatedByteCount(of: StoreFixture.path)) < 50 * 1_100 + 300_000)
    #expect(fixture.disk.violations.first == nil)
    for _ in 0..<2 {
      #expect(try fixture.store.count() == 50)
      for number in 0..<50 {
        #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(1_000, 19 + number)))
      }
      try fixture.reopen()
    }
  }

  @Test(arguments: accesses)
  func `A tombstone stays as long as a segment holds what it hides`(access: SedimentOptions.Access) throws {
    let fixture = try Self.fixture(access)
    // The value that is removed lies in a segment that is live for the most part, so it is not worth emptying: the
    // spacer fills the one before.
    try fixture.store.set(pattern(16_100), forKey: "spacer")
    try fixture.store.set("old", forKey: "removed")
    try Self.fillSegment(fixture.store, "cold")
    try fixture.store.set(pattern(810), forKey: "rest")
    // The tombstone lies in one that is dead for the most part.
    try fixture.store.remove(forKey: "removed")
    for _ in 0..<40 { try fixture.store.set(pattern(1_000), forKey: "hot") }
    for _ in 0..<3 {
      try fixture.store.compact()
      #expect(fixture.store.statistics.movedByteCount > 0)
      try fixture.close()
      try fixture.open()
      #expect(try !fixture.store.contains("removed"))
      try Self.checkSegment(fixture.store, "cold")
      for _ in 0..<40 { try fixture.store.set(pattern(1_000), forKey: "hot") }
    }
    #expect(try Self.tombstoneCount(fixture) == 1)
  }

  @Test func `A tombstone goes with the last record that it hides`() throws {
    let fixture = try Self.fixture()
    try fixture.store.set("old", forKey: "removed")
    try Self.fillSegment(fixture.store, "cold")
    try fixture.store.remove(forKey: "removed")
    try Self.fillSegment(fixture.store, "more")
    for number in 0..<14 { try fixture.store.set(pattern(1_000, number), forKey: "cold-\(number)") }
    for number in 0..<14 { try fixture.store.set(pattern(1_000, number), forKey: "more-\(number)") }
    try fixture.store.compact()
    try fixture.store.compact()
    #expect(try Self.tombstoneCount(fixture) == 0)
    try fixture.reopen()
    #expect(try !fixture.store.contains("removed"))
    try Self.checkSegment(fixture.store, "cold")
    try Self.checkSegment(fixture.store, "more")
  }

  /// The tombstones in all segments, as a fresh look at the file tells.
  private static func tombstoneCount(_ fixture: StoreFixture) throws -> Int {
    try fixture.store.checkpoint()
    return fixture.store.segments.reduce(0) { $0 + $1.tombstoneCount }
  }

  @Test(arguments: accesses)
  func `The space of large values comes back once they are replaced, removed or cleared`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.fixture(access)
    let users = try fixture.store.collection("users")
    for round in 0..<5 {
      for number in 0..<4 { try fixture.store.set(pattern(300_000, round), forKey: "\(number)") }
      try users.set(pattern(400_000, round), forKey: "large")
      try fixture.store.batch { batch in
        batch.set(pattern(200_000, 1), forKey: "a", in: users)
        batch.remove(forKey: "0")
      }
    }
    try fixture.store.compact()
    var used = fixture.store.statistics.usedByteCount
    #expect(used < 3 * 300_000 + 600_000 + 400_000)
    try users.removeAll()
    while fixture.scheduler.runDue() > 0 {}
    try fixture.store.compact()
    used = fixture.store.statistics.usedByteCount
    #expect(used < 3 * 300_000 + 300_000)
    for _ in 0..<2 {
      for number in 1..<4 {
        #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(300_000, 4)))
      }
      #expect(try fixture.store.count() == 3)
      try fixture.reopen()
    }
    try fixture.store.removeEverything()
    try fixture.store.compact()
    used = fixture.store.statistics.usedByteCount
    #expect(used < 200_000)
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `A value that is read in place stays while its segment is emptied and used again`() throws {
    let fixture = try Self.fixture()
    try fixture.store.set(pattern(5_000, 7), forKey: "read")
    for number in 0..<30 { try fixture.store.set(pattern(3_000), forKey: "\(number % 2)") }
    try fixture.store.withValue(forKey: "read") { value in
      try fixture.store.compact()
      for number in 0..<300 { try fixture.store.set(pattern(3_000, number), forKey: "\(number % 2)") }
      try fixture.store.compact()
      #expect(same([UInt8](sedimentBytes: value), pattern(5_000, 7)))
    }
    try fixture.store.compact()
    #expect(try same(fixture.store.retrieve(forKey: "read"), pattern(5_000, 7)))
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `What compaction moves takes what it has freed, so that the file hardly grows`() throws {
    let fixture = try Self.fixture()
    for round in 0..<3 {
      for number in 0..<2_000 where number % 3 == round || round == 0 {
        try fixture.store.set(pattern(1_000, round + number), forKey: "\(number)")
      }
    }
    let before = fixture.store.statistics
    var largest: UInt64 = 0
    try fixture.store.compact { _ in
      largest = max(largest, fixture.store.statistics.fileByteCount)
      return .continue
    }
    let after = fixture.store.statistics
    #expect(after.deadByteCount < 100_000 && before.deadByteCount > 1_000_000)
    #expect(largest <= before.fileByteCount + 800_000)
  }

  @Test func `Compaction may be stopped, and what it did stays`() throws {
    let fixture = try Self.fixture()
    for round in 0..<100 {
      for number in 0..<20 { try fixture.store.set(pattern(1_000, round + number), forKey: "\(number)") }
      // So that no segment is wholly dead: those are all freed at once.
      for number in 0..<2 { try fixture.store.set(pattern(1_000), forKey: "kept \(round) \(number)") }
    }
    var last = SedimentProgress(completedByteCount: 0, totalByteCount: 0)
    let stopped = code {
      try fixture.store.compact { progress in
        last = progress
        return .stop
      }
    }
    #expect(stopped == .cancelled)
    #expect(last.completedByteCount > 0 && last.completedByteCount < last.totalByteCount)
    #expect(fixture.store.statistics.deadByteCount < 2_000_000)
    var calls = 0
    try fixture.store.compact { progress in
      calls += 1
      last = progress
      return .continue
    }
    #expect(calls > 1)
    #expect(last.completedByteCount == last.totalByteCount)
    for number in 0..<20 {
      #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(1_000, 99 + number)))
    }
  }

  @Test func `Compaction that is off moves nothing, and says so`() throws {
    let fixture = try StoreFixture(compaction: .off)
    for number in 0..<2_000 { try fixture.store.set(pattern(1_000), forKey: "\(number % 3)") }
    while fixture.scheduler.runDue() > 0 {}
    #expect(code { try fixture.store.compact() } == .invalidArgument)
    #expect(fixture.store.statistics.movedByteCount == 0)
    #expect(fixture.store.statistics.fileByteCount > 2_000_000)
  }

  @Test func `A damaged record stops the emptying of its segment alone, and is told`() throws {
    let fixture = try StoreFixture(compaction: .manual, isObserved: true)
    for number in 0..<15 { try fixture.store.set(pattern(1_000, number), forKey: "\(number)") }
    for number in 0..<200 { try fixture.store.set(pattern(1_000, number), forKey: "hot") }
    for number in 0..<10 { try fixture.store.remove(forKey: "\(number)") }
    let offset = try #require(fixture.contents.firstRange(of: pattern(1_000, 12)))
    fixture.disk.flipBit(1, ofByte: offset.lowerBound + 10, in: StoreFixture.path)
    #expect(code { try fixture.store.compact() } == .damaged)
    try fixture.store.compact()
    #expect(fixture.store.statistics.fileByteCount < 400_000)
    #expect(code { _ = try fixture.store.retrieve(forKey: "12") } == .damaged)
    for number in [10, 11, 13, 14] {
      #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(1_000, number)))
    }
  }

  @Test(arguments: accesses)
  func `What was moved when a sync failed and dropped it is made durable by the next opening`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.fixture(access)
    for number in 0..<30 { try fixture.store.set(pattern(1_000, number), forKey: "\(number)") }
    for number in 0..<400 {
      try fixture.store.set(pattern(1_000, number % 30), forKey: "\(number % 15)")
      // So that no segment is wholly dead, and compaction moves something in each step.
      if number % 10 == 0 { try fixture.store.set(pattern(1_000, number), forKey: "kept \(number)") }
    }
    try fixture.store.sync()
    // What the first step moved is not synced yet when it ends.
    let failed = code {
      try fixture.store.compact { _ in
        fixture.disk.inject(.droppedSync(.inputOutput), only: [.sync])
        return .continue
      }
    }
    #expect(failed == .outcomeUnknown)
    #expect(fixture.store.statistics.movedByteCount > 0)
    let killed = fixture.disk.afterProcessDeath()
    let after = try SedimentStore(path: StoreFixture.path, options: fixture.options, disk: killed)
    for number in 0..<30 { #expect(try after.contains("\(number)")) }
    let image = killed.afterPowerLoss(.nothing)
    let again = try SedimentStore(path: StoreFixture.path, options: fixture.options, disk: image)
    for number in 0..<15 {
      #expect(try same(again.retrieve(forKey: "\(number + 15)"), pattern(1_000, number + 15)))
    }
  }

  @Test(arguments: accesses)
  func `A full store overwrites for ever`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access, maxByteCount: 1 << 20, compaction: .manual)
    for number in 0..<2_000 { try fixture.store.set(pattern(3_000, number), forKey: "\(number % 100)") }
    #expect(fixture.store.statistics.fileByteCount <= 1 << 20)
    for number in 1_900..<2_000 {
      #expect(try same(fixture.store.retrieve(forKey: "\(number % 100)"), pattern(3_000, number)))
    }
    try fixture.reopen()
    #expect(try fixture.store.count() == 100)
    #expect(fixture.disk.violations.first == nil)
  }
}
