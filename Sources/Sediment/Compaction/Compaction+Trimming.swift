internal import SedimentDisk
internal import SedimentFormat

extension Compaction {
  /// Gives free slots back to the file system, but for those that will be needed soon, or `spare` of them.
  ///
  /// Slots in the middle become holes, those at the end go.
  func trim(to spare: UInt32?) throws(SedimentError) {
    var end: UInt32
    repeat {
      end = writer.withLock { writer in
        writer.space.reclaimReturned()
        // A shorter file needs less in reserve, and so does one without the long segments that batches made.
        if writer.longestSlotCount > writer.survivorSlotCount { writer.noteLongest() }
        writer.space.reserve = writer.reserve
        return writer.space.end
      }
      try punch { (writer, taken) throws(SedimentError) in slotsToPunch(&writer, spare, &taken) }
      if spare != nil {
        try punch { (writer, taken) throws(SedimentError) in try takeReplaced(&writer, &taken) }
      }
      try punchBare(spare)
      try writer.withLock { (writer) throws(SedimentError) in
        guard writer.poison == nil, !lifetime.isClosed else { return }
        try cutEnd(&writer, spare)
        writer.chooseReadMode()
      }
    } while writer.withLock({ writer in writer.space.end }) < end
  }

  /// Makes holes of what `take` takes, run by run, until there is nothing more or the file system cannot.
  private func punch(
    _ take: (inout LogWriter, inout Reservation) throws(SedimentError) -> SlotRun?
  ) throws(SedimentError) {
    while true {
      var taken = Reservation(log.returned)
      let run = try writer.withLock { (writer) throws(SedimentError) -> SlotRun? in
        guard writer.poison == nil, !lifetime.isClosed else { return nil }
        return try take(&writer, &taken)
      }
      guard let run else { return }
      let hadBlocks = taken.hasBlocks
      // If this fails, it is not known whether there is a hole: blocks must be allocated before anything is stored there.
      taken.hasBlocks = false
      var isSupported = true
      do throws(SedimentError) {
        try volume.file.punchHole(run.byteRange)
      } catch {
        guard let code = error.systemError?.code, code == .notSupported || code == .invalidArgument else {
          throw lifetime.seenByCaller(error)
        }
        taken.hasBlocks = hadBlocks
        isSupported = false
      }
      writer.withLock { writer in writer.space.reclaim(clean: &taken) }
      if !isSupported { return }
    }
  }

  /// Takes the last free slots out, behind which nothing lies, and gives as many bare ones before them blocks, so that the
  /// file can end sooner; nil if there are none, or no blocks.
  private func takeReplaced(
    _ writer: inout LogWriter, _ taken: inout Reservation
  ) throws(SedimentError) -> SlotRun? {
    guard let last = writer.space.freeRuns.last, last.lowerBound >= writer.catalogue.slots.end,
      let bare = writer.space.bareRuns.first?.prefix(UInt32(last.count)), bare.lowerBound < last.lowerBound
    else { return nil }
    return writer.space.takeLast(try writer.giveBlocks(to: bare), &taken)
  }

  /// Takes some free slots out that are to become a hole: a few at a time, because that takes a while.
  private func slotsToPunch(
    _ writer: inout LogWriter, _ spare: UInt32?, _ taken: inout Reservation
  ) -> SlotRun? {
    guard volume.file.traits.punchesHoles, let excess = excess(writer, spare) else { return nil }
    writer.isTrimming = true
    return writer.space.takeLast(min(excess, Self.punchedSlotCountMax), &taken)
  }

  private static var punchedSlotCountMax: UInt32 { 256 }

  /// How many free slots are more than are needed; nil if they are not worth a call.
  func excess(_ writer: borrowing LogWriter, _ spare: UInt32?) -> UInt32? {
    let kept = writer.space.reservedCount + (spare ?? 2 * writer.segmentSlotCount + 16)
    guard writer.space.freeCount > kept else { return nil }
    let excess = writer.space.freeCount - kept
    // The log goes up and down between two compactions; that is not to reach the file system each time.
    if spare == nil, !writer.isTrimming, excess < max(writer.space.end / 16, 64) { return nil }
    return excess
  }

  // MARK: What an opening found

  /// Makes holes of bare slots that have blocks from before the file was opened, if they have; once is enough.
  private func punchBare(_ spare: UInt32?) throws(SedimentError) {
    guard writer.withLock({ writer in hasIdleBlocks(writer, spare) }) else { return }
    var limit = UInt32.max
    try punch { (writer, taken) throws(SedimentError) in
      let run = writer.space.takeLastBare(Self.punchedSlotCountMax, before: limit, &taken)
      limit = run?.first ?? limit
      return run
    }
    writer.withLock { writer in if !lifetime.isClosed { writer.space.idleStart = .max } }
  }

  /// Whether bare slots have so many blocks that it is worth giving them back.
  func hasIdleBlocks(_ writer: borrowing LogWriter, _ spare: UInt32?) -> Bool {
    let (end, bareCount) = (writer.space.end, writer.space.bareCount)
    let least = spare ?? max(end / 16, 64)
    guard writer.space.unused.idleRun(upTo: 1) != nil, volume.file.traits.punchesHoles, bareCount > least,
      let allocated = try? volume.file.allocatedByteCount()
    else { return false }
    return allocated > SlotSpace.byteCount(of: end - bareCount + least)
  }

  // MARK: The end

  /// Shortens the file by the slots at its end that are free and have no blocks.
  private func cutEnd(_ writer: inout LogWriter, _ spare: UInt32?) throws(SedimentError) {
    writer.space.reclaimReturned()
    writer.isTrimming = false
    let canPunch = volume.file.traits.punchesHoles
    let freeToCut = canPunch ? 0 : excess(writer, spare) ?? 0
    let end = writer.space.unused.endAfterCutting(freeSlots: freeToCut)
    guard end < writer.space.end else { return }
    writer.blockLossCount += 1
    do throws(SedimentError) {
      try volume.shrink(to: SlotSpace.byteCount(of: end))
      try volume.file.truncate(to: SlotSpace.byteCount(of: end))
    } catch {
      throw writer.fail(error)
    }
    writer.space.cut(to: end)
    writer.setWantedFreeCount()
  }
}
