package import SedimentFormat

/// Goes through the records of a segment, from one to the next (DESIGN.md 3.4).
///
/// What is no good record it tells and stays before. A careful one does not stop where the disk cannot read.
package struct RecordCursor {
  private(set) var segment: SegmentIdentity
  private(set) var base: SequenceNumber
  private var seed: Checksum
  /// Behind the last byte that records may have.
  private(set) var limit: UInt64
  private(set) var window: FileWindow
  private let identity: FileIdentity
  private let fileByteCount: UInt64
  /// Behind the record that was read last.
  package internal(set) var position: UInt64
  /// Where in the window that record lies.
  private var record = 0..<0

  /// A cursor at a position, or the segment's first; records end before `end`, and where the file does.
  package init(
    _ surveyed: SurveyedFile, _ segment: SegmentIdentity, base: SequenceNumber, from position: UInt64? = nil,
    upTo end: UInt64 = .max, isCareful: Bool = false, pieceByteCount: Int = FileWindow.pieceByteCount
  ) {
    self.segment = segment
    self.base = base
    identity = surveyed.identity
    fileByteCount = surveyed.byteCount
    seed = segment.seed(in: identity)
    limit = min(end, segment.run.byteRange.upperBound, fileByteCount)
    window = FileWindow(surveyed.file, isCareful: isCareful, pieceByteCount: pieceByteCount)
    self.position = position ?? segment.recordRange.lowerBound.byteOffset
  }

  /// Goes on with the first record of another segment.
  mutating func move(to next: SegmentIdentity, base: SequenceNumber) {
    segment = next
    self.base = base
    seed = next.seed(in: identity)
    limit = min(next.run.byteRange.upperBound, fileByteCount)
    position = next.recordRange.lowerBound.byteOffset
  }

  /// The next record, or what is wrong with it; nil at the end.
  package mutating func next() throws(SedimentError) -> Result<RecordHeader, FormatError>? {
    guard position < limit else { return nil }
    let found = try read(at: position)
    if case .success(let header) = found { take(header) }
    return found
  }

  /// The good record at a place, or what is wrong with it; the window is moved and grows as far as that takes.
  mutating func read(at place: UInt64) throws(SedimentError) -> Result<RecordHeader, FormatError> {
    guard let offset = UnitOffset(byteOffset: place) else {
      return .failure(FormatError(.record, .field(.position)))
    }
    while true {
      let have = window.range(from: place)
      do throws(FormatError) {
        let bytes = unsafe window.buffer.span.bytes.extracting(have)
        return .success(
          try RecordHeader.decode(bytes, at: RecordPlace(seed: seed, base: base, offset: offset)))
      } catch {
        guard error.fault == .truncated, try loadRecord(at: place) else { return .failure(error) }
      }
    }
  }

  /// Moves the window to a record that goes on behind its end; false if the record goes on behind what may be read, too.
  ///
  /// What a record claims is read once, and not at all if it cannot lie before the limit.
  private mutating func loadRecord(at place: UInt64) throws(SedimentError) -> Bool {
    let have = window.range(from: place)
    guard have.count >= Limits.recordFixedByteCount else { return try window.grow(from: place, limit: limit) }
    let least = Self.leastByteCount(unsafe window.buffer.span.bytes.extracting(have))
    guard UInt64(least) <= limit - min(place, limit) else { return false }
    // The fields that only some records have are fewer bytes than the fixed ones.
    try window.load(from: place, limit: limit, minimum: least + 2 * Limits.recordFixedByteCount)
    return window.byteCount > have.count
  }

  /// The bytes that a record claims to have at least, by its fixed fields.
  private static func leastByteCount(_ record: RawSpan) -> Int {
    Limits.recordFixedByteCount + Int(record.integer(UInt16.self, at: RecordHeader.Field.keyByteCount))
      + Int(record.uint24(at: RecordHeader.Field.valueByteCount))
  }

  /// Moves behind a record that was read at the position.
  mutating func take(_ header: RecordHeader) {
    let begin = window.range(from: position).lowerBound
    record = begin..<begin + header.byteCount
    position += UInt64(header.byteCount)
  }

  /// Reads the file anew from a place on, no further than to `end`.
  mutating func load(from place: UInt64, upTo end: UInt64 = .max) throws(SedimentError) {
    try window.load(from: place, limit: min(limit, end))
  }

  /// Moves behind the plain puts that come next, as far as they are in the window and sound, in the turn of a hot
  /// segment; the result is how many there were.
  ///
  /// Most of a log are such. What stops it `next` tells.
  package mutating func skipPuts(after sequence: UInt64) -> UInt32 {
    let (range, start, seed) = (window.range(from: position), position, seed.rawValue)
    var count: UInt32 = 0
    var place = 0
    unsafe window.buffer.withUnsafeBytes { buffer in
      guard let first = buffer.baseAddress else { return }
      while let view = unsafe RecordView(first + range.lowerBound + place, available: range.count - place),
        view.shape == RecordKind.put.rawValue, Self.isNext(view, after: sequence + UInt64(count)),
        view.isIntact(at: start + UInt64(place), seed: seed), view.isPaddedWithZeros
      {
        place += view.byteCount
        count += 1
      }
    }
    position += UInt64(place)
    return count
  }

  @inline(__always)
  private static func isNext(_ view: RecordView, after sequence: UInt64) -> Bool {
    sequence < Limits.sequenceMax && view.sequenceLow == (sequence + 1) & (Limits.sequenceSpan - 1)
  }

  // MARK: The record that was read last

  /// Shows its bytes.
  func withRecord<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe window.buffer.span.bytes.extracting(record))
  }

  /// What it says, if it is a control record; nil also of a part of a checkpoint, if such are to be passed over.
  func control(
    _ header: RecordHeader, passingParts: Bool = false
  ) throws(FormatError) -> ControlRecord? {
    guard header.kind == .control else { return nil }
    return try withRecord { (bytes) throws(FormatError) -> ControlRecord? in
      let value = bytes.extracting(header.valueRange)
      if passingParts, ControlRecord.isCheckpointPart(value) { return nil }
      return try ControlRecord.decode(value, isBatched: header.isBatched)
    }
  }

  /// Where its value lies, if that is a large one.
  func place(_ header: RecordHeader) throws(FormatError) -> ValuePlace? {
    guard header.kind == .putLarge else { return nil }
    return try withRecord { (bytes) throws(FormatError) in
      try ValuePlace.decode(bytes.extracting(header.valueRange))
    }
  }
}
