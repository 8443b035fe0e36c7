internal import SedimentDisk
internal import SedimentFormat

/// Goes through the records of one segment whatever lies between them: what is not good is passed over, and reading
/// goes on at the next good record.
///
/// What proves a record is its checksum, which covers the segment's use and the place, and in a hot segment its
/// turn. A file that is made to keep the search busy is given up after some time in proportion to the segment.
struct RecordSweep {
  private var window: CarefulWindow
  private let seed: Checksum
  private let base: SequenceNumber
  private let isHot: Bool
  /// The bytes that may hold records.
  private let range: Range<UInt64>
  /// No record has a higher sequence.
  private let highest: UInt64
  /// Where the next record should begin.
  private(set) var position: UInt64
  /// Where the record that was found last begins; where the next one should if that was none.
  private(set) var lastRecordStart: UInt64
  /// The sequence of the record before; nil before the first of a segment whose base is not known.
  private var lastSequence: UInt64?
  /// Where in the window the record lies that was found last.
  private var record = 0..<0
  /// The bytes that may still be fed to checksums in vain.
  private var patience: UInt64

  enum Step {
    /// A good record, which `withRecord` shows.
    case record(RecordHeader, at: UInt64)
    case gap(Gap)
  }

  /// Bytes that are no good record.
  struct Gap {
    let range: Range<UInt64>
    /// What is wrong with the first of them.
    let reason: FormatError
    let isUnreadable: Bool
    /// Whether nothing good was found behind it.
    let isLast: Bool
    /// Whether the search behind it was given up.
    let isGivenUp: Bool
    /// The sequences that are missing in a hot segment, as far as they are known.
    let sequences: ClosedRange<UInt64>?
  }

  /// A sweep of a segment up to `end`; its base is nil if nothing tells it.
  init(
    _ file: StoreFile, _ identity: FileIdentity, _ segment: SegmentIdentity, base: SequenceNumber?,
    upTo end: UInt64, highest: UInt64 = Limits.sequenceMax
  ) {
    window = CarefulWindow(file)
    seed = segment.seed(in: identity)
    self.base = base ?? .zero
    isHot = segment.kind == .hot
    let start = segment.recordRange.lowerBound.byteOffset
    range = start..<max(start, min(end, segment.run.byteRange.upperBound))
    self.highest = highest
    position = start
    lastRecordStart = start
    lastSequence = isHot ? base?.rawValue : nil
    patience = UInt64(range.count) * 32
  }

  /// What could not be read so far.
  var unreadable: ByteRanges { window.unreadable }

  /// The next record or gap, in the order of the file; nil at the end.
  mutating func next() -> Step? {
    guard position < range.upperBound else { return nil }
    let start = position
    switch judge(start, in: expected) {
    case .success(let header):
      take(header)
      return .record(header, at: start)
    case .failure(let reason):
      let before = lastSequence
      let found = search(behind: start)
      position = found?.position ?? range.upperBound
      lastRecordStart = position
      if isHot, let found { lastSequence = found.header.sequence.rawValue - 1 }
      return .gap(
        Gap(
          range: start..<position, reason: reason, isUnreadable: unreadable.overlaps(start..<position),
          isLast: found == nil, isGivenUp: found == nil && patience == 0,
          sequences: missing(behind: before, before: found?.header.sequence.rawValue)))
    }
  }

