internal import SedimentDisk
internal import SedimentFormat

/// What a backup copies: the log up to one sequence, and the catalogue as it was then.
struct BackupSource {
  /// The log as if it had been read up to there, the entry of its last segment included.
  let log: RecoveredLog

  /// What of a segment holds something.
  func usedRange(of entry: SegmentEntry) -> Range<UInt64> {
    let run = entry.identity.run.byteRange
    // What the window has of the log is in its place by now.
    if entry.identity.kind == .window {
      return run.lowerBound..<run.lowerBound + UInt64(SegmentHeader.byteCount)
    }
    if entry.identity == log.tail.identity { return run.lowerBound..<log.end.offset.byteOffset }
    return run.lowerBound..<(entry.end?.byteOffset ?? run.upperBound)
  }

  /// The segments of the copy, parts of the stored index among them, in the order of the file.
  var segments: [(identity: SegmentIdentity, range: Range<UInt64>)] {
    let records = log.catalogue.segments.values.map { ($0.identity, usedRange(of: $0)) }
    let parts = log.catalogue.indexParts.map { ($0.segment, $0.segment.run.byteRange) }
    return (records + parts).sorted { $0.1.lowerBound < $1.1.lowerBound }
  }

  /// How long the copy is before it gets a segment of its own.
  var byteCount: UInt64 {
    UInt64(log.catalogue.slots.end) * UInt64(Limits.slotByteCount)
  }
}

extension BackupSource {
  /// The log of a store that nobody changes, as it is in its file.
  init(reading file: StoreFile) throws(SedimentError) {
    self.init(log: try LogReading(StoreFile(file.file)).run())
  }

  /// The log of an open store at this moment.
  init(_ writer: inout LogWriter, _ leading: Superblock, clock: UInt64) {
    writer.updateNumbers(clock: clock)
    let catalogue = writer.catalogue
    let tail = writer.tail
    let end = tail.position
    let sequence = SequenceNumber(tail.sequence)!
    log = RecoveredLog(
      head: Head(leading: leading, other: nil), catalogue: catalogue, end: end, tail: tail.entry,
      lastSequence: sequence, watermark: end, isClean: true,
      checkpoint: LogPosition(leading.segment.generation, leading.checkpoint), replayedByteCount: 0,
      replayedRecordCount: 0, ending: nil, cut: end, clock: catalogue.numbers.clocks.highest,
      highestSequence: max(sequence, catalogue.highestSequence),
      highestGeneration: catalogue.highestGeneration,
      patched: nil, unsecured: RecoveredLog.Unsecured(fileByteCount: 0)
    )
  }
}

extension RecoveredLog {
  /// The same log in a file of another length, of which nothing needs to be secured.
  func inFile(ofByteCount byteCount: UInt64) -> RecoveredLog {
    var log = self
    log.unsecured = Unsecured(fileByteCount: byteCount)
    return log
  }
}
