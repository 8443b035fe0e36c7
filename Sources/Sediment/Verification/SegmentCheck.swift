internal import SedimentDisk
internal import SedimentFormat

/// Holds the segments of a catalogue against what lies in them: headers, records, counts, large values.
struct SegmentCheck {
  let file: StoreFile
  let identity: FileIdentity
  let survey: LogSurvey
  let catalogue: Catalogue
  private let keyHash: KeyHash
  let fileByteCount: UInt64
  private var batches = BatchCheck()
  /// The numbers of dictionaries that lie where the catalogue says, whole.
  var foundDictionaries: Set<UInt32> = []

  init(
    _ file: StoreFile, _ identity: FileIdentity, _ survey: LogSurvey, _ catalogue: Catalogue,
    _ disk: any Disk
  ) {
    self.file = file
    self.identity = identity
    self.survey = survey
    self.catalogue = catalogue
    keyHash = KeyHash(low: disk.random(), high: disk.random())
    fileByteCount = (try? file.byteCount()) ?? 0
  }

  mutating func run(
    _ report: inout VerificationReport, _ meter: inout ProgressMeter
  ) throws(SedimentError) {
    let entries = catalogue.segments.values.sorted { $0.identity.generation < $1.identity.generation }
    let logs = entries.filter(\.holdsRecords)
    let counting = LiveCounting(logs, of: catalogue, file, byteCount: fileByteCount, keyHash: keyHash)
    let firstNumber = report.segments.count
    for (number, entry) in logs.enumerated() {
      counting.begin(number)
      checkHeader(entry, &report)
      report.segments.append(checkRecords(entry, counting, &report))
      try readRest(of: entry.identity, behind: usedEnd(of: entry), &report, &meter)
    }
    let found = counting.finish()
    if counting.isWhole {
      for (number, live) in found.byteCounts.enumerated() {
        let segment = report.segments[firstNumber + number]
        let used = segment.usedByteCount - min(UInt64(SegmentHeader.byteCount), segment.usedByteCount)
        report.segments[firstNumber + number].liveByteCount = live
        report.segments[firstNumber + number].deadByteCount = used - min(used, live)
      }
    }
    reportLostDictionaries(&report)
    let isWhole = counting.isWhole && !report.findings.contains { $0.kind.isDamage }
    try checkExtents(entries, found.larges, isWhole: isWhole, &report, &meter)
    try checkCaches(&report, &meter)
  }

  // MARK: Headers

  func checkHeader(_ entry: SegmentEntry, _ report: inout VerificationReport) {
    let start = entry.identity.run.byteRange.lowerBound
    let range = start..<start + UInt64(SegmentHeader.byteCount)
    let bytes: [UInt8]
    do throws(SedimentError) {
      bytes = try file.bytes(at: start, count: SegmentHeader.byteCount)
    } catch {
      return report.add(.unreadable, range, "The disk cannot read a segment's header. \(Advice.disk)")
    }
    do throws(FormatError) {
      let header = try SegmentHeader.decode(
        unsafe bytes.span.bytes, in: identity, at: entry.identity.run.first)
      guard header.identity == entry.identity else { throw FormatError(.segmentHeader, .field(.identity)) }
      guard entry.holdsRecords else { return }
      guard header.base == entry.base, header.floor == entry.floor else {
        throw FormatError(.segmentHeader, .field(.base))
      }
    } catch {
      let fault = "The header of a segment is damaged: \(error.description)."
      if entry.identity.kind == .index {
        report.add(.corrupt, range, "\(fault) It held a part of the index. \(Advice.index)")
      } else if survey.recovered != nil {
        // Opening would have refused anything else.
        report.add(.torn, range, "\(fault) It was not synced before a crash. \(Advice.opening)")
      } else {
        report.add(.corrupt, range, "\(fault) \(Advice.restore)")
      }
    }
  }

  // MARK: Records

  /// Where a segment's records end; in the one where the log breaks off, as far as anything can be known of.
  private func usedEnd(of entry: SegmentEntry) -> UInt64 {
    let run = entry.identity.run.byteRange
    if let end = entry.end { return end.byteOffset }
    guard let end = survey.end, end.generation == entry.identity.generation else { return run.upperBound }
    if survey.isComplete { return end.offset.byteOffset }
    guard let watermark = survey.watermark, watermark.generation == end.generation else {
      return run.upperBound
    }
    return max(end.offset.byteOffset, min(watermark.offset.byteOffset, run.upperBound))
  }

