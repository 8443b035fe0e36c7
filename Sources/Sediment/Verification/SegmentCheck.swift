internal import SedimentDisk
internal import SedimentFormat

/// Holds the segments of a catalogue against what lies in them: headers, records, counts, large values.
struct SegmentCheck {
  let surveyed: SurveyedFile
  let survey: LogSurvey
  let catalogue: Catalogue
  private let keyHash: KeyHash
  private var batches = BatchCheck()
  /// The numbers of dictionaries that lie where the catalogue says, whole.
  private var foundDictionaries: Set<UInt32> = []

  init(_ surveyed: SurveyedFile, _ survey: LogSurvey, _ catalogue: Catalogue, _ disk: any Disk) {
    self.surveyed = surveyed
    self.survey = survey
    self.catalogue = catalogue
    keyHash = KeyHash(low: disk.random(), high: disk.random())
  }

  mutating func run(
    _ report: inout VerificationReport, _ meter: inout ProgressMeter
  ) throws(SedimentError) {
    let entries = catalogue.segments.values.sorted { $0.identity.generation < $1.identity.generation }
    let logs = entries.filter(\.holdsRecords)
    let counting = LiveCounting(logs, of: catalogue, surveyed, keyHash: keyHash)
    let firstNumber = report.segments.count
    for (number, entry) in logs.enumerated() {
      counting.begin(number)
      checkHeader(entry, &report)
      report.segments.append(try checkRecords(entry, counting, &report))
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
    let error: FormatError
    do throws(SedimentError) {
      guard let found = try surveyed.headerFault(of: entry) else { return }
      error = found
    } catch {
      return report.add(.unreadable, range, "The disk cannot read a segment's header. \(Advice.disk)")
    }
    let fault = "The header of a segment is damaged: \(error.description)."
    if survey.recovered != nil {
      // Opening would have refused anything else.
      report.add(.torn, range, "\(fault) It was not synced before a crash. \(Advice.opening)")
    } else {
      report.add(.corrupt, range, "\(fault) \(Advice.restore)")
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
  ) throws(SedimentError) -> VerificationReport.Segment {
    let run = entry.identity.run.byteRange
    let end = usedEnd(of: entry)
    var segment = VerificationReport.Segment(
      entry.identity, usedByteCount: end - run.lowerBound, isInUse: true)
    if end > surveyed.byteCount {
      report.add(.corrupt, surveyed.byteCount..<end, "The file ends before a segment does. \(Advice.restore)")
    }
    var sweep = RecordSweep(surveyed, entry.identity, base: entry.base, upTo: min(end, surveyed.byteCount))
    if entry.identity.kind == .hot { batches.begin(entry.base, highest: entry.highest) }
    var counts = SegmentEntry(tail: entry.identity, base: entry.base)
    var isWhole = end <= surveyed.byteCount
    while let step = try sweep.next() {
      switch step {
      case .record(let header, let offset):
        counts.count(header, now: 0)
        check(header, at: offset, in: entry, sweep.record, counting, isWhole ? counts : nil, &report)
      case .gap(let gap):
        isWhole = false
        batches.noteGap()
        report.add(gap)
      }
    }
    segment.recordCount = UInt64(counts.recordCount)
    if isWhole { compare(entry, counts, &report) }
    return segment
  }

  /// Checks what a record whose checksum matched says; the counts of those before it are nil if some are missing.
  private mutating func check(
    _ header: RecordHeader, at offset: UInt64, in entry: SegmentEntry, _ record: RecordCursor,
    _ counting: LiveCounting, _ counts: SegmentEntry?, _ report: inout VerificationReport
  ) {
    let range = offset..<offset + UInt64(header.byteCount)
    var outcome = BatchCheck.Outcome.nothing
    var fault: FormatError?
    var control: ControlRecord?
    var place: ValuePlace?
    do throws(FormatError) {
      control = try record.control(header)
      place = try record.place(header)
    } catch {
      fault = error
    }
    record.withRecord { bytes in
      if entry.identity.kind == .hot { outcome = batches.take(header, control, bytes, at: offset) }
      noteDictionary(header, bytes, at: offset)
      if header.kind != .control { counting.take(header, place, bytes, at: offset) }
    }
    if case .seal(let seal)? = control, let counts, seal.recordCount != counts.recordCount {
      fault = FormatError(.seal, .field(.count))
    }
    if case .mark(let mark)? = control, mark.salt != entry.identity.salt {
      fault = FormatError(.mark, .field(.salt))
    }
    if let fault {
      report.add(.inconsistent, range, "A record makes no sense: \(fault.description). \(Advice.restore)")
    }
    guard case .broken(let start, let isKnown) = outcome, !isKnown else { return }
    report.add(
      .inconsistent, min(start, range.lowerBound)..<range.upperBound,
      "A batch is not what its commit says. \(Advice.restore)")
  }

  /// Notes a good record if it is that of a dictionary of the catalogue.
  private mutating func noteDictionary(_ header: RecordHeader, _ bytes: RawSpan, at offset: UInt64) {
    guard let number = header.dictionaryNumber(in: bytes), let entry = catalogue.dictionaries[number],
      entry.offset.byteOffset == offset,
      Checksum.empty.continued(with: bytes.extracting(header.valueRange)) == entry.checksum
    else { return }
    foundDictionaries.insert(entry.number)
  }

  /// Tells of dictionaries that are not where the catalogue says.
  private func reportLostDictionaries(_ report: inout VerificationReport) {
    for entry in catalogue.dictionaries.values.sorted(by: { $0.number < $1.number })
    where !foundDictionaries.contains(entry.number) {
      let start = entry.offset.byteOffset
      report.add(
        .inconsistent, start..<start + UInt64(Limits.unitByteCount),
        "Dictionary \(entry.number) is not there, without which some values cannot be read. \(Advice.restore)"
      )
    }
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
    let run = segment.run.byteRange.clamped(to: 0..<surveyed.byteCount)
    let used = min(max(end, run.lowerBound), run.upperBound)
    try meter.add(used - run.lowerBound)
    try report.readUnused(used..<run.upperBound, of: surveyed.file, &meter)
  }
}
