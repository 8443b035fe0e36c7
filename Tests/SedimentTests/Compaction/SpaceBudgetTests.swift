import Sediment
import Testing

@Suite struct SpaceBudgetTests {
  private static let slot = 16_384
  /// A store of 8,192 slots of live records, whose segments have 64.
  private static let liveByteCount = 8192 * slot

  private static func budget(
    live: Int = liveByteCount, segment: UInt32 = 64, kept: UInt32 = 0, slack: UInt32 = 4
  ) -> SpaceBudget {
    SpaceBudget(liveByteCount: live, segmentSlotCount: segment, keptSlotCount: kept, slackSlotCount: slack)
  }

  @Test func `Compaction is due at 1.35 times the live bytes and two segments, head and kept slots included`()
  {
    #expect(Self.budget().dueSlotCount == 8192 + 2867 + 128 - 2)
    #expect(Self.budget(kept: 130).dueSlotCount == 8192 + 2867 + 128 - 2 - 130)
    // A small store may have more dead records, whatever is kept.
    #expect(Self.budget(live: 10 * Self.slot, segment: 1, kept: 100, slack: 64).dueSlotCount == 10 + 64)
    #expect(Self.budget(live: -1, segment: 1, slack: 0).dueSlotCount == 0)
    // Nothing overflows: no file is larger than two TiB.
    let largest = Self.budget(live: 1 << 41, segment: 4096)
    #expect(largest.dueSlotCount == 181_202_122)
    #expect(Self.budget(live: .max, segment: 4096) == largest)
    #expect(largest.gainSlotCount(at: .max) == 3 * 4096)
  }

  @Test func `An exchange wins half a segment, and more only where compaction is far behind`() {
    let budget = Self.budget()
    let due = budget.dueSlotCount
    #expect(budget.leastGainSlotCount == 32)
    for (recordSlotCount, gain): (UInt32, UInt32) in [
      (0, 32), (due, 32), (due + 256, 32), (due + 256 + 64, 32), (due + 256 + 66, 33),
      (due + 256 + 384, 192),
      (due + 5000, 192), (.max, 192),
    ] {
      #expect(budget.gainSlotCount(at: recordSlotCount) == gain)
    }
    // A slot at a time would hardly be worth a change of the catalogue.
    #expect(Self.budget(live: Self.slot, segment: 1, slack: 64).gainSlotCount(at: .max) == 16)
    #expect(Self.budget(live: Self.slot, segment: 1, slack: 0).leastGainSlotCount == 1)
  }
}
