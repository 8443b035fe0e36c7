internal import SedimentDisk
internal import SedimentFormat

// What compaction does about large values: it finds the extents of dead ones that nobody has noted, and stores values
// anew where their slots are in the way or where no slots lie in a row (invariant 22).

extension Compaction {
  /// Looks for extents that an earlier opening has left; they are freed with the others.
  ///
  /// When a process dies, its list of dead extents is lost. Compaction would meet them again in the segments of their
  /// records, but these may never be emptied, since all else in them may be live. The counts tell whether there are any
  /// such extents. Then segments with puts of large values and dead records are read until all are found.
  mutating func findLostExtents() throws(SedimentError) {
    if hasSoughtExtents { return }
    let buffer = ScanBuffer()
    let segments = writer.withLock { writer in
      segmentsOfLargeValues(&writer).filter { entry, _ in
        let counts = slots.segment(at: UInt64(entry.identity.run.first))?.counts(writer.permit)
        return Int(entry.recordCount) - Int(entry.tombstoneCount) > counts?.liveCount ?? 0
      }
    }
    for (entry, end) in segments {
      var scan = LargeValueScan(reader: reader)
      try contents.scan(entry, upTo: end, buffer, &scan)
      let isLast = writer.withLock { writer in
        writer.noteDead(scan.superseded)
        return contents.lostExtentSlotCount(writer) == 0
      }
      if isLast { break }
    }
    hasSoughtExtents = true
  }

  /// The segments with records of large values that can be read, the tail too, and where their records end now.
  private func segmentsOfLargeValues(_ writer: inout LogWriter) -> [(entry: SegmentEntry, end: UnitOffset)] {
    let tail = (entry: writer.tail.entry, end: writer.tail.position.offset)
    var found = writer.catalogue.segments
      .filter { $0.identity != tail.entry.identity }
      .compactMap { entry in entry.end.map { (entry: entry, end: $0) } }
    // What is in the window alone cannot be scanned.
    if (try? writer.flush()) != nil { found.append(tail) }
    let refused = writer.ledger.refused
    return
      found
      .filter { $0.entry.largeCount > 0 && !refused.contains($0.entry.identity.generation) }
      .sorted { $0.entry.identity.generation < $1.entry.identity.generation }
  }

  // MARK: Storing anew

  /// Where a value is stored anew.
  enum Destination {
    /// Wherever there are slots.
    case anywhere
    case before(UInt32)
    /// Wholly behind a slot, for what lies before it in part.
    case behind(UInt32)
  }

  /// Writes large values anew whose extents lie behind a slot, as far as there is room before it.
  ///
  /// A value that lies on both sides of the slot may be longer than the room before it. So it is first written wholly
  /// behind the slot, which frees what it took before it, and then before it.
  func moveLargeValues(behind limit: UInt32) throws(SedimentError) {
    for destination in [Destination.before(limit), .behind(limit), .before(limit)] {
      let hasRoom = try moveLargeValues(behind: limit, to: destination)
      _ = try freeDead()
      try log.syncAndReclaim()
      if hasRoom, case .before = destination { return }
    }
  }

  /// Writes large values anew whose extents lie behind a slot; whether there was room for all of them.
  private func moveLargeValues(
    behind limit: UInt32, to destination: Destination
  ) throws(SedimentError) -> Bool {
    let segments = writer.withLock { writer -> [(entry: SegmentEntry, end: UnitOffset)] in
      let extents = writer.catalogue.segments.lazy.filter { $0.identity.kind == .extent }
      return extents.contains { $0.identity.run.end > limit } ? segmentsOfLargeValues(&writer) : []
    }
    let buffer = ScanBuffer()
    var hasRoom = true
    for (entry, end) in segments {
      var scan = LargeValueScan(reader: reader)
      try contents.scan(entry, upTo: end, buffer, &scan)
      for (position, slotEnd) in scan.live where slotEnd > limit {
        do throws(SedimentError) {
          hasRoom = try moveLargeValue(at: position, to: destination) && hasRoom
        } catch  where error.isOfReading {
          // It stays where it is, and who reads it is told.
        }
      }
    }
    return hasRoom
  }

  /// Writes the large values anew whose last slots hold something else after them; throws `outOfSpace` if there is no room
  /// for one.
  ///
  /// Overwriting that where it lies would write to a sector with bytes of the value, which a power failure may tear.
  func moveUncleanLargeValues() throws(SedimentError) {
    let buffer = ScanBuffer()
    for (entry, end) in writer.withLock({ writer in segmentsOfLargeValues(&writer) }) {
      var scan = LargeValueScan(reader: reader)
      try contents.scan(entry, upTo: end, buffer, &scan)
      for (position, _) in scan.live where try isUnclean(at: position) {
        guard try moveLargeValue(at: position, to: .anywhere) else {
          throw .fullForErasing(path)
        }
      }
    }
  }

  /// Whether a slot of the large value of a record holds something else as well.
  private func isUnclean(at position: UInt64) throws(SedimentError) -> Bool {
    let place = try Readers.reading(domain) { () throws(SedimentError) -> ValuePlace? in
      let found = try reader.record(at: position << 3)
      defer { found?.release() }
      return found?.place
    }
    for piece in place?.pieces ?? [] {
      let rest = ExtentReading(piece, of: volume.file, volume.identity).restRange
      let bytes = try volume.file.bytes(at: rest.lowerBound, count: rest.count)
      if bytes.contains(where: { $0 != 0 }) { return true }
    }
    return false
  }

