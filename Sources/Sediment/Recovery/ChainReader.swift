internal import SedimentFormat

/// A good record of the hot log.
struct LogRecord {
  let header: RecordHeader
  let position: LogPosition
  /// What it says, if it is a control record.
  let control: ControlRecord?
  /// Where its value lies, if that is a large one.
  let place: ValuePlace?
}

/// Reads the hot log record by record, along the seals (DESIGN.md 7, step 4).
///
/// It ends at the first record that is absent, cut short, not sound, or out of turn; what is sound and makes no
/// sense is an error, since a writer made it.
struct ChainReader {
  let surveyed: SurveyedFile
  private var cursor: RecordCursor
  /// The sequence of the record read last, or the one before the first; nil until one was read in the middle.
  private(set) var lastSequence: SequenceNumber?
  /// Why the log ends; nil while it goes on.
  private(set) var ending: FormatError?
  /// The window that may have what the log has not; nil where what it has does not count.
  var ring: Window?
  /// Where the first record lies that the window had and the log had not; nil while there is none.
  private(set) var firstFromRing: LogPosition?

  init(_ surveyed: SurveyedFile, _ segment: SegmentIdentity, base: SequenceNumber, from offset: UnitOffset) {
    self.surveyed = surveyed
    cursor = RecordCursor(surveyed, segment, base: base, from: offset.byteOffset)
    lastSequence = offset == segment.recordRange.lowerBound ? base : nil
  }

  /// What was read last.
  var window: FileWindow { cursor.window }
  var segment: SegmentIdentity { cursor.segment }
  var base: SequenceNumber { cursor.base }
  /// Behind the record read last; records lie in their segment, so that what is behind one is a position.
  var offset: UnitOffset { UnitOffset(byteOffset: cursor.position) ?? .zero }
  var position: LogPosition { LogPosition(segment.generation, offset) }

  /// Reads a piece of the file, which copies of this reader then have as well.
  mutating func load() throws(SedimentError) {
    try cursor.load(from: cursor.position)
  }

  /// The next record, nil at the log's end; of a part of a checkpoint without what it says, if that is known.
  mutating func next(passingParts: Bool = false) throws(SedimentError) -> LogRecord? {
    guard ending == nil, let header = try nextHeader() else { return nil }
    let start = position
    cursor.take(header)
    lastSequence = header.sequence
    do throws(FormatError) {
      return LogRecord(
        header: header, position: start, control: try cursor.control(header, passingParts: passingParts),
        place: try cursor.place(header))
    } catch {
      throw SedimentError(error, path: surveyed.file.path, offset: start.offset.byteOffset)
    }
  }

  /// Reads the plain puts that come next, as far as that is quick; the result is how many, and their bytes.
  mutating func skipPuts() -> (count: UInt32, byteCount: UInt64) {
    guard ending == nil, let sequence = lastSequence?.rawValue else { return (0, 0) }
    let start = cursor.position
    let count = cursor.skipPuts(after: sequence)
    lastSequence = SequenceNumber(sequence + UInt64(count)) ?? lastSequence
    return (count, cursor.position - start)
  }

  /// Adds the record read last to a batch; false beyond a batch's limit.
  func add(to batch: inout BatchChecksum) -> Bool {
    cursor.withRecord { batch.add($0) }
  }

  /// Goes on in the segment that a seal leads to; false, with the log's end here, if it is not in the file.
  mutating func follow(_ seal: Seal, of record: LogRecord) throws(SedimentError) -> Bool {
    let next = seal.next
    guard next.generation > segment.generation else {
      throw damaged("a seal leads back to an older segment", record)
    }
    guard next.recordRange.lowerBound.byteOffset < surveyed.byteCount else {
      ending = FormatError(.segmentHeader, .truncated)
      return false
    }
    cursor.move(to: next, base: record.header.sequence)
    lastSequence = base
    return true
  }

  func damaged(_ reason: String, _ record: LogRecord) -> SedimentError {
    surveyed.damaged(reason, at: record.position.offset.byteOffset)
  }

  /// The next record of the log: the one at the position or, where there is no good one, the one that the window has.
  private mutating func nextHeader() throws(SedimentError) -> RecordHeader? {
    if let header = try readHeader() { return header }
    guard try takeFromRing() else { return nil }
    ending = nil
    return try readHeader()
  }

  /// The good record at the position that is in its turn; else the log ends.
  private mutating func readHeader() throws(SedimentError) -> RecordHeader? {
    switch try cursor.read(at: cursor.position) {
    case .success(let header):
      guard let lastSequence, header.sequence != lastSequence.advanced(by: 1) else { return header }
      // Only chance lets a record of another use of these slots pass, and then hardly ever in its turn.
      ending = FormatError(.record, .field(.sequence))
    case .failure(let error):
      switch error.fault {
      case .absent, .truncated, .checksum, .field(.sequence): ending = error
      case .field, .newer: throw SedimentError(error, path: surveyed.file.path, offset: cursor.position)
      }
    }
    return nil
  }

  /// Lays what the window has of the log from the position on over the file; false if it has no good record there.
  private mutating func takeFromRing() throws(SedimentError) -> Bool {
    guard let ring, let lastSequence else { return false }
    let records = try RingReading(window: ring, surveyed: surveyed).records(
      of: segment, base: base, from: cursor.position, after: lastSequence)
    guard !records.isEmpty else { return false }
    surveyed.file.lay(records, over: cursor.position)
    firstFromRing = firstFromRing ?? position
    try cursor.load(from: cursor.position)
    return true
  }
}

/// Reads what a window has of the log behind a place where the log itself breaks off (DESIGN.md 7, step 4).
struct RingReading {
  let window: Window
  let surveyed: SurveyedFile

  /// The good records of a segment from an offset on, as long as each is the next one.
  ///
  /// Nothing but the records says what the ring holds: each is good in one place of one use of one file, in its turn.
  func records(
    of segment: SegmentIdentity, base: SequenceNumber, from start: UInt64, after last: SequenceNumber
  ) throws(SedimentError) -> [UInt8] {
    let end = min(window.end(from: start), segment.run.byteRange.upperBound, surveyed.byteCount)
    guard start < end else { return [] }
    let bytes = try surveyed.file.bytes(at: window.place(of: start), count: Int(end - start))
    let seed = segment.seed(in: surveyed.identity)
    var count = 0
    var sequence = last
    while count < bytes.count, let offset = UnitOffset(byteOffset: start + UInt64(count)),
      let header = try? RecordHeader.decode(
        unsafe bytes.span.bytes.extracting(count..<bytes.count),
        at: RecordPlace(seed: seed, base: base, offset: offset)),
      header.sequence == sequence.advanced(by: 1)
    {
      count += header.byteCount
      sequence = header.sequence
    }
    return Array(bytes[..<count])
  }
}
