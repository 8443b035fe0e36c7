internal import SedimentDisk
internal import SedimentFormat

/// Reads every byte of a store's file and says what is wrong with it, without writing anything (DESIGN.md 7,
/// "Verification").
struct Verification {
  private let survey: FileSurvey
  private let disk: any Disk
  private var report: VerificationReport
  private let meter: ProgressMeter

  /// Throws only for a file that is foreign or of a newer version, and if it is stopped.
  init(
    _ file: StoreFile, on disk: any Disk, _ progress: ((SedimentProgress) -> SedimentIteration)?
  ) throws(SedimentError) {
    self.disk = disk
    let byteCount = try file.byteCount()
    report = VerificationReport(path: file.path, fileByteCount: byteCount)
    meter = ProgressMeter(path: file.path, totalByteCount: byteCount, progress)
    try meter.add(0)
    file.meter = meter
    survey = try FileSurvey(file)
  }

  private var file: StoreFile { survey.file }
  private var fileByteCount: UInt64 { report.fileByteCount }

  /// The report; throws only if it is stopped.
  mutating func run() throws(SedimentError) -> VerificationReport {
    noteSuperblocks()
    try noteLog()
    if let catalogue = survey.log.catalogue, let surveyed = survey.surveyed, !survey.head.sound.isEmpty {
      var check = SegmentCheck(surveyed, survey.log, catalogue, on: disk, report, meter)
      try check.run()
      report = check.report
    }
    try noteOthers()
    try readUnused()
    noteFailure()
    report.settle()
    try meter.checkStopped()
    meter.finish()
    return report
  }

  // MARK: Head and log

  private mutating func noteSuperblocks() {
    for (copy, found) in survey.head.copies {
      let range = copy.byteOffset..<copy.byteOffset + UInt64(Superblock.byteCount)
      let rest = survey.head.sound.isEmpty ? Advice.restore : "The other one is used. \(Advice.opening)"
      let state: VerificationReport.Superblock.State
      switch found {
      case .sound(let block):
        let generation = block.generation.rawValue
        state = block.state == .closed ? .closed(generation: generation) : .open(generation: generation)
      case .unsound(let error):
        state = .damaged(reason: error.description)
        report.add(.corrupt, range, "Instead of a superblock there is: \(error.description). \(rest)")
      case .unreadable:
        state = .unreadable
        report.add(.unreadable, range, "The disk cannot read a superblock. \(Advice.disk)")
      }
      report.superblocks.append(VerificationReport.Superblock(offset: copy.byteOffset, state: state))
    }
  }

  private mutating func noteLog() throws(SedimentError) {
    report.logEnd = survey.log.end?.offset.byteOffset
    if let log = survey.log.recovered {
      report.wasClosed = log.isClean
      report.sequence = log.lastSequence.rawValue
      if !log.isClean { try noteTail(log) }
    } else if survey.log.isComplete {
      report.wasClosed = false
      report.sequence = survey.log.tail?.highest.rawValue
    }
  }

