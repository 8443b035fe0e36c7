internal import SedimentDisk
internal import SedimentFormat

// Extents of values that were replaced, removed or cleared, and that an earlier opening ended before it could free, nobody
// notes any more; and the segment of their records may be live but for these, so that it is never emptied. By the counts
// it is known whether there are any.

extension Compaction {
  /// Looks for extents that an earlier opening has left; they are freed with the others.
  ///
  /// It reads segments that have puts of large values and dead records until it has found all.
  mutating func findLostExtents() throws(SedimentError) {
    if hasSoughtExtents { return }
    let buffer = ScanBuffer()
    for (entry, end) in writer.withLock({ writer in segmentsToSearch(&writer) }) {
      var visitor = LostExtentScan(reader)
      do throws(SedimentError) {
        _ = try SegmentScan(entry, upTo: end, of: volume.file, volume.identity).run(buffer, &visitor)
      } catch {
        throw contents.refuse(entry, after: error)
      }
      let isLast = writer.withLock { writer in
        writer.noteDead(visitor.extents)
        return contents.lostExtentSlotCount(writer) == 0
      }
      if isLast { break }
    }
    hasSoughtExtents = true
  }

  /// The segments that may have led to lost extents, and where their records end now.
  private func segmentsToSearch(_ writer: inout LogWriter) -> [(entry: SegmentEntry, end: UnitOffset)] {
    let segments = segmentsOfLargeValues(&writer)
    return segments.filter { entry, _ in
      let liveCount =
        slots.segment(at: UInt64(entry.identity.run.first))?.counts(writer.permit).liveCount ?? 0
      return Int(entry.recordCount) - Int(entry.tombstoneCount) > liveCount
    }
  }

  /// The segments with records of large values that can be read, the tail too, and where their records end now.
  func segmentsOfLargeValues(_ writer: inout LogWriter) -> [(entry: SegmentEntry, end: UnitOffset)] {
    let tail = (entry: writer.tail.entry, end: writer.tail.position.offset)
    var found = writer.catalogue.segments.values
      .filter { $0.identity != tail.entry.identity }
      .compactMap { entry in entry.end.map { (entry: entry, end: $0) } }
    // What is in the window alone cannot be scanned.
    if (try? writer.flush()) != nil { found.append(tail) }
    let refused = writer.refusedVictims
    return
      found
      .filter { $0.entry.largeCount > 0 && !refused.contains($0.entry.identity.generation) }
      .sorted { $0.entry.identity.generation < $1.entry.identity.generation }
  }
}

/// Collects the extents of puts to which the index does not lead.
private struct LostExtentScan: RecordVisitor {
  private let reader: Reader
  private(set) var extents: [SegmentIdentity] = []

  init(_ reader: Reader) {
    self.reader = reader
  }

  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) throws(SedimentError) {
    try reader.enterReading()
    defer { Readers.leave() }
    let view = reader.index.view
    for number in 0..<records.count {
      let record = unsafe records[number]
      guard record.kind == .putLarge else { continue }
      let hash = record.withKey { view.hash($0, collection: record.collection) }
      if view.find(hash, at: record.position) == nil { extents.append(contentsOf: record.extents) }
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
