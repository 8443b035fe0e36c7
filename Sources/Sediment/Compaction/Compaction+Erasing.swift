internal import SedimentDisk
internal import SedimentFormat

// How a call erases what is dead (DESIGN.md 8, "Erasing"): free slots are overwritten, what lives is written anew to these,
// and the slots that it leaves are overwritten before they become free.

extension Compaction {
  /// Overwrites all slots that nobody uses, and cuts off what the file has after its slots.
  func eraseFreeSlots() throws(SedimentError) {
    try eraseReserved()
    var limit = UInt32.max
    while let next = try eraseFree(before: limit) { limit = next }
    limit = .max
    while let run = takeBare(before: limit) {
      limit = run.lowerBound
      try eraseBare(run)
    }
    try writer.withLock { (writer) throws(SedimentError) in
      let end = SlotSpace.byteCount(of: writer.space.end)
      guard writer.poison == nil, !lifetime.isClosed, try volume.file.byteCount() > end else { return }
      writer.blockLossCount += 1
      try volume.file.truncate(to: end)
    }
  }

  /// So many slots are taken out at a time.
  private static var erasedSlotCount: UInt32 { 256 }

  /// Overwrites slots of reservations that have ended since erasing began.
  func eraseReserved() throws(SedimentError) {
    while let run = writer.withLock({ writer -> SlotRun? in
      writer.takeBackReserved()
      return writer.runsToErase.popLast()
    }) {
      do throws(SedimentError) {
        let hasBlocks = try log.overwrite(run.first..<run.end)
        writer.withLock { writer in writer.giveBackReserved(run.first..<run.end, hasBlocks: hasBlocks) }
      } catch {
        writer.withLock { writer in writer.runsToErase.append(run) }
        throw lifetime.seenByCaller(error)
      }
    }
  }

  /// Overwrites the last free slots before one, and returns the first of them; nil if there are none.
  ///
  /// With the lock, so that nobody finds that there are no free slots.
  private func eraseFree(before limit: UInt32) throws(SedimentError) -> UInt32? {
    do throws(SedimentError) {
      return try writer.withLock { (writer) throws(SedimentError) in
        guard writer.poison == nil, !lifetime.isClosed,
          let run = writer.space.takeLastFree(Self.lockedSlotCount, before: limit)
        else { return nil }
        var hasBlocks = true
        defer { hasBlocks ? writer.space.give(run) : writer.space.giveBare(run) }
        hasBlocks = try log.overwrite(run)
        return run.lowerBound
      }
    } catch {
      throw lifetime.seenByCaller(error)
    }
  }

  /// So many slots are overwritten while the lock is held.
  private static var lockedSlotCount: UInt32 { 16 }

  private func takeBare(before limit: UInt32) -> Range<UInt32>? {
    writer.withLock { writer in
      writer.poison == nil && !lifetime.isClosed
        ? writer.space.takeLastBare(Self.erasedSlotCount, before: limit) : nil
    }
  }

  /// Overwrites what slots have that may have no blocks, and gives these blocks up where the file system can.
  private func eraseBare(_ run: Range<UInt32>) throws(SedimentError) {
    defer { writer.withLock { writer in writer.space.giveBare(run) } }
    do throws(SedimentError) {
      guard volume.file.dataByteCount(in: SlotSpace.byteRange(of: run)) > 0 else { return }
      for slot in run {
        let bytes = SlotSpace.byteRange(of: slot..<slot + 1)
        if volume.file.dataByteCount(in: bytes) > 0 { _ = try log.overwrite(slot..<slot + 1) }
      }
      if volume.file.traits.punchesHoles { try volume.file.punchHole(SlotSpace.byteRange(of: run)) }
    } catch {
      throw lifetime.seenByCaller(error)
    }
  }

  // MARK: What lives

  /// Lets the log and the window go on in slots that were overwritten, and nothing be needed of the slots before; the
  /// result is the generation of the log's segment.
  mutating func leaveSegments() throws(SedimentError) -> Generation {
    let generation = try log.withWriter { (writer) throws(SedimentError) -> Generation in
      try writer.goOnInAnotherSegment()
      return writer.tail.identity.generation
    }
    try log.withWriter { (writer) throws(SedimentError) in try log.renewWindow(&writer) }
    try log.checkpoint(both: true)
    return generation
  }

  /// Moves the records of some segments of earlier generations than `next` and frees these; whether there may be more.
  func moveRecords(
    before next: Generation, where isWanted: (SegmentEntry, borrowing LogWriter) -> Bool = { _, _ in true }
  ) throws(SedimentError) -> Bool {
    _ = try freeDead()
    let (entries, isAnyBlocked) = writer.withLock { writer -> ([SegmentEntry], Bool) in
      let entries = writer.catalogue.segments.filter { entry in
        entry.holdsRecords && entry.identity.generation < next && entry.identity != writer.tail.identity
          && isWanted(entry, writer)
      }
      let free = entries.filter { !isBlocked($0, writer) }
      return (free, free.count < entries.count)
    }
    guard let first = entries.first else {
      // What was adopted lately counts once it is on the medium.
      if isAnyBlocked { try log.checkpoint(both: true) }
      return isAnyBlocked
    }
    var slotCount: UInt32 = 0
    let group = entries.prefix { entry in
      defer { slotCount += entry.identity.run.count }
      return slotCount < Self.erasedSlotCount
    }
    try log.bringBack()
    try exchange(
      group.map(\.identity.generation), in: try surveySpace(), winning: .max, evenForNothing: true)
    let isStill = writer.withLock { writer in
      writer.catalogue.segments[first.identity.generation] != nil
    }
    if isStill { throw .fullForErasing(path) }
    return true
  }

  /// Whether a segment has a tombstone, or a record that the index does not lead to.
  func hasDead(_ entry: SegmentEntry, _ writer: borrowing LogWriter) -> Bool {
    guard let segment = slots.segment(at: UInt64(entry.identity.run.first)) else { return false }
    return entry.tombstoneCount > 0 || Int(entry.recordCount) > segment.counts(writer.permit).liveCount
  }
}

extension SedimentError {
  /// The error where there is no room for what has to be written anew.
  static func fullForErasing(_ path: String) -> SedimentError {
    SedimentError(
      .outOfSpace, path: path,
      message:
        "There is no room to write everything anew that shares slots with what is erased. Make room, and erase again."
    )
  }
}