  /// Tells of what stands behind the end of a log that was not closed.
  private mutating func noteTail(_ log: RecoveredLog) throws(SedimentError) {
    guard let ending = log.ending, ending.fault != .absent else { return }
    let start = log.end.offset.byteOffset
    let limit = min(log.tail.identity.run.byteRange.upperBound, fileByteCount)
    var window = FileWindow(file, isCareful: true)
    var position = start
    var end = start
    while position < limit {
      try window.load(from: position, limit: limit)
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

  /// Tells why opening fails, unless that was found in its place already.
  private mutating func noteFailure() {
    guard let failure = survey.log.failure else { return }
    let offset = failure.place ?? 0
    if report.findings.contains(where: { $0.kind.isDamage && $0.range.contains(offset) }) { return }
    report.add(
      failure.systemError == nil ? .corrupt : .unreadable, offset..<offset + UInt64(Limits.unitByteCount),
      "The store cannot be opened: \(failure.message)")
  }

  // MARK: What is not in use

  /// Tells of segments that the catalogue does not name.
  private mutating func noteOthers() throws(SedimentError) {
    guard let surveyed = survey.surveyed else { return }
    let catalogue = survey.log.catalogue
    let seen = Set(report.segments.map(\.generation))
    let others = survey.headers.filter { header in
      let isOwned = catalogue?.slots.generation(at: header.identity.run.first) != nil
      return !isOwned && !seen.contains(header.identity.generation.rawValue)
    }
    for other in try FoundSegment.judge(others, surveyed) {
      var segment = VerificationReport.Segment(
        other.identity, usedByteCount: UInt64(SegmentHeader.byteCount), isInUse: false)
      if other.identity.kind.holdsRecords { try count(other, surveyed, &segment) }
      report.segments.append(segment)
      // Without a whole catalogue nothing tells what is in use.
      guard survey.log.isComplete else { continue }
      let range = other.identity.run.byteRange.clamped(to: 0..<fileByteCount)
      report.add(
        .orphaned, range,
        "A segment that was freed, or was never taken into the store before a crash. \(Advice.nothing)")
    }
  }

  /// Counts the records of a segment that no catalogue names.
  ///
  /// Where there is no catalogue at all, what is damaged between good records, or where opening fails, is told.
  private mutating func count(
    _ found: FoundSegment, _ surveyed: SurveyedFile, _ segment: inout VerificationReport.Segment
  ) throws(SedimentError) {
    let failure = survey.log.failure?.place
    var sweep = found.sweep(surveyed)
    while let step = try sweep.next() {
      switch step {
      case .record(let record, _):
        if record.kind != .control { segment.recordCount += 1 }
        segment.usedByteCount += UInt64(record.byteCount)
      case .gap(let gap):
        if survey.log.catalogue != nil { return }
        guard !gap.isLast || failure.map({ gap.range.contains($0) }) ?? false else { return }
        report.add(gap)
      }
    }
  }

  /// Reads what nothing is known of, to see whether the disk can.
  private mutating func readUnused() throws(SedimentError) {
    let slotByteCount = UInt64(Limits.slotByteCount)
    for copy in Superblock.Copy.allCases {
      let start = copy.byteOffset + UInt64(Superblock.byteCount)
      try readUnused(start..<copy.byteOffset + slotByteCount)
      try meter.add(min(UInt64(Superblock.byteCount), fileByteCount))
    }
    let slotCount = UInt32(
      min((fileByteCount + slotByteCount - 1) / slotByteCount, UInt64(Limits.fileSlotCountMax)))
    for run in (survey.log.catalogue?.slots ?? SlotMap()).freeRuns(before: slotCount) {
      try readUnused(SlotSpace.byteRange(of: run))
    }
    // A file may be longer than any store.
    let end = UInt64(slotCount) * slotByteCount
    if end < fileByteCount { try readUnused(end..<fileByteCount) }
  }

  private mutating func readUnused(_ range: Range<UInt64>) throws(SedimentError) {
    try report.readUnused(range.clamped(to: 0..<fileByteCount), of: file, meter)
  }
}

extension SedimentError {
  /// The byte of the file that it is about, by itself or by the call that failed.
  fileprivate var place: UInt64? { offset ?? systemError?.offset }
}

extension VerificationReport {
  /// Tells of records that were not found good.
  mutating func add(_ gap: RecordSweep.Gap) {
    if gap.isUnreadable {
      add(.unreadable, gap.range, "The disk cannot read records. \(Advice.disk)")
    } else {
      add(.corrupt, gap.range, "Records are damaged: \(gap.reason.description). \(Advice.restore)")
    }
  }

  /// Reads bytes that hold nothing, only to see whether the disk can; holes are passed over.
  mutating func readUnused(
    _ range: Range<UInt64>, of file: StoreFile, _ meter: ProgressMeter
  ) throws(SedimentError) {
    var window = FileWindow(file, isCareful: true)
    var position = range.lowerBound
    let end = range.upperBound
    while position < end {
      let data = file.readableRange(from: position, limit: end) ?? end..<end
      try meter.add(data.lowerBound - position)
      position = data.lowerBound
      while position < data.upperBound {
        try window.load(from: position, limit: data.upperBound)
        guard window.byteCount > 0 else { return }
        try meter.add(UInt64(window.byteCount))
        position = window.end
      }
    }
    for bad in window.unreadable.runs {
      add(.unreadable, bad, "The disk cannot read bytes that hold nothing. \(Advice.disk)")
    }
  }
}

extension StoreOpening {
  /// Runs `body` with a file that is open for reading, and that nobody changes meanwhile.
  static func reading<Result>(
    _ path: String, on disk: any Disk, _ body: (StoreFile) throws -> Result
  ) throws -> Result {
    let opening = try StoreOpening(path: path, options: SedimentOptions(readOnly: true), disk: disk)
    let file = try disk.openFile(opening.path, .read)
    // Closing releases the lock, too.
    defer { try? file.close() }
    let ticket = try opening.takeLocks(file)
    defer { ticket.giveBack() }
    return try body(file)
  }
}

/// What the findings of verification advise.
enum Advice {
  static let restore = "Keep the file as it is; restore a backup, or salvage it."
  static let disk = "Copy the file while that is possible, and look after the disk."
  static let nothing = "Nothing needs to be done."
  static let opening = "Opening the store for writing mends it."
}
