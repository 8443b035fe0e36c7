internal import SedimentFormat

/// How many slots segments with records may take before compaction is due (DESIGN.md 8, "Policy").
package struct SpaceBudget: Hashable, Sendable {
  /// From here on compaction is due.
  package let dueSlotCount: UInt32
  /// What an exchange should win.
  package let gainSlotCount: UInt32

  /// `slackSlotCount` is what dead records may take in a small store, in slots.
  package init(
    liveByteCount: Int, segmentSlotCount: UInt32, reservedSlotCount: UInt32, slackSlotCount: UInt32
  ) {
    let live = max(liveByteCount, 0)
    let liveSlotCount = UInt32(clamping: (live + Limits.slotByteCount - 1) / Limits.slotByteCount)
    // The file is to stay below 1.35 times the live bytes and four segments. Of the four, one is what an exchange wins,
    // and one is written while it lasts.
    let slack = UInt32(clamping: live / 100 * 35 / Limits.slotByteCount) + 2 * segmentSlotCount
    let others = reservedSlotCount + Limits.headSlotCount
    let (due, overflow) = liveSlotCount.addingReportingOverflow(
      max(slack > others ? slack - others : 0, slackSlotCount))
    dueSlotCount = overflow ? .max : due
    gainSlotCount = max(segmentSlotCount, min(16, slackSlotCount))
  }
}
