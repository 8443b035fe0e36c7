import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// How long writers wait for compaction: a pure function.
struct WritingPaceTests {
  private static func pace(live: Int, used: UInt32, due: UInt32 = 0, vain: UInt32 = 0) -> WritingPace {
    WritingPace(
      liveByteCount: live * Limits.slotByteCount, usedSlotCount: used, dueSlotCount: due, vainSlotCount: vain)
  }

  @Test func `Nobody waits up to 1.8 times the live bytes and 8 MiB`() {
    #expect(Self.pace(live: 0, used: 512) == .free)
    #expect(Self.pace(live: 1_000, used: 2_312) == .free)
    #expect(Self.pace(live: 1_000, used: 2_313) != .free)
  }

  @Test func `Behind that changes wait the longer the more is dead, up to 4 ms`() {
    #expect(Self.pace(live: 1_000, used: 2_604) == .slowed(UInt64(2_604 - 2_312) * 4_000_000 / 584))
    #expect(Self.pace(live: 1_000, used: 2_895) == .slowed(UInt64(583) * 4_000_000 / 584))
  }

  @Test func `From twice the live bytes and 14 MiB on writers help`() {
    #expect(Self.pace(live: 1_000, used: 2_896) == .helping)
    #expect(Self.pace(live: 0, used: 896) == .helping)
    #expect(Self.pace(live: 0, used: .max) == .helping)
  }

  @Test func `What cannot be won, or is not due, is no reason to wait`() {
    #expect(Self.pace(live: 0, used: 5_000, vain: 5_000) == .free)
    #expect(Self.pace(live: 0, used: 5_256, vain: 5_000) == .free)
    #expect(Self.pace(live: 0, used: 5_600, vain: 5_000) == .helping)
    #expect(Self.pace(live: 0, used: 5_000, due: 4_900) == .free)
  }

  @Test(arguments: accesses)
  func `Removing large values waits for no compaction, and the next set wins their space`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let count = 200
    for number in 0..<count { try fixture.store.set(pattern(150_000, number), forKey: "\(number)") }
    fixture.scheduler.runDue()
    let begin = fixture.disk.callCount
    for number in 0..<count { #expect(try fixture.store.remove(forKey: "\(number)")) }
    let calls = fixture.disk.calls[begin...]
    #expect(!calls.contains { $0.operation == .sync })
    #expect(fixture.store.segments.count { $0.kind == .extent } == count)
    try fixture.store.set("value", forKey: "key")
    #expect(fixture.store.segments.count { $0.kind == .extent } < count / 2)
  }
}