  /// Reads the records of a segment and tells what it is like.
  private mutating func checkRecords(
    _ entry: SegmentEntry, _ counting: LiveCounting, _ report: inout VerificationReport
  ) -> VerificationReport.Segment {
    let run = entry.identity.run.byteRange
    let end = usedEnd(of: entry)
    var segment = VerificationReport.Segment(
      entry.identity, usedByteCount: end - run.lowerBound, isInUse: true)
    if end > fileByteCount {
      report.add(.corrupt, fileByteCount..<end, "The file ends before a segment does. \(Advice.restore)")
    }
    var sweep = RecordSweep(
      file, identity, entry.identity, base: entry.base, upTo: min(end, fileByteCount))
    if entry.identity.kind == .hot { batches.begin(entry.base, highest: entry.highest) }
    var counts = SegmentEntry(tail: entry.identity, base: entry.base)
    var isWhole = end <= fileByteCount
    while let step = sweep.next() {
      switch step {
      case .record(let header, let offset):
        counts.count(header, now: 0)
        check(header, at: offset, in: entry, sweep, counting, isWhole ? counts : nil, &report)
      case .gap(let gap):
        isWhole = false
        batches.noteGap()
        report.add(
          gap.isUnreadable ? .unreadable : .corrupt, gap.range,
          gap.isUnreadable
            ? "The disk cannot read records. \(Advice.disk)"
            : "Records are damaged: \(gap.reason.description). \(Advice.restore)")
      }
    }
    segment.recordCount = UInt64(counts.recordCount)
    if isWhole { compare(entry, counts, &report) }
    return segment
  }

  /// Checks what a record whose checksum matched says; the counts of those before it are nil if some are missing.
  private mutating func check(
    _ header: RecordHeader, at offset: UInt64, in entry: SegmentEntry, _ sweep: RecordSweep,
    _ counting: LiveCounting, _ counts: SegmentEntry?, _ report: inout VerificationReport
  ) {
    let range = offset..<offset + UInt64(header.byteCount)
    var outcome = BatchCheck.Outcome.nothing
    var fault: FormatError?
    sweep.withRecord { bytes in
      var control: ControlRecord?
      var place: ValuePlace?
      do throws(FormatError) {
        let value = bytes.extracting(header.valueRange)
        if header.kind == .control {
          control = try ControlRecord.decode(value, isBatched: header.isBatched)
        }
        if header.kind == .putLarge { place = try ValuePlace.decode(value) }
      } catch {
        fault = error
      }
      if entry.identity.kind == .hot { outcome = batches.take(header, control, bytes, at: offset) }
      noteDictionary(header, bytes, at: offset)
      if header.kind != .control { counting.take(header, place, bytes, at: offset) }
      if case .seal(let seal)? = control, let counts, seal.recordCount != counts.recordCount {
        fault = FormatError(.seal, .field(.count))
      }
      if case .mark(let mark)? = control, mark.salt != entry.identity.salt {
        fault = FormatError(.mark, .field(.salt))
      }
    }
    if let fault {
      report.add(.inconsistent, range, "A record makes no sense: \(fault.description). \(Advice.restore)")
    }
    guard case .broken(let start, let isKnown) = outcome, !isKnown else { return }
    report.add(
      .inconsistent, min(start, range.lowerBound)..<range.upperBound,
      "A batch is not what its commit says. \(Advice.restore)")
  }

  /// Compares what the catalogue says of a segment with what is there.
  private func compare(_ entry: SegmentEntry, _ counts: SegmentEntry, _ report: inout VerificationReport) {
    let isExpiryBound =
      entry.latestExpiry == 0 || counts.recordCount == counts.tombstoneCount
      || counts.latestExpiry != 0 && counts.latestExpiry <= entry.latestExpiry
    guard
      entry.recordCount == counts.recordCount, entry.tombstoneCount == counts.tombstoneCount,
      entry.largeCount == counts.largeCount, counts.highest <= entry.highest, isExpiryBound
    else {
      let run = entry.identity.run.byteRange
      return report.add(
        .inconsistent, run.lowerBound..<run.lowerBound + UInt64(SegmentHeader.byteCount),
        "A segment holds other records than its catalogue says. \(Advice.restore)")
    }
  }

  /// Reads what lies behind the records of a segment.
  func readRest(
    of segment: SegmentIdentity, behind end: UInt64, _ report: inout VerificationReport,
    _ meter: inout ProgressMeter
  ) throws(SedimentError) {
    let run = segment.run.byteRange.clamped(to: 0..<fileByteCount)
    let used = min(max(end, run.lowerBound), run.upperBound)
    try meter.add(used - run.lowerBound)
    try UnusedBytes(file).read(used..<run.upperBound, &report, &meter)
  }
}
