internal import SedimentDisk
internal import SedimentFormat

/// Holds the segments of a catalogue against what lies in them: headers, records, counts, large values.
struct SegmentCheck {
  let surveyed: SurveyedFile
  let survey: LogSurvey
  let catalogue: Catalogue
  /// The segments of the catalogue in the order of their generations.
  let entries: [SegmentEntry]
  var report: VerificationReport
  let meter: ProgressMeter
  private let counting: LiveCounting
  private var batches = BatchCheck()
  var holes: HoleBudget
  /// The numbers of dictionaries that lie where the catalogue says, whole.
  private var foundDictionaries: Set<UInt32> = []

  init(
    _ surveyed: SurveyedFile, _ survey: LogSurvey, _ catalogue: Catalogue, on disk: any Disk,
    _ report: VerificationReport, _ meter: ProgressMeter
  ) {
    (self.surveyed, self.survey, self.catalogue) = (surveyed, survey, catalogue)
    (self.report, self.meter) = (report, meter)
    entries = Array(catalogue.segments)
    holes = HoleBudget(surveyed.file)
    func keyHash() -> KeyHash { KeyHash(low: disk.random(), high: disk.random()) }
    counting = LiveCounting(
      entries.filter(\.holdsRecords), of: catalogue, surveyed, keyHash: keyHash(),
      survey.recovered.flatMap { StoredIndexCheck($0, surveyed, keyHash: keyHash()) })
  }

  /// Adds what it finds to `report`.
  mutating func run() throws(SedimentError) {
    let firstNumber = report.segments.count
    for (number, entry) in entries.filter(\.holdsRecords).enumerated() {
      counting.begin(number)
      checkHeader(entry)
      try checkRecords(entry)
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
    reportLostDictionaries()
    let isWhole = counting.isWhole && report.isIntact
    if isWhole { checkStoredIndex() }
    try checkExtents(found.larges, isWhole: isWhole)
    try checkCaches()
  }

  /// Tells of a stored index whose parts are whole and say other things than the records do.
  private mutating func checkStoredIndex() {
    guard let part = catalogue.indexParts.first, !counting.isStoredIndexTrue else { return }
    report.add(
      .inconsistent, part.segment.run.byteRange,
      "The stored index leads to other records than the log has. A store that is opened by it shows wrong values and lacks "
        + "keys. All records are whole: salvage the file.")
  }

  mutating func checkHeader(_ entry: SegmentEntry) {
    let start = entry.identity.run.byteRange.lowerBound
    let range = start..<start + UInt64(SegmentHeader.byteCount)
    do throws(SedimentError) {
      guard let error = try surveyed.headerFault(of: entry) else { return }
      let fault = "The header of a segment is damaged: \(error.description)."
      if survey.recovered != nil {
        // Opening would have refused anything else.
        report.add(.torn, range, "\(fault) It was not synced before a crash. \(Advice.opening)")
      } else {
        report.add(.corrupt, range, "\(fault) \(Advice.restore)")
      }
    } catch {
      report.add(.unreadable, range, "The disk cannot read a segment's header. \(Advice.disk)")
    }
  }

  /// Reads what lies behind the part of a segment that was checked.
  mutating func readRest(of segment: SegmentIdentity, behind end: UInt64) throws(SedimentError) {
    let run = segment.run.byteRange.clamped(to: 0..<surveyed.byteCount)
    let used = min(max(end, run.lowerBound), run.upperBound)
    try meter.add(used - run.lowerBound)
    try report.readUnused(used..<run.upperBound, of: surveyed.file, meter)
  }

  // MARK: Records

  /// Where a segment's records end; in the one where the log breaks off, as far as anything can be known of.
  private func usedEnd(of entry: SegmentEntry) -> UInt64 {
    if let end = survey.end(of: entry) { return end }
    let least = survey.leastEnd(of: entry.identity)
    guard least > 0, let end = survey.end, end.generation == entry.identity.generation else {
      return entry.identity.run.byteRange.upperBound
    }
    return max(end.offset.byteOffset, least)
  }

  /// Reads a segment with records, and adds it to the report.
  private mutating func checkRecords(_ entry: SegmentEntry) throws(SedimentError) {
    let end = usedEnd(of: entry)
    var isWhole = end <= surveyed.byteCount
    if !isWhole {
      report.add(.corrupt, surveyed.byteCount..<end, "The file ends before a segment does. \(Advice.restore)")
    }
    var sweep = RecordSweep(surveyed, entry.identity, base: entry.base, upTo: end)
    if entry.identity.kind == .hot { batches.begin(entry.base, highest: entry.highest) }
    var counts = SegmentEntry(tail: entry.identity, base: entry.base)
    while let step = try sweep.next() {
      switch step {
      case .record(let header, let offset):
        counts.count(header, now: 0)
        check(header, at: offset, in: entry, sweep.cursor, isWhole ? counts : nil)
      case .gap(let gap):
        isWhole = false
        batches.noteGap()
        report.add(gap)
      }
    }
    if isWhole { compare(entry, counts) }
    var segment = VerificationReport.Segment(
      entry.identity, usedByteCount: end - entry.identity.run.byteRange.lowerBound, isInUse: true)
    segment.recordCount = UInt64(counts.recordCount)
    report.segments.append(segment)
    try readRest(of: entry.identity, behind: end)
  }

  /// Checks what a record whose checksum matched says; the counts up to it are nil if records before it are missing.
  private mutating func check(
    _ header: RecordHeader, at offset: UInt64, in entry: SegmentEntry, _ record: RecordCursor,
    _ counts: SegmentEntry?
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
    switch control {
    case .seal(let seal)? where counts.map { $0.recordCount != seal.recordCount } ?? false:
      fault = FormatError(.seal, .field(.count))
    case .mark(let mark)? where mark.salt != entry.identity.salt:
      fault = FormatError(.mark, .field(.salt))
    default: break
    }
    if let fault {
      report.add(.inconsistent, range, "A record makes no sense: \(fault.description). \(Advice.restore)")
    }
    // What a gap breaks is told already.
    guard case .broken(let start, byGap: false) = outcome else { return }
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
  private mutating func reportLostDictionaries() {
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
  private mutating func compare(_ entry: SegmentEntry, _ counts: SegmentEntry) {
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
}
