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

  /// Takes out what changes have freed that are on the medium, and no reader and no backup holds; nothing leads there
  /// any more, and it is to be given back.
  func takeReleased(syncedSequence: UInt64, oldestEpoch: UInt64) -> [FreedRun] {
    let ready = freedRuns.filter {
      $0.sequence <= syncedSequence && $0.tag < oldestEpoch && pinned[$0.generation] == nil
    }
    if ready.isEmpty { return [] }
    let generations = Set(ready.map(\.generation))
    freedRuns.removeAll { generations.contains($0.generation) }
    for freed in ready { slots.remove(freed.run) }
    return ready
  }

  /// Gives slots back whose headers have lost their magic.
  func giveBack(_ freed: [FreedRun]) {
    for freed in freed {
      space.give(freed.run.first..<freed.run.end)
      freedSlotCount -= freed.run.count
      reclaimedSlotCount &+= UInt64(freed.run.count)
    }
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
        keptSlotCount: keptSlotCount, slackSlotCount: slackSlotCount
      ).dueSlotCount
  }

  /// The free slots that the log cannot go on in: those of the reserve, and of holes that are too short for it.
  var keptSlotCount: UInt32 {
    space.reservedCount + space.count(inRunsBelow: SegmentSizes.leastRunSlotCount(of: segmentSlotCount))
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
