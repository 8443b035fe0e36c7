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
    while let next = try eraseBare(before: limit) { limit = next }
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
    while true {
      var reservation = Reservation(log.returned)
      guard let run = writer.withLock({ writer in writer.space.takeRunToErase(&reservation) }) else { return }
      do throws(SedimentError) {
        reservation.hasBlocks = try log.overwrite(run.first..<run.end)
      } catch {
        throw lifetime.seenByCaller(error)
      }
      writer.withLock { writer in writer.space.reclaim(clean: &reservation) }
    }
  }

  /// Overwrites the last free slots before one, and returns the first of them; nil if there are none.
  ///
  /// With the lock, so that nobody finds that there are no free slots.
  private func eraseFree(before limit: UInt32) throws(SedimentError) -> UInt32? {
    do throws(SedimentError) {
      return try writer.withLock { (writer) throws(SedimentError) in
        var reservation = Reservation(log.returned)
        guard writer.poison == nil, !lifetime.isClosed,
          let run = writer.space.takeLast(Self.lockedSlotCount, before: limit, &reservation)
        else { return nil }
        reservation.hasBlocks = try log.overwrite(run.first..<run.end)
        writer.space.reclaim(clean: &reservation)
        return run.first
      }
    } catch {
      throw lifetime.seenByCaller(error)
    }
  }

  /// So many slots are overwritten while the lock is held.
  private static var lockedSlotCount: UInt32 { 16 }

  /// Overwrites what slots have that may have no blocks, and gives these blocks up where the file system can; returns the
  /// first of them, nil if there are none before `limit`.
  private func eraseBare(before limit: UInt32) throws(SedimentError) -> UInt32? {
    var reservation = Reservation(log.returned)
    let taken = writer.withLock { writer -> SlotRun? in
      guard writer.poison == nil, !lifetime.isClosed else { return nil }
      return writer.space.takeLastBare(Self.erasedSlotCount, before: limit, &reservation)
    }
    guard let taken else { return nil }
    let run = taken.first..<taken.end
    do throws(SedimentError) {
      if volume.file.dataByteCount(in: SlotSpace.byteRange(of: run)) > 0 {
        for slot in run {
          let bytes = SlotSpace.byteRange(of: slot..<slot + 1)
          if volume.file.dataByteCount(in: bytes) > 0 { _ = try log.overwrite(slot..<slot + 1) }
        }
        if volume.file.traits.punchesHoles { try volume.file.punchHole(SlotSpace.byteRange(of: run)) }
      }
    } catch {
      throw lifetime.seenByCaller(error)
    }
    writer.withLock { writer in writer.space.reclaim(clean: &reservation) }
    return taken.first
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
    try log.syncAndReclaim()
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
