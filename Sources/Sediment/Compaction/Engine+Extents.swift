internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// How the slots of large values come back.

extension Engine {
  /// Extents to which nothing leads any more, as far as the catalogue still has them.
  ///
  /// Under the lock.
  func extentsToFree(
    _ writer: LogWriter, with others: [SegmentIdentity] = []
  ) -> [SegmentIdentity] {
    var seen: Set<Generation> = []
    var extents: [SegmentIdentity] = []
    for extent in others + writer.deadExtents
    where writer.catalogue.segments[extent.generation]?.identity == extent
      && seen.insert(extent.generation).inserted
    {
      extents.append(extent)
      if extents.count == Self.freedExtentCountMax { break }
    }
    return extents
  }

  /// At most so many extents are freed by one change.
  private static var freedExtentCountMax: Int { 4096 }

  func noteFreed(_ extents: [SegmentIdentity], _ writer: LogWriter) {
    writer.extentSlotCount -= extents.reduce(0) { $0 + $1.run.count }
    writer.forgetFreedExtents()
  }

  /// Frees the extents of values that were replaced or removed; whether there were any.
  ///
  /// Under the lock.
  func freeDeadExtents(_ writer: LogWriter) throws(SedimentError) -> Bool {
    if writer.deadExtents.isEmpty { return false }
    let extents = extentsToFree(writer)
    guard !extents.isEmpty else {
      noteFreed([], writer)
      return false
    }
    let sequence = try change(
      extents.map { .freed(slot: $0.run.first, generation: $0.generation) }, for: .goingOn, writer)
    noteFreed(extents, writer)
    let tag = Readers.advance()
    for extent in extents { writer.release(extent.run, extent.generation, freedBy: sequence, tag: tag) }
    return true
  }
}

// MARK: After a death

// Extents of values that were replaced or removed, and that the process died before it could free, nobody notes any
// more; and their segment may be live but for their records, so that it is never emptied.

extension Engine {
  /// Looks once for extents to which nothing leads; they are freed with the others.
  ///
  /// It reads the segments that have puts of large values and dead records. With the lock of maintenance.
  func findLostExtents(_ writer: LogWriter) throws(SedimentError) {
    if work.hasSoughtExtents { return }
    let entries = lock.withLock { () -> [SegmentEntry] in
      guard writer.extentSlotCount > 0 else { return [] }
      return writer.catalogue.segments.values.filter { mayHaveLost($0) }
    }
    let buffer = ScanBuffer()
    for entry in entries {
      guard let end = entry.end else { continue }
      var visitor = LostExtentScan(self)
      do throws(SedimentError) {
        _ = try SegmentScan(entry, upTo: end, of: log.file, log.identity).run(buffer, &visitor)
      } catch {
        refuse(entry, after: error)
        throw error
      }
      lock.withLock { writer.noteDead(visitor.extents) }
    }
    work.hasSoughtExtents = true
  }

  /// Under the lock.
  private func mayHaveLost(_ entry: SegmentEntry) -> Bool {
    guard entry.largeCount > 0, entry.end != nil, !refusedVictims.contains(entry.identity.generation) else {
      return false
    }
    let liveCount = slots.segment(at: UInt64(entry.identity.run.first))?.liveCount ?? 0
    return Int(entry.recordCount) - Int(entry.tombstoneCount) > liveCount
  }
}

/// Collects the extents of puts to which the index does not lead.
private struct LostExtentScan: RecordVisitor {
  private let engine: Engine
  private(set) var extents: [SegmentIdentity] = []

  init(_ engine: Engine) {
    self.engine = engine
  }

  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) throws(SedimentError) {
    try engine.checkReadable()
    Readers.enter(engine.domain)
    defer { Readers.leave() }
    let view = engine.index.view
    for number in 0..<records.count {
      let record = unsafe records[number]
      guard record.kind == .putLarge else { continue }
      let hash = record.withKey { view.hash($0, collection: record.collection) }
      if view.find(hash, at: record.position) == nil { extents.append(contentsOf: record.extents) }
    }
  }
}

extension ScannedRecord {
  /// The extents of a put large that stands in memory as a whole; none if it does not say where its value lies.
  var extents: [SegmentIdentity] {
    let value = unsafe RawSpan(
      _unsafeStart: keyStart + Int(keyByteCount), byteCount: Int(valueByteCount))
    guard let place = try? ValuePlace.decode(value) else { return [] }
    return place.pieces.map(\.extent)
  }
}
