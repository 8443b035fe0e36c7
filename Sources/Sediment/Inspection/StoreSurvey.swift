package import SedimentFormat

/// Figures and segments of a store at one moment, as whole for one that is only read as for one that is written.
package struct StoreSurvey: Sendable {
  package internal(set) var statistics: SedimentStatistics
  package internal(set) var segments: [SedimentSegment]
}

extension SedimentStore {
  /// What the store holds; for one that is only read, the log's end is read again for it.
  package func survey() throws -> StoreSurvey {
    var survey = StoreSurvey(statistics: statistics, segments: segments)
    guard !engine.isForked, engine.writer == nil else { return survey }
    survey.add(try LogReading(StoreFile(engine.log.file.file)).run(), engine.slots)
    return survey
  }
}

extension StoreSurvey {
  fileprivate mutating func add(_ log: RecoveredLog, _ slots: SlotTable) {
    let slotByteCount = UInt64(Limits.slotByteCount)
    let parts = log.catalogue.indexParts.map { part in
      SedimentSegment(part.segment)
    }
    let others = log.catalogue.segments.values.map { segment($0, of: log, slots) }
    segments = (parts + others).sorted { $0.byteOffset < $1.byteOffset }
    statistics.segmentCount = others.count
    statistics.storedIndexByteCount = parts.reduce(0) { $0 + $1.byteCount }
    let slotCount = UInt32(clamping: statistics.fileByteCount / slotByteCount)
    let freeRuns = log.catalogue.slots.freeRuns(before: slotCount)
    statistics.freeByteCount = freeRuns.reduce(0) { $0 + UInt64($1.count) * slotByteCount }
    let records = segments.filter { $0.kind == .hot || $0.kind == .survivors }
    statistics.liveByteCount = records.reduce(0) { $0 + $1.liveByteCount }
    let usedByteCount = records.reduce(0) { $0 + $1.usedByteCount }
    statistics.deadByteCount = usedByteCount - min(usedByteCount, statistics.liveByteCount)
    add(log.catalogue.numbers.totals)
    statistics.sequence = log.lastSequence.rawValue
  }

  private mutating func add(_ totals: StoreNumbers.Totals) {
    statistics.userByteCount = totals.userByteCount
    statistics.writtenByteCount = totals.writtenByteCount
    statistics.movedByteCount = totals.movedByteCount
    statistics.evictedKeyCount = totals.evictedCount
    statistics.expiredKeyCount = totals.expiredCount
  }

  private func segment(_ entry: SegmentEntry, of log: RecoveredLog, _ slots: SlotTable) -> SedimentSegment {
    let kind = entry.identity.kind
    guard kind == .hot || kind == .survivors else {
      return SedimentSegment(entry.identity)
    }
    let isTail = entry.identity == log.tail.identity
    let start = entry.identity.recordRange.lowerBound.byteOffset
    let end = isTail ? log.end.offset.byteOffset : entry.end?.byteOffset ?? start
    let live = slots.segment(at: UInt64(entry.identity.run.first))?.liveByteCount ?? 0
    var segment = SedimentSegment(
      entry.identity, usedByteCount: end - min(start, end), liveByteCount: UInt64(max(live, 0)))
    segment.recordCount = Int(entry.recordCount)
    segment.tombstoneCount = Int(entry.tombstoneCount)
    segment.isTail = isTail
    return segment
  }
}

extension SedimentSegment {
  /// A segment without records; all of it is used and live unless it is said otherwise.
  package init(_ identity: SegmentIdentity, usedByteCount: UInt64? = nil, liveByteCount: UInt64? = nil) {
    let bytes = identity.run.byteRange
    let byteCount = bytes.upperBound - bytes.lowerBound
    self.init(
      kind: Kind(identity.kind), generation: identity.generation.rawValue, byteOffset: bytes.lowerBound,
      byteCount: byteCount, usedByteCount: usedByteCount ?? byteCount,
      liveByteCount: liveByteCount ?? byteCount, recordCount: 0, tombstoneCount: 0, isTail: false)
  }
}

extension SedimentSegment.Kind {
  fileprivate init(_ kind: SegmentKind) {
    self =
      switch kind {
      case .hot: .hot
      case .survivors: .survivors
      case .extent: .extent
      case .index: .index
      case .catalogue: .catalogue
      case .window: .window
      }
  }
}
