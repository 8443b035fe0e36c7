internal import SedimentFormat

/// How many slots segments with records may take before compaction is due (DESIGN.md 8, "Policy").
package struct SpaceBudget: Hashable, Sendable {
  /// From here on compaction is due.
  package let dueSlotCount: UInt32
  /// What an exchange should win if compaction keeps up.
  package let leastGainSlotCount: UInt32
  private let gainSlotCountMax: UInt32
  /// From here on compaction is behind; four segments more than due are no more than when holes are short for a while.
  private let behindSlotCount: UInt32

  /// `keptSlotCount` is what is free and cannot be used for records, `slackSlotCount` what dead records may take in a
  /// small store, in slots.
  package init(
    liveByteCount: Int, segmentSlotCount: UInt32, keptSlotCount: UInt32, slackSlotCount: UInt32
  ) {
    let live = min(max(liveByteCount, 0), Int(Limits.fileSlotCountMax) * Limits.slotByteCount)
    let liveSlotCount = UInt32((live + Limits.slotByteCount - 1) / Limits.slotByteCount)
    // The file is to stay below 1.35 times the live bytes and four segments. Of the four, one is what the survivors of
    // an exchange take before their victims come free, and one is written while it lasts.
    let slack = UInt32(live / 100 * 35 / Limits.slotByteCount) + 2 * segmentSlotCount
    let others = keptSlotCount + Limits.headSlotCount
    dueSlotCount = liveSlotCount + max(slack > others ? slack - others : 0, slackSlotCount)
    behindSlotCount = dueSlotCount + 4 * segmentSlotCount
    // Each exchange is one change of the catalogue and, where slots are short, one sync.
    leastGainSlotCount = max(segmentSlotCount / 2, min(16, slackSlotCount), 1)
    gainSlotCountMax = max(3 * segmentSlotCount, leastGainSlotCount)
  }

  /// What an exchange should win where segments with records take so many slots.
  ///
  /// The survivors of a small one take few slots before those of their victims come free; one that is behind spends
  /// its time on records rather than on syncs.
  package func gainSlotCount(at recordSlotCount: UInt32) -> UInt32 {
    let excess = recordSlotCount > behindSlotCount ? recordSlotCount - behindSlotCount : 0
    return min(max(excess / 2, leastGainSlotCount), gainSlotCountMax)
  }
}
