internal import SedimentDisk
internal import SedimentFormat

extension Engine {
  /// Gives free slots back to the file system, but for those that will be needed soon, or `spare` of them.
  ///
  /// Slots in the middle become holes, those at the end go. With the lock of maintenance.
  func trim(to spare: UInt32?) throws(SedimentError) {
    guard let writer else { return }
    lock.withLock { _ = writer.giveBackPrepared() }
    while let run = lock.withLock({ slotsToPunch(writer, spare) }) {
      do throws(DiskError) {
        try log.file.punchHole(SlotSpace.byteRange(of: run))
      } catch  where error.code == .notSupported || error.code == .invalidArgument {
        // They may be used as they are.
        lock.withLock { writer.space.give(run) }
        break
      } catch {
        // Whether there is a hole now is not known, so there must be blocks before anything is stored there.
        lock.withLock { writer.space.giveBare(run) }
        throw told(error)
      }
      lock.withLock { writer.space.giveBare(run) }
    }
    try lock.withLock { () throws(SedimentError) in
      guard writer.poison == nil, !conditions.isClosed else { return }
      try cutEnd(writer, spare)
    }
  }

  /// Takes some free slots out that are to become a hole: a few at a time, because that takes a while.
  private func slotsToPunch(_ writer: LogWriter, _ spare: UInt32?) -> Range<UInt32>? {
    guard log.file.traits.punchesHoles, writer.poison == nil, !conditions.isClosed else { return nil }
    guard let excess = excess(writer, spare) else { return nil }
    writer.isTrimming = true
    guard let run = writer.space.takeLast(min(excess, Self.punchedSlotCountMax)) else { return nil }
    log.exclude(SlotSpace.byteRange(of: run))
    return run
  }

  private static var punchedSlotCountMax: UInt32 { 256 }

  /// How many free slots are more than are needed; nil if they are not worth a call.
  func excess(_ writer: LogWriter, _ spare: UInt32?) -> UInt32? {
    let kept = writer.space.reservedCount + (spare ?? 2 * writer.segmentSlotCount + 16)
    guard writer.space.freeCount > kept else { return nil }
    let excess = writer.space.freeCount - kept
    // The log goes up and down between two compactions; that is not to reach the file system each time.
    if spare == nil, !writer.isTrimming, excess < max(writer.space.end / 16, 64) { return nil }
    return excess
  }

  /// Shortens the file by the slots at its end that are free and have no blocks.
  private func cutEnd(_ writer: LogWriter, _ spare: UInt32?) throws(SedimentError) {
    writer.isTrimming = false
    let canPunch = log.file.traits.punchesHoles
    let freeToCut = canPunch ? 0 : excess(writer, spare) ?? 0
    let end = writer.space.endAfterCutting(freeSlots: freeToCut)
    guard end < writer.space.end, log.canShrink(to: SlotSpace.byteCount(of: end)) else { return }
    writer.blockLossCount += 1
    do throws(DiskError) {
      try log.shrink(to: SlotSpace.byteCount(of: end))
      try log.file.truncate(to: SlotSpace.byteCount(of: end))
    } catch {
      throw writer.fail(error)
    }
    writer.space.cut(to: end)
    writer.setWantedFreeCount()
  }
}
