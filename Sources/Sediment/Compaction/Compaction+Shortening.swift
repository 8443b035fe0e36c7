internal import SedimentDisk
internal import SedimentFormat

// How a file becomes as short as what it holds allows: what lies last is moved to free slots before it.

extension Compaction {
  /// Makes the file as short as what it holds allows; where it is longer than its cap, and may evict, until it is not.
  ///
  /// With the lock of storing the index.
  func shortenToCap() throws(SedimentError) {
    try log.leaveWindowBeyondCap()
    for _ in 0..<Self.attemptCountMax {
      if evicts { try evictDownToCap() }
      var reached = UInt32.max
      var limit: UInt32?
      var isOverlong = false
      repeat {
        reached = limit ?? reached
        try shorten(isStoringExcluded: true)
        try log.syncAndReclaim()
        try trim(to: 0)
        // A shorter file keeps less in reserve, and so can end sooner.
        (limit, isOverlong) = writer.withLock { writer in (endToReach(writer), writer.space.isOverlong) }
      } while limit.map { $0 < reached - (isOverlong ? 0 : reached / 8) } ?? false
      // What was moved may take more than before: its segments may be shorter.
      if !isOverlong { return }
    }
  }

  /// Moves what lies behind the place where the file could end, as far as there is room before that.
  ///
  /// It need not end before `least`. To be called after a compaction; `isStoringExcluded` says that the caller has the lock
  /// of storing the index, too.
  func shorten(
    downTo least: UInt32 = 0, isStoringExcluded: Bool = false
  ) throws(SedimentError) {
    do throws(SedimentError) {
      try log.syncAndReclaim()
      guard let limit = writer.withLock({ writer in endToReach(writer, downTo: least) }) else { return }
      let isIndexInTheWay = writer.withLock { writer in
        writer.space.isOverlong && !writer.fitsBelowCap(withIndex: true)
      }
      try dropStoredIndex(behind: isIndexInTheWay ? 0 : limit, isStoringExcluded)
      writer.withLock { writer in writer.endToReach = limit }
      defer { writer.withLock { writer in writer.endToReach = nil } }
      try log.withWriter { (writer) throws(SedimentError) in
        _ = try writer.goOn(before: limit)
        try log.moveWindow(before: limit, &writer)
      }
      try log.checkpoint(both: true)
      _ = try freeDead()
      // Records need slots in a row, so they come before what may scatter.
      try moveSegments(behind: limit)
      try log.syncAndReclaim()
      try moveLargeValues(behind: limit)
    } catch  where error.code == .outOfSpace {
      // What there is no room for stays where it is.
    }
  }

  /// The slot that the file could end before, if everything lay before it; nil if everything does.
  private func endToReach(_ writer: borrowing LogWriter, downTo least: UInt32 = 0) -> UInt32? {
    // Besides the reserve, which the end of the file has to have room for, the log goes on somewhere.
    var limit = writer.space.usedSlotCount + writer.reservedCountAtCap + writer.segmentSlotCount
    if writer.space.isOverlong, writer.fitsBelowCap(withIndex: false) {
      limit = min(limit, writer.space.slotCountMax)
    }
    limit = max(limit, least)
    return writer.catalogue.slots.end > limit ? limit : nil
  }

  /// Frees a stored index that lies behind a slot in part; the close stores it anew where that pays.
  func dropStoredIndex(
    behind limit: UInt32, _ isStoringExcluded: Bool
  ) throws(SedimentError) {
    // Nobody may be storing it at the same time.
    guard isStoringExcluded || storingLock.tryLock() else { return }
    defer { if !isStoringExcluded { storingLock.unlock() } }
    try log.withWriter { (writer) throws(SedimentError) in
      let parts = writer.catalogue.indexParts.map(\.segment)
      guard parts.contains(where: { $0.run.end > limit }) else { return }
      try log.free(parts, &writer)
      writer.noteUnstored(UInt64(max(writer.liveByteCount, 0)))
    }
  }

  // MARK: Segments

  private func moveSegments(behind limit: UInt32) throws(SedimentError) {
    let entries = writer.withLock { writer in
      writer.catalogue.segments
        .filter { entry in
          let isKnown = writer.ledger.candidate(entry.identity.generation) != nil
          return isKnown && entry.identity.run.end > limit && !isBlocked(entry, writer)
        }
        .sorted { $0.identity.run.first > $1.identity.run.first }
    }
    let longestSlotCount = writer.withLock { writer in
      writer.space.isOverlong ? writer.survivorSlotCount(ofFile: writer.space.slotCountMax) : 1
    }
    var rest = entries[...]
    while !rest.isEmpty {
      var slotCount: UInt32 = 0
      let group = rest.prefix { entry in
        defer { slotCount += entry.identity.run.count }
        return slotCount < Self.movedSlotCountMax
      }
      rest = rest.dropFirst(group.count)
      var survey = try surveySpace()
      // Shorter segments than before would take more than there is.
      survey.segmentSlotCount = max(survey.segmentSlotCount, longestSlotCount)
      try exchange(
        group.map(\.identity.generation), in: survey, winning: .max, evenForNothing: true, before: limit)
    }
  }

  /// About so many slots are moved by one exchange.
  private static var movedSlotCountMax: UInt32 { 256 }

  // MARK: A lower cap

  private static var attemptCountMax: Int { 4 }

  /// Evicts until what the file holds finds room before its cap, as far as there is anything to win.
  private func evictDownToCap() throws(SedimentError) {
    var vainCount = 0
    while vainCount < Self.attemptCountMax {
      _ = try freeDead()
      try log.syncAndReclaim()
      let survey = try surveySpace()
      guard survey.isOverlong, survey.lacksRoom else { return }
      _ = try makeRoom(in: survey, isBehindVain: vainCount > 0)
      try log.syncAndReclaim()
      // A checkpoint frees what the one before it took, each time anew.
      vainCount = hasMoreAvailable(than: survey) ? 0 : vainCount + 1
    }
  }

  /// Moves what lies beyond the cap before it and cuts the file's end off, if all of it finds room there; whether it
  /// was tried, and may be again: the end came nearer, or more has to go first.
  func comeDown() throws(SedimentError) -> Bool {
    guard let end = writer.withLock({ writer in mayComeDown(writer) ? writer.catalogue.slots.end : nil })
    else {
      return false
    }
    try shorten(downTo: writer.withLock { writer in writer.space.slotCountMax })
    try log.syncAndReclaim()
    try trim(to: 0)
    return writer.withLock { writer in
      guard writer.space.isOverlong else { return false }
      let isNearer = writer.catalogue.slots.end < end
      if !isNearer { writer.vainShortening = VainSearch(writer) }
      return isNearer || !writer.fitsBelowCap(withIndex: true)
    }
  }

  /// Whether the file is longer than its cap and need not be.
  func mayComeDown(_ writer: borrowing LogWriter) -> Bool {
    writer.space.isOverlong && writer.fitsBelowCap(withIndex: false)
      && !(writer.vainShortening?.isStill(writer) ?? false)
  }
}
