internal import SedimentDisk
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
  private let file: StoreFile
  let identity: FileIdentity
  /// The length of the file.
  let fileByteCount: UInt64
  private var window: FileWindow
  private(set) var segment: SegmentIdentity
  private(set) var base: SequenceNumber
  private var seed: Checksum
  /// Behind the record read last.
  private(set) var offset: UnitOffset
  /// The sequence of the record read last, or the one before the first; nil until one was read in the middle.
  private(set) var lastSequence: SequenceNumber?
  /// Where in the window the record lies that was read last.
  private var record = 0..<0
  /// Why the log ends; nil while it goes on.
  private(set) var ending: FormatError?
  /// The window that may have what the log has not; nil where what it has does not count.
  var ring: Window?
  /// Where the first record lies that the window had and the log had not; nil while there is none.
  private(set) var firstFromRing: LogPosition?

  init(
    _ file: StoreFile, _ identity: FileIdentity, fileByteCount: UInt64, segment: SegmentIdentity,
    base: SequenceNumber, from offset: UnitOffset
  ) {
    self.file = file
    self.identity = identity
    self.fileByteCount = fileByteCount
    window = FileWindow(file)
    self.segment = segment
    self.base = base
    seed = segment.seed(in: identity)
    self.offset = offset
    let isWhole = offset == segment.recordRange.lowerBound
    lastSequence = isWhole ? base : nil
  }

  /// Behind the record read last.
  var position: LogPosition { LogPosition(segment.generation, offset) }

  /// The next record, nil at the log's end.
  mutating func next() throws(SedimentError) -> LogRecord? {
    guard ending == nil, let header = try nextHeader() else { return nil }
    let start = position
    let begin = window.range(from: offset.byteOffset).lowerBound
    record = begin..<begin + header.byteCount
    let result = LogRecord(
      header: header, position: start, control: try decodeControl(header), place: try decodePlace(header))
    // The record lies in its segment, so that what is behind it is a position.
    offset = UnitOffset(byteOffset: offset.byteOffset + UInt64(header.byteCount)) ?? offset
    lastSequence = header.sequence
    return result
  }

  /// Reads the plain puts that come next, as far as they are in the window and sound; the result is how many, and
  /// their bytes.
  ///
  /// Most of a log are such. What stops it is left to `next`, which tells why.
  mutating func skipPuts() -> (count: UInt32, byteCount: UInt64) {
    guard ending == nil, let sequence = lastSequence?.rawValue else { return (0, 0) }
    let (count, byteCount) = plainPuts(after: sequence)
    // They lie in the window, which ends where the segment does.
    offset = UnitOffset(byteOffset: offset.byteOffset + byteCount) ?? offset
    lastSequence = SequenceNumber(sequence + UInt64(count)) ?? lastSequence
    return (count, byteCount)
  }

  private func plainPuts(after sequence: UInt64) -> (count: UInt32, byteCount: UInt64) {
    let range = window.range(from: offset.byteOffset)
    var place = 0
    var count: UInt32 = 0
    unsafe window.buffer.withUnsafeBytes { buffer in
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[range])
      while let start = bytes.baseAddress, place < bytes.count,
        let view = unsafe RecordView(start + place, available: bytes.count - place),
        view.shape == RecordKind.put.rawValue, isNext(view, after: sequence + UInt64(count)),
        view.isIntact(at: offset.byteOffset + UInt64(place), seed: seed.rawValue), view.isPaddedWithZeros
      {
        place += view.byteCount
        count += 1
      }
    }
    return (count, UInt64(place))
  }

  @inline(__always)
  private func isNext(_ view: RecordView, after sequence: UInt64) -> Bool {
    sequence < Limits.sequenceMax && view.sequenceLow == (sequence + 1) & (Limits.sequenceSpan - 1)
  }

  /// Adds the record read last to a batch; false beyond a batch's limit.
  func add(to batch: inout BatchChecksum) -> Bool {
    batch.add(unsafe window.buffer.span.bytes.extracting(record))
  }

  /// Goes on in the segment that a seal leads to; false, with the log's end here, if it is not in the file.
  mutating func follow(_ seal: Seal, of record: LogRecord) throws(SedimentError) -> Bool {
    let next = seal.next
    guard next.generation > segment.generation else {
      throw damaged("a seal leads back to an older segment", record)
    }
    guard next.recordRange.lowerBound.byteOffset < fileByteCount else {
      ending = FormatError(.segmentHeader, .truncated)
      return false
    }
    segment = next
    base = record.header.sequence
    seed = next.seed(in: identity)
    offset = next.recordRange.lowerBound
    lastSequence = base
    return true
  }

  func damaged(_ reason: String, _ record: LogRecord) -> SedimentError {
    .damaged(reason, path: file.path, offset: record.position.offset.byteOffset)
  }

  /// The next record of the log: the one at the position or, where there is no good one, the one that the window has.
  private mutating func nextHeader() throws(SedimentError) -> RecordHeader? {
    if let header = try decodeHeader(), isNext(header) { return header }
    guard try takeFromRing() else { return nil }
    ending = nil
    return try decodeHeader()
  }

  /// Whether a record is in its turn; else the log ends.
  private mutating func isNext(_ header: RecordHeader) -> Bool {
    guard let lastSequence, header.sequence != lastSequence.advanced(by: 1) else { return true }
    // Only chance lets a record of another use of these slots pass, and then hardly ever in its turn.
    ending = FormatError(.record, .field(.sequence))
    return false
  }

  /// Lays what the window has of the log from the position on over the file; false if it has no good record there.
  private mutating func takeFromRing() throws(SedimentError) -> Bool {
    let start = offset.byteOffset
    guard let ring, let lastSequence else { return false }
    let limit = min(segment.run.byteRange.upperBound, fileByteCount)
    let records = try RingReading(window: ring, file: file).records(
      of: segment, in: identity, base: base, from: start, after: lastSequence, upTo: limit)
    guard !records.isEmpty else { return false }
    file.lay(records, over: start)
    firstFromRing = firstFromRing ?? position
    try window.load(from: start, limit: limit)
    return true
  }

  /// Decodes the record at the position, for which the window is moved and grows as far as it takes.
  private mutating func decodeHeader() throws(SedimentError) -> RecordHeader? {
    let start = offset.byteOffset
    let limit = min(segment.run.byteRange.upperBound, fileByteCount)
    while true {
      let range = window.range(from: start)
      do throws(FormatError) {
        return try RecordHeader.decode(
          unsafe window.buffer.span.bytes.extracting(range),
          at: RecordPlace(seed: seed, base: base, offset: offset))
      } catch {
        if error.fault == .truncated, start + UInt64(range.count) < limit {
          try window.load(from: start, limit: limit, minimum: 2 * range.count)
          // A file that became shorter meanwhile has no more to give.
          if window.byteCount > range.count { continue }
        }
        switch error.fault {
        case .absent, .truncated, .checksum, .field(.sequence): ending = error
        case .field, .newer: throw SedimentError(error, path: file.path, offset: start)
        }
        return nil
      }
    }
  }

  private func decodeControl(_ header: RecordHeader) throws(SedimentError) -> ControlRecord? {
    guard header.kind == .control else { return nil }
    do throws(FormatError) {
      return try ControlRecord.decode(
        unsafe window.buffer.span.bytes.extracting(record).extracting(header.valueRange),
        isBatched: header.isBatched)
    } catch {
      throw SedimentError(error, path: file.path, offset: offset.byteOffset)
    }
  }

  private func decodePlace(_ header: RecordHeader) throws(SedimentError) -> ValuePlace? {
    guard header.kind == .putLarge else { return nil }
    do throws(FormatError) {
      return try ValuePlace.decode(
        unsafe window.buffer.span.bytes.extracting(record).extracting(header.valueRange))
    } catch {
      throw SedimentError(error, path: file.path, offset: offset.byteOffset)
    }
  }
}
