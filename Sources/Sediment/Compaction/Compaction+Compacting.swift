internal import SedimentDisk
internal import SedimentFormat

// How a call of the user wins back all that is dead.

extension Compaction {
  /// Lets the log go on in another segment, if the present one holds much that is dead, and makes a checkpoint, so
  /// that no superblock needs what is before.
  mutating func prepareCompacting() throws(SedimentError) {
    try findLostExtents()
    let isWorthIt = try log.withWriter { (writer) throws(SedimentError) in
      _ = try log.freeDeadExtents(&writer)
      writer.noteClocks()
      let survey = surveySpace(&writer)
      let used = Int(writer.tail.offset) - Int(writer.tail.segment.start)
      let isTailWorthIt = used - survey.tail.liveByteCount > survey.tail.byteCount / 4
      if isTailWorthIt { try writer.goOnInAnotherSegment() }
      let expired = writer.ledger.expired(upTo: writer.expiredUpTo(evicting: false))
      return isTailWorthIt || writer.ledger.hasDead || expired.contains { _ in true }
        || writer.ledger.hiddenByteCount > 0
    }
    if isWorthIt { try log.checkpoint(both: true) }
  }

  /// Wins some space of segments of earlier generations; how many slots.
  func compactSome(before next: Generation) throws(SedimentError) -> Int {
    try log.reclaim()
    let emptying = try freeDead()
    let survey = try surveySpace()
    // What was freed takes what is moved next, before the file grows for that.
    let (freed, free) = writer.withLock { writer in (writer.freedSlotCount, writer.space.freeCount) }
    if freed > 0, free < 2 * survey.segmentSlotCount { try log.bringBack() }
    let choice = choose(.everything, survey, before: next)
    if choice.victims.isEmpty { return Int(emptying.freedSlotCount) }
    let gain = Int(max(survey.segmentSlotCount, survey.budget.leastGainSlotCount))
    do throws(SedimentError) {
      return try exchange(
        choice.victims, in: survey, evicting: false, winning: gain,
        keepingAtMost: .max, evenForNothing: choice.isForTombstones)
    } catch  where error.code == .outOfSpace {
      // Where there is no room to move anything, nothing more can be won.
      return 0
    }
  }

  /// Makes room once for a change that found none; whether anything came back.
  mutating func makeSpaceOnce(
    since before: UInt64, isBehindVain: Bool
  ) throws(SedimentError) -> Bool {
    // Behind attempts that won no more than they took, what came back by itself is not enough either.
    if isBack(since: before), !isBehindVain { return true }
    try log.reclaim()
    if isBack(since: before), !isBehindVain { return true }
    try log.bringBack()
    if isBack(since: before), !isBehindVain { return true }
    if log.isHeldByReaders() { return false }
    contents.sweepAtOnce()
    do throws(SedimentError) {
      try findLostExtents()
      let (survey, hasFreed) = try log.withWriter { (writer) throws(SedimentError) in
        let hasFreedExtents = try log.freeDeadExtents(&writer)
        let hasFreed = try freeEmptied(&writer).freedSlotCount > 0 || hasFreedExtents
        var survey = surveySpace(&writer)
        // Whatever the file could grow by, the disk has not.
        survey.isFull = true
        return (survey, hasFreed)
      }
      if !hasFreed || isBehindVain {
        let gain = try makeRoom(in: survey, isBehindVain: isBehindVain)
        if gain == .nothing, !hasFreed { return false }
      }
    } catch  where error.code == .outOfSpace {
      // There is no room even for what would make some, unless something comes back.
    }
    return try log.bringBack()
  }

  /// Whether slots came back since so many had.
  private func isBack(since before: UInt64) -> Bool {
    writer.withLock { writer in writer.reclaimedSlotCount != before }
  }
}
