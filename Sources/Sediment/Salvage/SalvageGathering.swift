internal import SedimentFormat

/// Finds the newest record of each key in the segments of a plan, and what of them is lost.
struct SalvageGathering {
  private(set) var table: SalvageTable
  private let surveyed: SurveyedFile
  private let collections: SalvageCollections
  private var batches = BatchCheck()
  /// The members of a batch whose commit was not found yet.
  private var pending: [(name: SalvageTable.Name, place: SalvageTable.Place)] = []

  init(_ surveyed: SurveyedFile, _ collections: SalvageCollections, _ table: SalvageTable) {
    self.surveyed = surveyed
    self.collections = collections
    self.table = table
  }

  /// Goes through segments in the order of their generations; what is lost in them goes to the report, if there is
  /// one.
  mutating func run(
    _ segments: [SalvageSegment], _ report: inout SalvageReport?, _ meter: inout ProgressMeter
  ) throws(SedimentError) {
    for (number, segment) in segments.enumerated() {
      var sweep = RecordSweep(
        surveyed, segment.identity, base: segment.base, upTo: min(segment.end, surveyed.byteCount),
        highest: segment.highest)
      var told = sweep.position
      if segment.identity.kind == .hot, let base = segment.base, let last = segment.last {
        batches.begin(base, highest: last)
      }
      while let step = try sweep.next() {
        switch step {
        case .record(let header, let offset):
          take(header, at: offset, sweep, segment, Int32(number), &report)
        case .gap(let gap): take(gap, segment, &report)
        }
        if sweep.position - told >= UInt64(FileWindow.pieceByteCount) {
          try meter.add(sweep.position - told)
          told = sweep.position
        }
      }
      try meter.add(sweep.position - told)
      if segment.isEndKnown, segment.end > surveyed.byteCount {
        report?.losses.append(
          SalvageReport.Loss(
            range: surveyed.byteCount..<segment.end, reason: "the file ends before a segment does",
            sequences: nil))
      }
    }
    // Without a commit, and with nothing damaged behind them, they never counted.
    pending = []
  }

  private mutating func take(
    _ header: RecordHeader, at offset: UInt64, _ sweep: RecordSweep, _ segment: SalvageSegment,
    _ number: Int32, _ report: inout SalvageReport?
  ) {
    let isHot = segment.identity.kind == .hot
    let control = sweep.control(header)
    sweep.record.withRecord { bytes in
      if isHot { settle(batches.take(header, control, bytes, at: offset), &report) }
      guard header.kind != .control, !collections.isDead(header.collection, header.sequence) else { return }
      let name = table.name(bytes.extracting(header.keyRange), header.collection)
      let place = SalvageTable.Place(
        offset: offset, byteCount: Int32(header.byteCount), segment: number, sequence: header.sequence,
        isRemoval: header.kind == .remove)
      if isHot, header.isBatched {
        pending.append((name, place))
      } else {
        table.enter(name, place)
      }
    }
  }

  /// What became of the batch whose members are pending.
  private mutating func settle(_ outcome: BatchCheck.Outcome, _ report: inout SalvageReport?) {
    switch outcome {
    case .nothing: return
    case .whole: break
    case .broken: report?.brokenBatchCount += 1
    }
    enterPending()
  }

  private mutating func enterPending() {
    for (name, place) in pending { table.enter(name, place) }
    pending = []
  }

  private mutating func take(
    _ gap: RecordSweep.Gap, _ segment: SalvageSegment, _ report: inout SalvageReport?
  ) {
    var range = gap.range
    if gap.isLast, !segment.isEndKnown, gap.reason.fault == .absent, !gap.isUnreadable {
      // Where nothing tells the end, it is where there is no record any more.
      guard range.lowerBound < segment.leastEnd else { return }
      range = range.lowerBound..<min(segment.leastEnd, range.upperBound)
    }
    if segment.identity.kind == .hot {
      // Their commit may be what is lost.
      if gap.isLast, !pending.isEmpty {
        report?.brokenBatchCount += 1
        enterPending()
        batches = BatchCheck()
      }
      batches.noteGap()
    }
    let reason =
      gap.isUnreadable
      ? "the disk cannot read it"
      : gap.reason.description + (gap.isGivenUp ? "; what follows was not searched to its end" : "")
    report?.losses.append(
      SalvageReport.Loss(range: range, reason: reason, sequences: gap.sequences))
  }
}
