internal import SedimentDisk
internal import SedimentFormat

/// Reads every byte of a store's file and says what is wrong with it, without writing anything (DESIGN.md 7,
/// "Verification").
struct Verification {
  let file: StoreFile
  let disk: any Disk
  var report: VerificationReport
  var meter: ProgressMeter
  let head: HeadSurvey

  init(
    _ file: StoreFile, on disk: any Disk, _ progress: ((SedimentProgress) -> SedimentIteration)?
  ) throws(SedimentError) {
    self.file = file
    self.disk = disk
    let byteCount = try file.byteCount()
    report = VerificationReport(path: file.path, fileByteCount: byteCount)
    meter = ProgressMeter(path: file.path, totalByteCount: byteCount, progress)
    head = HeadSurvey(file)
  }

  var fileByteCount: UInt64 { report.fileByteCount }

  /// The report; throws only for a file that is foreign or of a newer version, and if it is stopped.
  consuming func run() throws(SedimentError) -> VerificationReport {
    var verification = self
    try verification.verify()
    return verification.report
  }

  private mutating func verify() throws(SedimentError) {
    try meter.add(0)
    if let newer = head.failure(path: file.path) { throw newer }
    let walk = try SegmentWalk(file, byteCount: fileByteCount, head.sound.first?.identity)
    // Both superblocks of a store may be gone; its segments say whose they are.
    if head.isAbsent, walk.headers.isEmpty { throw .foreign(file.path) }
    noteSuperblocks()
    let survey = try LogSurvey.read(file, head.sound)
    note(survey)
    if let catalogue = survey.catalogue, let identity = head.sound.first?.identity {
      var check = SegmentCheck(file, identity, survey, catalogue, disk)
      try check.run(&report, &meter)
    }
    noteOthers(walk, survey)
    try readUnused(survey.catalogue)
    noteFailure(survey)
    report.settle()
    meter.finish()
  }

  // MARK: Head and log

  private mutating func noteSuperblocks() {
    for (copy, state) in head.copies {
      report.superblocks.append(VerificationReport.Superblock(copy, state))
      let range = copy.byteOffset..<copy.byteOffset + UInt64(Superblock.byteCount)
      let rest = head.sound.isEmpty ? Advice.restore : "The other one is used. \(Advice.opening)"
      switch state {
      case .sound: break
      case .unsound(let error):
        report.add(.corrupt, range, "Instead of a superblock there is: \(error.description). \(rest)")
      case .unreadable:
        report.add(.unreadable, range, "The disk cannot read a superblock. \(Advice.disk)")
      }
    }
  }

  private mutating func note(_ survey: LogSurvey) {
    report.logEnd = survey.end?.offset.byteOffset
    if let log = survey.recovered {
      report.wasClosed = log.isClean
      report.sequence = log.lastSequence.rawValue
      if !log.isClean { noteTail(log) }
    } else if survey.isComplete {
      report.wasClosed = false
      report.sequence = survey.tail?.highest.rawValue
    }
  }

  /// Tells of what stands behind the end of a log that was not closed.
  private mutating func noteTail(_ log: RecoveredLog) {
    guard let ending = log.ending, ending.fault != .absent else { return }
    let start = log.cut.offset.byteOffset
    let limit = min(log.tail.identity.run.byteRange.upperBound, fileByteCount)
    var window = CarefulWindow(file)
    var position = start
    var end = start
    while position < limit {
      window.load(from: position, limit: limit)
      guard window.byteCount > 0 else { break }
      if let last = window.buffer[..<window.byteCount].lastIndex(where: { $0 != 0 }) {
        end = position + UInt64(last) + 1
      }
      position = window.end
    }
    report.add(
      .torn, start..<max(end, start + 1),
      "What was written last was not synced before a crash (\(ending.description)); it never counted. "
        + "Opening the store for writing goes on before it.")
  }

  /// Why opening fails, unless that was found in its place already.
  private mutating func noteFailure(_ survey: LogSurvey) {
    guard let failure = survey.failure else { return }
    let offset = failure.offset ?? failure.systemError?.offset ?? 0
    if report.hasDamage(at: offset) { return }
    let kind: VerificationReport.Finding.Kind = failure.systemError == nil ? .corrupt : .unreadable
    report.add(
      kind, offset..<offset + UInt64(Limits.unitByteCount),
      "The store cannot be opened: \(failure.message)")
  }

  // MARK: What is not in use