  /// Shows the bytes of the record that was found last.
  func withRecord<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe window.buffer.span.bytes.extracting(record))
  }

  private mutating func take(_ header: RecordHeader) {
    let begin = window.range(from: position).lowerBound
    record = begin..<begin + header.byteCount
    lastRecordStart = position
    position += UInt64(header.byteCount)
    if isHot { lastSequence = header.sequence.rawValue }
  }

  private func missing(behind before: UInt64?, before after: UInt64?) -> ClosedRange<UInt64>? {
    guard isHot, let before, let after, after > before + 1 else { return nil }
    return before + 1...after - 1
  }

  // MARK: Judging

  /// The sequences that the next record may have.
  private var expected: ClosedRange<UInt64> {
    guard let lastSequence else { return 0...highest }
    return lastSequence + 1...lastSequence + 1
  }

  /// The good record at a position, or what is wrong with it.
  private mutating func judge(
    _ place: UInt64, in sequences: ClosedRange<UInt64>
  ) -> Result<RecordHeader, FormatError> {
    guard let offset = UnitOffset(byteOffset: place) else {
      return .failure(FormatError(.record, .field(.position)))
    }
    while true {
      let have = window.range(from: place)
      do throws(FormatError) {
        let bytes = unsafe window.buffer.span.bytes.extracting(have)
        let header = try RecordHeader.decode(bytes, at: RecordPlace(seed: seed, base: base, offset: offset))
        guard sequences.contains(header.sequence.rawValue) else {
          return .failure(FormatError(.record, .field(.sequence)))
        }
        return .success(header)
      } catch {
        guard error.fault == .truncated, place + UInt64(have.count) < range.upperBound else {
          return .failure(error)
        }
        window.load(from: place, limit: range.upperBound, minimum: 2 * have.count)
        // A file that ends here has no more to give.
        if window.byteCount <= have.count { return .failure(error) }
      }
    }
  }

  // MARK: Searching

  /// The next good record behind a place that has none, at a multiple of 8.
  private mutating func search(behind start: UInt64) -> (position: UInt64, header: RecordHeader)? {
    var place = start + UInt64(Limits.unitByteCount)
    while let candidate = nextCandidate(from: place, gapStart: start) {
      let claimed = UInt64(candidate.byteCount)
      if case .success(let header) = judge(candidate.position, in: plausible(candidate.position, start)) {
        return (candidate.position, header)
      }
      guard patience > claimed else {
        patience = 0
        return nil
      }
      patience -= claimed
      place = candidate.position + UInt64(Limits.unitByteCount)
    }
    return nil
  }

  /// The sequences that a record at a place behind a gap can have: each one in the gap took at least 16 bytes.
  private func plausible(_ place: UInt64, _ gapStart: UInt64) -> ClosedRange<UInt64> {
    guard let lastSequence else { return 0...highest }
    let most = (place - gapStart) / UInt64(Limits.recordFixedByteCount) + 1
    return lastSequence + 1...max(lastSequence + 1, min(lastSequence + most, highest))
  }

  /// The next place whose first bytes are those that a record could have, with the length that it claims at least.
  private mutating func nextCandidate(
    from start: UInt64, gapStart: UInt64
  ) -> (position: UInt64, byteCount: Int)? {
    var place = start
    while range.upperBound > place, range.upperBound - place >= UInt64(Limits.recordFixedByteCount) {
      if window.range(from: place).count < Limits.recordFixedByteCount {
        window.load(from: place, limit: range.upperBound)
        if window.byteCount < Limits.recordFixedByteCount { return nil }
      }
      let have = window.range(from: place)
      let bytes = unsafe window.buffer.span.bytes.extracting(have)
      var offset = 0
      while offset <= bytes.byteCount - Limits.recordFixedByteCount {
        let position = place + UInt64(offset)
        if let count = Self.claim(bytes, offset), UInt64(count) <= range.upperBound - position,
          isPlausible(bytes.uint48(at: offset + 10), at: position, gapStart)
        {
          return (position, count)
        }
        offset += Limits.unitByteCount
      }
      place += UInt64(offset)
    }
    return nil
  }

  /// The least bytes of the record that the first 16 bytes claim; nil if no record begins like this.
  private static func claim(_ bytes: RawSpan, _ offset: Int) -> Int? {
    let head: UInt32 = bytes.integer(at: offset + 4)
    let kind = head & 7
    guard kind >= 1, kind <= 4 else { return nil }
    let keyByteCount = Int(bytes.integer(UInt16.self, at: offset + 8))
    // A control record has no other bits but that of a batch, and no key.
    if kind == 4, head & 0x78 != 0 || keyByteCount != 0 { return nil }
    return (Limits.recordFixedByteCount + keyByteCount + Int(head >> 8) + 7) & ~7
  }

  private func isPlausible(_ low: UInt64, at place: UInt64, _ gapStart: UInt64) -> Bool {
    let distance = (low &- base.rawValue) & (Limits.sequenceSpan - 1)
    return distance != 0 && plausible(place, gapStart).contains(base.rawValue &+ distance)
  }
}
