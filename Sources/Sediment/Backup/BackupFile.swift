internal import SedimentDisk
internal import SedimentFormat

/// The file that a backup becomes, from its first byte to the sync.
struct BackupFile {
  let file: StoreFile
  let disk: any Disk

  /// How much is copied at once.
  private static let pieceByteCount = 1 << 20

  /// Copies a segment's bytes to the same place, and tells of each piece how long it was.
  ///
  /// A part of the stored index, or the header of a window, that cannot be read is left off: the copy opens without it.
  func copy(
    _ range: Range<UInt64>, of segment: SegmentIdentity, from source: StoreFile,
    _ told: (UInt64) throws(SedimentError) -> Void
  ) throws(SedimentError) {
    var buffer = [UInt8](repeating: 0, count: min(range.count, Self.pieceByteCount))
    var position = range.lowerBound
    while position < range.upperBound {
      let count = Int(min(range.upperBound - position, UInt64(buffer.count)))
      do throws(SedimentError) {
        guard try source.read(into: &buffer, 0..<count, at: position) == count else {
          throw .damaged("the file ends before a segment does", path: source.path, offset: position)
        }
      } catch {
        if segment.kind == .index || segment.kind == .window { return try told(range.upperBound - position) }
        throw error
      }
      try file.write(unsafe buffer.span.bytes.extracting(0..<count), at: position)
      position += UInt64(count)
      try told(UInt64(count))
    }
  }

  /// Gives back whatever else lies in a file that shares its blocks with the one it is a copy of.
  ///
  /// What stays behind all the same is in nobody's way.
  func clear(but source: BackupSource) throws(SedimentError) {
    try file.truncate(to: source.byteCount)
    try file.write([UInt8](repeating: 0, count: OwnerNote.byteCount), at: OwnerNote.byteOffset)
    guard file.traits.punchesHoles else { return }
    let slots = source.log.catalogue.slots
    for run in slots.freeRuns(before: slots.end) {
      try? file.punchHole(SlotSpace.byteRange(of: run))
    }
    let tail = source.log.tail.identity.run.byteRange
    try? file.punchHole(source.log.end.offset.byteOffset..<tail.upperBound)
  }

  /// Makes it a closed store of a lineage of its own: the log goes on in another segment, which begins with the
  /// catalogue, behind where it was copied up to; then the head; then a sync.
  func complete(_ source: BackupSource) throws(SedimentError) {
    // Nothing of it needs to be secured.
    var log = source.log
    log.unsecured = RecoveredLog.Unsecured(fileByteCount: source.byteCount)
    var fresh = try FreshLog(behind: log, in: file, on: disk)
    try fresh.writeCheckpoint()
    let next = fresh.log
    let parent = log.head.leading
    let lineage = Lineage(
      low: disk.random(), high: disk.random(), parentLow: parent.lineage.low, parentHigh: parent.lineage.high,
      fork: log.lastSequence)
    var block = Superblock(
      copy: .first, generation: .first, features: parent.features, identity: parent.identity, state: .closed,
      lineage: lineage, session: disk.random(), createdAt: disk.wallClock(), segment: fresh.first,
      checkpoint: next.checkpoint.offset, watermark: next.end)
    try file.write(block.encode(), at: block.copy.byteOffset)
    block.copy = .second
    block.generation = EmptyStoreImage.leadingGeneration
    try file.write(block.encode(), at: block.copy.byteOffset)
    try file.sync()
    try file.close()
  }
}

/// What a backup copies: the log up to one sequence, and the catalogue as it was then.
struct BackupSource {
  /// The log as if it had been read up to there, the entry of its last segment included.
  let log: RecoveredLog

  /// The log of a store that nobody changes, as it is in its file, up to a limit.
  init(reading file: StoreFile, upTo limit: LogPosition? = nil) throws(SedimentError) {
    log = try LogReading(StoreFile(file.file)).run(upTo: limit)
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
      replayedRecordCount: 0, ending: nil, clock: catalogue.numbers.clocks.highest,
      highestSequence: max(sequence, catalogue.highestSequence),
      highestGeneration: catalogue.highestGeneration,
      patched: nil, unsecured: RecoveredLog.Unsecured(fileByteCount: 0), uncheckedHeaders: nil,
      uncheckedEnd: nil)
  }

  /// The part of a segment that holds something.
  private func usedRange(of entry: SegmentEntry) -> Range<UInt64> {
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
    let records = log.catalogue.segments.map { ($0.identity, usedRange(of: $0)) }
    let parts = log.catalogue.indexParts.map { ($0.segment, $0.segment.run.byteRange) }
    return (records + parts).sorted { $0.1.lowerBound < $1.1.lowerBound }
  }

  /// How long the copy is before it gets a segment of its own.
  var byteCount: UInt64 {
    UInt64(log.catalogue.slots.end) * UInt64(Limits.slotByteCount)
  }
}