  /// Tells of segments that the catalogue does not name.
  private mutating func noteOthers(_ walk: SegmentWalk, _ survey: LogSurvey) {
    let catalogue = survey.catalogue
    let failure = survey.failure?.offset ?? survey.failure?.systemError?.offset
    guard let fileIdentity = walk.identity else { return }
    let seen = Set(report.segments.map(\.generation))
    let others = walk.headers.filter { header in
      let isOwned = catalogue?.slots.generation(at: header.identity.run.first) != nil
      return !isOwned && !seen.contains(header.identity.generation.rawValue)
    }
    let found = FoundSegment.judge(others, file, fileIdentity, byteCount: fileByteCount)
    for other in found {
      let identity = other.identity
      var segment = VerificationReport.Segment(
        identity, usedByteCount: UInt64(SegmentHeader.byteCount), isInUse: false)
      if other.isLog {
        count(other, in: fileIdentity, isKnown: catalogue != nil, failure, &segment)
      }
      report.segments.append(segment)
      // Without a whole catalogue nothing tells what is in use.
      guard survey.isComplete else { continue }
      let range = identity.run.byteRange.clamped(to: 0..<fileByteCount)
      report.add(
        .orphaned, range,
        "A segment that was freed, or was never taken into the store before a crash. \(Advice.nothing)")
    }
  }

  /// Counts the records of a segment that no catalogue names.
  ///
  /// Where there is no catalogue at all, what is damaged between good records, or where opening fails, is told.
  private mutating func count(
    _ found: FoundSegment, in identity: FileIdentity, isKnown: Bool, _ failure: UInt64?,
    _ segment: inout VerificationReport.Segment
  ) {
    var sweep = RecordSweep(
      file, identity, found.identity, base: found.header.base, upTo: found.end)
    while let step = sweep.next() {
      switch step {
      case .record(let record, _):
        if record.kind != .control { segment.recordCount += 1 }
        segment.usedByteCount += UInt64(record.byteCount)
      case .gap(let gap):
        if isKnown { return }
        guard !gap.isLast || failure.map({ gap.range.contains($0) }) ?? false else { return }
        note(gap)
      }
    }
  }

  private mutating func note(_ gap: RecordSweep.Gap) {
    if gap.isUnreadable {
      report.add(.unreadable, gap.range, "The disk cannot read records. \(Advice.disk)")
    } else {
      report.add(
        .corrupt, gap.range, "Records are damaged: \(gap.reason.description). \(Advice.restore)")
    }
  }

  /// Reads what nothing is known of, to see whether the disk can.
  private mutating func readUnused(_ catalogue: Catalogue?) throws(SedimentError) {
    let slotByteCount = UInt64(Limits.slotByteCount)
    for copy in Superblock.Copy.allCases {
      let start = copy.byteOffset + UInt64(Superblock.byteCount)
      try read(start..<copy.byteOffset + slotByteCount)
      try meter.add(min(UInt64(Superblock.byteCount), fileByteCount))
    }
    let slotCount = UInt32(
      min((fileByteCount + slotByteCount - 1) / slotByteCount, UInt64(Limits.fileSlotCountMax)))
    for run in (catalogue?.slots ?? SlotMap()).freeRuns(before: slotCount) {
      try read(UInt64(run.lowerBound) * slotByteCount..<UInt64(run.upperBound) * slotByteCount)
    }
    // A file may be longer than any store.
    let end = UInt64(slotCount) * slotByteCount
    if end < fileByteCount { try read(end..<fileByteCount) }
  }

  private mutating func read(_ range: Range<UInt64>) throws(SedimentError) {
    try UnusedBytes(file).read(range.clamped(to: 0..<fileByteCount), &report, &meter)
  }
}

/// Reads bytes that hold nothing, only to see whether the disk can; holes are passed over.
struct UnusedBytes {
  private let file: StoreFile

  init(_ file: StoreFile) {
    self.file = file
  }

  func read(
    _ range: Range<UInt64>, _ report: inout VerificationReport, _ meter: inout ProgressMeter
  ) throws(SedimentError) {
    var window = CarefulWindow(file)
    var position = range.lowerBound
    while position < range.upperBound {
      let end = range.upperBound
      let data = file.readableRange(from: position, limit: end) ?? end..<end
      try meter.add(data.lowerBound - position)
      position = data.lowerBound
      while position < data.upperBound {
        window.load(from: position, limit: data.upperBound)
        guard window.byteCount > 0 else { return }
        try meter.add(UInt64(window.byteCount))
        position = window.end
      }
    }
    for bad in window.unreadable.ranges {
      report.add(.unreadable, bad, "The disk cannot read bytes that hold nothing. \(Advice.disk)")
    }
  }
}
