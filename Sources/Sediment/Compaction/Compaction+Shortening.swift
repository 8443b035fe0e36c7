internal import SedimentDisk
internal import SedimentFormat

// How a file becomes as short as what it holds allows: what lies last is moved to free slots before it.

extension Compaction {
  /// Makes the file as short as what it holds allows.
  ///
  /// With the lock of storing the index.
  func shortenAndTrim() throws(SedimentError) {
    var reached = UInt32.max
    var limit: UInt32?
    var isOverlong = false
    repeat {
      reached = limit ?? reached
      try shorten(isStoringExcluded: true)
      try log.bringBack()
      try trim(to: 0)
      // A shorter file keeps less in reserve, and so can end sooner.
      (limit, isOverlong) = writer.withLock { writer in (endToReach(writer), writer.isOverlong) }
    } while limit.map { $0 < reached - (isOverlong ? 0 : reached / 8) } ?? false
  }

  /// Moves what lies behind the place where the file could end, as far as there is room before that.
  ///
  /// It need not end before `least`. For behind a compaction; `isStoringExcluded` says that the
  /// caller has the lock of storing the index, too.
  func shorten(
    downTo least: UInt32 = 0, isStoringExcluded: Bool = false
  ) throws(SedimentError) {
    do throws(SedimentError) {
      try log.bringBack()
      guard let limit = writer.withLock({ writer in endToReach(writer, downTo: least) }) else { return }
      let isIndexInTheWay = writer.withLock { writer in
        writer.isOverlong && !writer.fitsBelowCap(withIndex: true)
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
      try log.bringBack()
      try moveLargeValues(behind: limit)
    } catch  where error.code == .outOfSpace {
      // What there is no room for stays where it is.
    }
  }

  /// The slot that the file could end before, if everything lay before it; nil if everything does.
  private func endToReach(_ writer: borrowing LogWriter, downTo least: UInt32 = 0) -> UInt32? {
    // Besides the reserve, which the end of the file has to have room for, the log goes on somewhere.
    var limit = writer.usedSlotCount + writer.reservedCountAtCap + writer.segmentSlotCount
    if writer.isOverlong, writer.fitsBelowCap(withIndex: false) { limit = min(limit, writer.slotCountMax) }
    limit = max(limit, least)
    return writer.catalogue.slots.end > limit ? limit : nil
  }

  /// Frees a stored index that lies behind a slot in part; the close stores it anew where that pays.
  private func dropStoredIndex(
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
      writer.catalogue.segments.values
        .filter { entry in
          let isKnown = writer.ledger.candidate(entry.identity.generation) != nil
          return isKnown && entry.identity.run.end > limit && !isBlocked(entry, writer)
        }
        .sorted { $0.identity.run.first > $1.identity.run.first }
    }
    let longestSlotCount = writer.withLock { writer in
      writer.isOverlong ? writer.survivorSlotCount(ofFile: writer.slotCountMax) : 1
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
      _ = try exchange(
        group.map(\.identity.generation), in: survey, evicting: false, winning: .max,
        keepingAtMost: .max, evenForNothing: true, before: limit)
    }
  }

  /// About so many slots are moved by one exchange.
  private static var movedSlotCountMax: UInt32 { 256 }

  // MARK: Large values

  /// Writes large values anew whose extents lie behind a slot, as far as there is room before it.
  ///
  /// A value that lies on both sides may be longer than the room that there is before the slot. It goes wholly behind it
  /// first, and so leaves what it took before it.
  private func moveLargeValues(behind limit: UInt32) throws(SedimentError) {
    for destination in [Destination.before(limit), .behind(limit), .before(limit)] {
      let hasRoom = try moveLargeValues(behind: limit, to: destination)
      _ = try freeDead()
      try log.bringBack()
      if hasRoom, case .before = destination { return }
    }
  }

  /// Where a large value is written anew.
  private enum Destination {
    case before(UInt32)
    /// Wholly behind a slot, for those that lie before it in part.
    case behind(UInt32)
  }

  /// Writes large values anew whose extents lie behind a slot; whether there was room for all of them.
  private func moveLargeValues(
    behind limit: UInt32, to destination: Destination
  ) throws(SedimentError) -> Bool {
    let segments = writer.withLock { writer -> [(entry: SegmentEntry, end: UnitOffset)] in
      let extents = writer.catalogue.segments.values.lazy.filter { $0.identity.kind == .extent }
      return extents.contains { $0.identity.run.end > limit } ? segmentsOfLargeValues(&writer) : []
    }
    let buffer = ScanBuffer()
    var hasRoom = true
    for (entry, end) in segments {
      var visitor = HighExtentScan(reader, behind: limit)
      do throws(SedimentError) {
        _ = try SegmentScan(entry, upTo: end, of: volume.file, volume.identity).run(buffer, &visitor)
      } catch {
        throw contents.refuse(entry, after: error)
      }
      for position in visitor.positions {
        do throws(SedimentError) {
          hasRoom = try moveLargeValue(at: position, to: destination) && hasRoom
        } catch  where error.isOfReading {
          // It stays where it is, and who reads it is told.
        }
      }
    }
    return hasRoom
  }

  /// Writes a large value anew, if its record is still where it was; whether there was room.
  private func moveLargeValue(at position: UInt64, to destination: Destination) throws(SedimentError) -> Bool
  {
    try Readers.reading(domain) { () throws(SedimentError) in
      guard let found = try reader.record(at: position << 3), found.view.kind == .putLarge else {
        return true
      }
      defer { found.release() }
      guard let state = collections.numbered(found.view.collection), state.counts(found.sequence),
        let place = found.place
      else { return true }
      if case .behind(let limit) = destination, !place.pieces.contains(where: { $0.extent.run.first < limit })
      {
        return true
      }
      // Verified in any case, or a bit that rotted would get a good checksum.
      let stored = try reader.largeValue(of: found, verifying: true)
      defer { stored.release() }
      let bytes = unsafe RawSpan(_unsafeBytes: stored.bytes)
      let extentByteCount = bytes.byteCount - place.tailByteCount
      var reservation = Reservation(log.returned)
      let pieces = try writePieces(bytes.extracting(0..<extentByteCount), to: destination, &reservation)
      guard let pieces else { return false }
      let tail = bytes.extracting(extentByteCount..<bytes.byteCount)
      let large = WrittenExtents(pieces, tail: tail, found.view.transform)
      try contents.enter(large, &reservation, insteadOf: found, state)
      return true
    }
  }

  private func writePieces(
    _ bytes: RawSpan, to destination: Destination, _ reservation: inout Reservation
  ) throws(SedimentError) -> [ValuePlace.Piece]? {
    switch destination {
    case .before(let limit): try log.writePieces(bytes, before: limit, &reservation)
    case .behind(let limit): try log.writePieces(bytes, behind: limit, &reservation)
    }
  }
}

/// Collects where the index leads to large values that lie behind a slot.
private struct HighExtentScan: RecordVisitor {
  private let reader: Reader
  private let limit: UInt32
  private(set) var positions: [UInt64] = []

  init(_ reader: Reader, behind limit: UInt32) {
    self.reader = reader
    self.limit = limit
  }

  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) throws(SedimentError) {
    try reader.enterReading()
    defer { Readers.leave() }
    let view = reader.index.view
    for number in 0..<records.count {
      let record = unsafe records[number]
      guard record.kind == .putLarge, record.extents.contains(where: { $0.run.end > limit }) else { continue }
      let hash = record.withKey { view.hash($0, collection: record.collection) }
      if view.find(hash, at: record.position) != nil { positions.append(record.position) }
    }
  }
}