  /// Writes a large value anew, if its record is still where it was; false if there was no room.
  private func moveLargeValue(at position: UInt64, to destination: Destination) throws(SedimentError) -> Bool
  {
    try Readers.reading(domain) { () throws(SedimentError) in
      guard let found = try reader.record(at: position << 3) else { return true }
      defer { found.release() }
      guard let state = collections.numbered(found.view.collection), state.counts(found.sequence),
        let place = found.place
      else { return true }
      if case .behind(let limit) = destination, place.pieces.allSatisfy({ $0.extent.run.first >= limit }) {
        return true
      }
      // Verified in any case, or a bit that rotted would get a good checksum.
      let stored = try reader.largeValue(of: found, verifying: true)
      defer { stored.release() }
      let bytes = unsafe RawSpan(_unsafeBytes: stored.bytes)
      return try store(
        bytes, extentByteCount: bytes.byteCount - place.tailByteCount, found.view.transform,
        insteadOf: found, state, to: destination)
    }
  }

  /// Stores the value of a record of several slots anew, in slots that may lie scattered, so that the record itself need
  /// not be moved; false if it stays as it is.
  func scatter(at position: UInt64, to destination: Destination) throws(SedimentError) -> Bool {
    try Readers.reading(domain) { () throws(SedimentError) in
      guard let found = try reader.record(at: position << 3) else { return false }
      defer { found.release() }
      guard found.view.kind == .put, found.view.valueByteCount > LogWriter.heldValueByteCountMax,
        let state = collections.numbered(found.view.collection), state.counts(found.sequence)
      else { return false }
      // Or a bit that rotted would get a good checksum.
      guard found.view.isIntact(at: found.position, seed: found.segment.seed) else {
        throw reader.damaged(at: found.position)
      }
      let isPlain = found.view.transform.map { $0.dictionary != 0 } ?? true
      let value = try isPlain && found.view.isTransformed ? reader.unpackedValue(of: found) : nil
      defer { value?.release() }
      let bytes = unsafe RawSpan(_unsafeBytes: value?.bytes ?? found.view.value)
      return try store(
        bytes,
        extentByteCount: LargeValues.extentByteCount(of: bytes.byteCount, besides: found.view.keyByteCount),
        isPlain ? nil : found.view.transform, insteadOf: found, state, to: destination)
    }
  }

  /// Writes a value to extents, but for the bytes that stand in the record, and commits it unless its key got another
  /// record meanwhile; false if there was no room.
  private func store(
    _ bytes: RawSpan, extentByteCount: Int, _ transform: Transform?, insteadOf found: FoundRecord,
    _ state: CollectionState, to destination: Destination
  ) throws(SedimentError) -> Bool {
    var reservation = Reservation(log.returned)
    let extentBytes = bytes.extracting(0..<extentByteCount)
    let pieces: [ValuePlace.Piece]
    do throws(SedimentError) {
      pieces = try log.writePieces(extentBytes, &reservation) {
        (writer, reservation) throws(SedimentError) in
        switch destination {
        case .anywhere:
          try writer.takeRuns(forExtentsOf: extentByteCount, for: .moving, mayScatter: true, &reservation)
        case .before(let limit):
          try writer.takeLowRuns(forExtentsOf: extentByteCount, before: limit, &reservation) ?? []
        case .behind(let limit):
          [try writer.takeHighRun(forExtentOf: extentByteCount, behind: limit, &reservation)]
        }
      }
    } catch {
      guard case .behind = destination, error.code == .outOfSpace else { throw error }
      return false
    }
    if pieces.isEmpty { return false }
    let tail = bytes.extracting(extentByteCount..<bytes.byteCount)
    try contents.enter(WrittenExtents(pieces, tail: tail, transform), &reservation, insteadOf: found, state)
    return true
  }
}

extension Contents {
  /// Reads a segment's records; if it cannot be read it stays as it is from now on.
  func scan(
    _ entry: SegmentEntry, upTo end: UnitOffset, _ buffer: ScanBuffer, _ visitor: inout some RecordVisitor
  ) throws(SedimentError) {
    do throws(SedimentError) {
      _ = try SegmentScan(entry, upTo: end, of: volume.file, volume.identity).run(buffer, &visitor)
    } catch {
      throw refuse(entry, after: error)
    }
  }
}

/// Finds the large values of a segment.
private struct LargeValueScan: RecordVisitor {
  let reader: Reader
  /// Where the records lie to which the index leads, and the slot behind all of their extents.
  private(set) var live: [(position: UInt64, slotEnd: UInt32)] = []
  /// The extents of the others.
  private(set) var superseded: [SegmentIdentity] = []

  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) throws(SedimentError) {
    try reader.enterReading()
    defer { Readers.leave() }
    let view = reader.index.view
    for number in 0..<records.count {
      let record = unsafe records[number]
      guard record.kind == .putLarge else { continue }
      let hash = record.withKey { view.hash($0, collection: record.collection) }
      if view.find(hash, at: record.position) == nil {
        superseded += record.extents
      } else {
        live.append((record.position, record.extents.map(\.run.end).max() ?? 0))
      }
    }
  }
}

extension ScannedRecord {
  /// Where the value of a put large lies that stands in memory as a whole; nil if it does not say so.
  private var valuePlace: ValuePlace? {
    let value = unsafe RawSpan(
      _unsafeStart: keyStart + Int(keyByteCount), byteCount: Int(valueByteCount))
    return try? ValuePlace.decode(value)
  }

  /// The extents of a put large that stands in memory as a whole.
  var extents: [SegmentIdentity] { valuePlace?.pieces.map(\.extent) ?? [] }

  /// The slots of these.
  var extentSlotCountOfValue: UInt32 { valuePlace?.slotCount ?? 0 }
}
