internal import SedimentDisk
internal import SedimentFormat

/// A run of slots that was made fit for the log before the log gets there.
struct PreparedRun {
  let run: SlotRun
  /// The seed of the use before; nil if there was none.
  let seedBefore: Checksum?
  /// What of its pages was touched.
  let touched: Range<UInt64>
}

// What is done ahead of the log, so that no write waits for it: pages, and the run of the next segment.

extension LogWriter {
  /// The pages to touch ahead of need; to be populated without the lock.
  func pagesAhead() -> Range<UInt64>? {
    guard touchesPages, isWorthTouching, unsafe tail.pointee.isMapped else { return nil }
    return unsafe file.pagesAhead(of: tail.pointee.offset, in: tail.pointee.identity.run.byteRange)
  }

  /// Whether the file is so large that its pages are touched ahead of need.
  var isWorthTouching: Bool { space.end >= 64 }

  /// Whether a run should be prepared for the next segment.
  ///
  /// Only where segments are so large that it is worth it, and where there is room.
  var wantsRun: Bool {
    prepared == nil && !isPreparing && endToReach == nil && !isOverlong
      && segmentSlotCount >= Self.preparedSlotCountMin
      && space.freeCount >= space.reservedCount + segmentSlotCount
  }

  static let preparedSlotCountMin: UInt32 = 8

  /// Takes a run to be prepared without the lock; nil if none is wanted.
  ///
  /// `endPreparing` has to follow.
  func beginPreparing() -> SlotRun? {
    guard poison == nil, wantsRun, unsafe tail.pointee.isMapped else { return nil }
    let count = min(space.largestRunCount(for: .storing), segmentSlotCount)
    guard count >= max(SegmentSizes.leastRunSlotCount(of: segmentSlotCount), 1),
      let run = space.take(count, for: .storing)
    else { return nil }
    guard file.spare(run.byteRange) else {
      space.give(run.first..<run.end)
      return nil
    }
    unadoptedSlotCount += run.count
    isPreparing = true
    return run
  }

  /// Keeps what was prepared for the next segment, or gives it back if it is nil.
  func endPreparing(_ run: SlotRun, _ prepared: PreparedRun?) {
    isPreparing = false
    self.prepared = prepared
    if prepared == nil { giveBack(unused: run) }
  }

  /// Gives back the run that was prepared, if there is one, because it is needed otherwise or not at all.
  @discardableResult
  func giveBackPrepared() -> Bool {
    guard let run = prepared?.run else { return false }
    prepared = nil
    giveBack(unused: run)
    return true
  }

  private func giveBack(unused run: SlotRun) {
    file.dropPrepared(run.byteRange)
    giveBack(unadopted: run)
  }

  /// Takes the run that was prepared as the next segment; nil if there is none with enough room.
  func takePrepared(roomFor byteCount: Int) -> NextSegment? {
    guard let prepared, prepared.run.count >= Self.leastSlotCount(roomFor: byteCount) else { return nil }
    self.prepared = nil
    let identity = newIdentity(.hot, prepared.run, seedBefore: prepared.seedBefore)
    return NextSegment(identity: identity, touched: prepared.touched)
  }

  /// Gives a segment back that the log does not go on in.
  func giveBack(_ next: NextSegment) {
    if next.touched != nil { file.dropPrepared(next.identity.run.byteRange) }
    giveBack(unadopted: next.identity.run)
  }
}
