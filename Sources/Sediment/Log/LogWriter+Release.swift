internal import SedimentDisk
internal import SedimentFormat

/// Slots that a change of the catalogue has freed, and that may not be used again yet.
struct FreedRun {
  let run: SlotRun
  let generation: Generation
  /// The sequence of the change, which must be on the medium (invariant 11).
  let sequence: UInt64
  /// The tag behind which no reader is inside that could have found the segment.
  let tag: UInt64
}

// Giving slots back once nothing can lead there any more; all of it under the writer's lock.

extension LogWriter {
  /// Takes note of slots that the change of a sequence has freed; the index leads nowhere into them any more.
  func release(_ run: SlotRun, _ generation: Generation, freedBy sequence: UInt64, tag: UInt64) {
    freedRuns.append(FreedRun(run: run, generation: generation, sequence: sequence, tag: tag))
    freedSlotCount += run.count
  }

  /// Gives back the slots of changes that are on the medium, and that no reader and no backup holds; how many.
  func reclaim(syncedSequence: UInt64, oldestEpoch: UInt64) throws(SedimentError) -> UInt32 {
    var kept: [FreedRun] = []
    var count: UInt32 = 0
    defer {
      freedRuns = kept
      freedSlotCount = kept.reduce(0) { $0 + $1.run.count }
    }
    for (place, freed) in freedRuns.enumerated() {
      guard freed.sequence <= syncedSequence, freed.tag < oldestEpoch, pinned[freed.generation] == nil else {
        kept.append(freed)
        continue
      }
      do throws(SedimentError) {
        try forget(freed)
      } catch {
        kept.append(contentsOf: freedRuns[place...])
        throw error
      }
      count += freed.run.count
    }
    return count
  }

  private func forget(_ freed: FreedRun) throws(SedimentError) {
    slots.remove(freed.run)
    // The magic of the header, so that nobody who walks the slots takes it for a segment.
    let zeros = [UInt8](repeating: 0, count: 8)
    try write(unsafe zeros.span.bytes, at: freed.run.byteRange.lowerBound)
    space.give(freed.run.first..<freed.run.end)
    reclaimedSlotCount &+= UInt64(freed.run.count)
  }

  // MARK: Extents

  /// Lets extents be freed to which nothing leads any more; those that were freed already are passed over.
  func noteDead(_ extents: [SegmentIdentity]) {
    deadExtents.append(contentsOf: extents.filter { catalogue.segments[$0.generation]?.identity == $0 })
  }

  /// Forgets extents that the catalogue does not have any more.
  func forgetFreedExtents() {
    deadExtents.removeAll { catalogue.segments[$0.generation]?.identity != $0 }
  }

  // MARK: Pins

  /// Keeps segments from being given back, though they may be freed, until they are unpinned.
  func pin(_ generations: some Sequence<Generation>) {
    for generation in generations { pinned[generation, default: 0] += 1 }
  }

  /// Ends what `pin` began, for segments that it named.
  func unpin(_ generations: some Sequence<Generation>) {
    for generation in generations {
      guard let count = pinned[generation] else { continue }
      pinned[generation] = count > 1 ? count - 1 : nil
    }
  }

  // MARK: Policy

  /// The slots that a hot segment should have.
  var segmentSlotCount: UInt32 {
    SegmentSizes.hotSlotCount(liveByteCount: liveByteCount, slotCountMax: slotCountMax)
  }

  /// How many free slots there should be for users where the file may not grow, so that nobody has to wait.
  var wantedRoom: UInt32 {
    slotCountMax == Limits.fileSlotCountMax ? 0 : min(3 * segmentSlotCount, max(slotCountMax / 16, 1))
  }

  /// Whether there is something to see to for compaction.
  var wantsMaintenance: Bool {
    if recordSlotCount >= dueSlotCount || deadExtents.count >= Self.deadExtentCountMax { return true }
    if nextExpiry <= expiredUpTo { return true }
    guard slotCountLeft < segmentSlotCount else { return false }
    let present = space.freeCount + space.bareCount + slotCountLeft
    return present < space.reservedCount + wantedRoom
  }

  /// What expired before this time may be deleted.
  ///
  /// In an evicting store it may go at any time, like everything else.
  var expiredUpTo: UInt64 {
    let clocks = catalogue.numbers.clocks
    return evicts ? clocks.highest : clocks.deletion
  }

  /// So many extents wait to be freed at the most.
  private static let deadExtentCountMax = 16

  /// Goes by the accounts for when compaction is due.
  func noteBudget() {
    dueSlotCount =
      SpaceBudget(
        liveByteCount: liveByteCount, segmentSlotCount: segmentSlotCount,
        reservedSlotCount: space.reservedCount, slackSlotCount: slackSlotCount
      ).dueSlotCount
  }

  // MARK: Accounts

  /// The slots of segments that hold records.
  var recordSlotCount: UInt32 {
    let used = space.end - min(space.end, Limits.headSlotCount + space.freeCount + space.bareCount)
    let index = catalogue.indexParts.reduce(0) { $0 + $1.segment.run.count }
    let others = index + extentSlotCount + freedSlotCount + unadoptedSlotCount
    return used > others ? used - others : 0
  }
}
