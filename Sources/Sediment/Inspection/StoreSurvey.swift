package import SedimentFormat

/// Figures and segments of a store at one moment, as whole for one that is only read as for one that is written.
package struct StoreSurvey: Sendable {
  package internal(set) var statistics: SedimentStatistics
  package internal(set) var segments: [SedimentSegment]
}

extension StoreSurvey {
  mutating func add(_ log: RecoveredLog, _ slots: SlotTable) {
    let slotByteCount = UInt64(Limits.slotByteCount)
    segments = SedimentSegment.all(of: log.catalogue, logEnd: log.end, slots, WritePermit())
    let slotCount = UInt32(clamping: statistics.fileByteCount / slotByteCount)
    let freeRuns = log.catalogue.slots.freeRuns(before: slotCount)
    statistics.freeByteCount = freeRuns.reduce(0) { $0 + UInt64($1.count) * slotByteCount }
    let records = segments.filter { $0.kind == .hot || $0.kind == .survivors }
    statistics.add(
      log.catalogue, logEnd: log.end, liveByteCount: records.reduce(0) { $0 + $1.liveByteCount })
    statistics.sequence = log.lastSequence.rawValue
  }
}

extension SedimentSegment {
  /// All segments of a catalogue whose log ends at a position, in the order of the file.
  static func all(
    of catalogue: Catalogue, logEnd end: LogPosition, _ slots: SlotTable, _ permit: borrowing WritePermit
  ) -> [SedimentSegment] {
    var all = catalogue.indexParts.map { SedimentSegment($0.segment) }
    for entry in catalogue.segments {
      all.append(SedimentSegment(entry, logEnd: end, slots, permit))
    }
    return all.sorted { $0.byteOffset < $1.byteOffset }
  }

  /// A segment without records: all of it is used and live.
  package init(_ identity: SegmentIdentity) {
    let bytes = identity.run.byteRange
    let byteCount = bytes.upperBound - bytes.lowerBound
    self.init(
      kind: Kind(identity.kind), generation: identity.generation.rawValue, byteOffset: bytes.lowerBound,
      byteCount: byteCount, usedByteCount: byteCount, liveByteCount: byteCount, recordCount: 0,
      tombstoneCount: 0, isTail: false)
  }

  private init(
    _ entry: SegmentEntry, logEnd: LogPosition, _ slots: SlotTable, _ permit: borrowing WritePermit
  ) {
    self.init(entry.identity)
    guard entry.holdsRecords else { return }
    isTail = entry.identity.generation == logEnd.generation
    usedByteCount = entry.recordByteCount(logEnd: logEnd)
    let live = slots.segment(at: UInt64(entry.identity.run.first))?.counts(permit).liveByteCount ?? 0
    liveByteCount = UInt64(max(live, 0))
    recordCount = Int(entry.recordCount)
    tombstoneCount = Int(entry.tombstoneCount)
  }
}

extension SedimentSegment.Kind {
  /// As users see a kind of the format.
  init(_ kind: SegmentKind) {
    self =
      switch kind {
      case .hot: .hot
      case .survivors: .survivors
      case .extent: .extent
      case .index: .index
      case .window: .window
      }
  }
}
