internal import SedimentFormat

/// Goes through the records of one segment whatever lies between them: what is not good is passed over, and reading
/// goes on at the next good record.
///
/// What proves a record is its checksum, which covers the segment's use and the place, and in a hot segment its
/// turn. A file that is made to keep the search busy is given up after work in proportion to the segment's data;
/// holes cost nothing.
struct RecordSweep {
  /// Shows the record that was found last.
  private(set) var cursor: RecordCursor
  private let isHot: Bool
  /// Behind the last byte that may hold records.
  private let end: UInt64
  /// No record has a higher sequence.
  private let highest: UInt64
  /// The sequence of the record before; nil before the first of a segment whose base is not known.
  private var lastSequence: UInt64?
  /// Where the gap began that `covers` left off in; nil outside of one.
  private var openGap: UInt64?
  /// The bytes that may still be fed to checksums in vain; nil until something is not good.
  private(set) var patience: UInt64?

  /// How much is read at once: little, because what lies around a header may be a hole.
  private static let pieceByteCount = 1 << 16

  enum Step {
    /// A good record, which `cursor` shows.
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

  /// A sweep of a segment up to `end`, or to where its slots or the file end before; its base is nil if nothing tells
  /// it.
  ///
  /// `patience` is what is left of a sweep before, if several share the bytes that they may read in vain.
  init(
    _ surveyed: SurveyedFile, _ segment: SegmentIdentity, base: SequenceNumber?, upTo end: UInt64,
    highest: UInt64 = Limits.sequenceMax, patience: UInt64? = nil
  ) {
    cursor = RecordCursor(
      surveyed, segment, base: base ?? .zero, upTo: end, isCareful: true,
      pieceByteCount: Self.pieceByteCount)
    isHot = segment.kind == .hot
    self.end = max(cursor.position, cursor.limit)
    self.highest = highest
    lastSequence = isHot ? base?.rawValue : nil
    self.patience = patience
  }

  /// The bytes that sweeps of a range may feed to checksums in vain: damage takes far less, and a forged file is
  /// given up.
  static func patience(for range: Range<UInt64>, of file: StoreFile) -> UInt64 {
    file.dataByteCount(in: range) * 32
  }

  /// Where the next record should begin.
  var position: UInt64 { cursor.position }

  /// The next record or gap, in the order of the file; nil at the end.
  mutating func next() throws(SedimentError) -> Step? {
    let start = position
    guard start < end else { return nil }
    switch try judge(start, gapStart: start) {
    case .success(let header):
      cursor.take(header)
      if isHot { lastSequence = header.sequence.rawValue }
      return .record(header, at: start)
    case .failure(let reason):
      let before = lastSequence
      let found = try search(from: start + unitByteCount, gapStart: start, before: end)
      cursor.position = found?.position ?? end
      if isHot, let found { lastSequence = found.header.sequence.rawValue - 1 }
      return .gap(
        Gap(
          range: start..<position, reason: reason,
          isUnreadable: cursor.window.unreadable.overlaps(start..<position),
          isLast: found == nil, isGivenUp: found == nil && patience == 0,
          sequences: missing(behind: before, before: found?.header.sequence.rawValue)))
    }
  }

  /// Goes on to a place; whether it lies inside a good record, asked of places in ascending order.
  ///
  /// Nothing at the place or after it is searched, so sweeps of which each begins where another ended read no byte
  /// twice.
  mutating func covers(_ place: UInt64) throws(SedimentError) -> Bool {
    while position < min(place, end) {
      let start = position
      let gapStart = openGap ?? start
      if case .success(let header) = try judge(start, gapStart: gapStart) {
        cursor.take(header)
        if isHot { lastSequence = header.sequence.rawValue }
        openGap = nil
      } else {
        openGap = gapStart
        let found = try search(from: start + unitByteCount, gapStart: gapStart, before: min(place, end))
        cursor.position = found?.position ?? min(place, end)
      }
    }
    return openGap == nil && position > place
  }

  /// What the record that was found last says, if it is a control record that makes sense.
  func control(_ header: RecordHeader) -> ControlRecord? { try? cursor.control(header) }

  private func missing(behind before: UInt64?, before after: UInt64?) -> ClosedRange<UInt64>? {
    guard isHot, let before, let after, after > before + 1 else { return nil }
    return before + 1...after - 1
  }

  // MARK: Judging

  /// The good record at a place, or what is wrong with it; the records before it are known up to `gapStart`.
  ///
  /// What is not good is paid for by its claimed length, and a longer claim than there is patience for is not read.
  private mutating func judge(
    _ place: UInt64, gapStart: UInt64
  ) throws(SedimentError) -> Result<RecordHeader, FormatError> {
    let claimed = try claim(at: place)
    if claimed > Self.usualByteCountMax, claimed > takePatience(0) {
      _ = takePatience(claimed)
      return .failure(FormatError(.record, .truncated))
    }
    var found = try cursor.read(at: place)
    if case .success(let header) = found {
      if plausible(place, gapStart).contains(header.sequence.rawValue) { return found }
      found = .failure(FormatError(.record, .field(.sequence)))
    }
    if claimed > 0 {
      try cursor.window.file.meter?.work(claimed)
      _ = takePatience(claimed)
    }
    return found
  }

  /// No record that a store writes today is longer: the limits of a key and of a value in a record, and its head.
  private static let usualByteCountMax: UInt64 = 65_536 + 131_072 + 64

  /// The bytes that the record at a place claims to have; 0 if no record begins there.
  private mutating func claim(at place: UInt64) throws(SedimentError) -> UInt64 {
    if cursor.window.range(from: place).count < Limits.recordFixedByteCount { try cursor.load(from: place) }
    let have = cursor.window.range(from: place)
    guard have.count >= Limits.recordFixedByteCount else { return 0 }
    return UInt64(Self.claim(unsafe cursor.window.buffer.span.bytes.extracting(have), 0)?.byteCount ?? 0)
  }

  /// Takes bytes away from the patience; what is left then.
  private mutating func takePatience(_ byteCount: UInt64) -> UInt64 {
    let start = cursor.segment.run.byteRange.lowerBound
    let have = patience ?? Self.patience(for: start..<max(start, end), of: cursor.window.file)
    let rest = have - min(have, byteCount)
    patience = rest
    return rest
  }

  /// The sequences that a record can have at the end of a gap, or where there is none: each one in the gap took at
  /// least 16 bytes.
  private func plausible(_ place: UInt64, _ gapStart: UInt64) -> ClosedRange<UInt64> {
    guard let lastSequence else { return 0...highest }
    let most = (place - gapStart) / UInt64(Limits.recordFixedByteCount) + 1
    return lastSequence + 1...max(lastSequence + 1, min(lastSequence + most, highest))
  }

  // MARK: Searching

  private var unitByteCount: UInt64 { UInt64(Limits.unitByteCount) }

  /// The first good record that begins in a range, at a multiple of 8; nothing good is between `gapStart` and it.
  private mutating func search(
    from start: UInt64, gapStart: UInt64, before limit: UInt64
  ) throws(SedimentError) -> (position: UInt64, header: RecordHeader)? {
    var place = start
    while let candidate = try nextCandidate(from: place, gapStart: gapStart, before: limit) {
      if case .success(let header) = try judge(candidate, gapStart: gapStart) { return (candidate, header) }
      if takePatience(0) == 0 { return nil }
      place = candidate + unitByteCount
    }
    return nil
  }

  /// The next place before `limit` whose first bytes are those that a record could have; holes are not read.
  private mutating func nextCandidate(
    from start: UInt64, gapStart: UInt64, before limit: UInt64
  ) throws(SedimentError) -> UInt64? {
    var place = start
    while limit > place, end - place >= UInt64(Limits.recordFixedByteCount) {
      if cursor.window.range(from: place).count < Limits.recordFixedByteCount {
        guard let data = cursor.window.file.readableRange(from: place, limit: limit) else { return nil }
        place = data.lowerBound
        let least = place + UInt64(Limits.recordFixedByteCount)
        try cursor.load(from: place, upTo: max(data.upperBound, least))
        if cursor.window.byteCount < Limits.recordFixedByteCount { return nil }
      }
      let have = cursor.window.range(from: place)
      let bytes = unsafe cursor.window.buffer.span.bytes.extracting(have)
      var offset = 0
      while offset <= bytes.byteCount - Limits.recordFixedByteCount {
        let position = place + UInt64(offset)
        if position >= limit { return nil }
        if let claim = Self.claim(bytes, offset), UInt64(claim.byteCount) <= end - position,
          isPlausible(bytes.uint48(at: offset + 10), at: position, gapStart)
        {
          return position
        }
        offset += Limits.unitByteCount
      }
      place += UInt64(offset)
    }
    return nil
  }

  /// What the first bytes of a record claim, without any proof.
  struct Claim {
    let kind: RecordKind
    /// The least bytes that the record has.
    let byteCount: Int
    /// The number of its collection; 0 if there were no bytes that could tell it.
    let collection: UInt32

    /// Whether a user set what it holds.
    var holdsUserValue: Bool {
      (kind == .put || kind == .putLarge) && collection < CollectionEntry.systemNumberMin
    }
  }

  /// What the bytes from an offset on, 16 at least, claim of a record; nil if no record begins like this.
  static func claim(_ bytes: RawSpan, _ offset: Int) -> Claim? {
    let head: UInt32 = bytes.integer(at: offset + 4)
    guard let kind = RecordKind(rawValue: UInt8(head & 7)) else { return nil }
    let keyByteCount = Int(bytes.integer(UInt16.self, at: offset + 8))
    // A control record has no other bits but that of a batch, and no key.
    if kind == .control, head & 0x78 != 0 || keyByteCount != 0 { return nil }
    let place = offset + Limits.recordFixedByteCount
    let tellsCollection = head & UInt32(RecordHeader.Shape.collection) != 0 && bytes.byteCount >= place + 4
    return Claim(
      kind: kind, byteCount: (Limits.recordFixedByteCount + keyByteCount + Int(head >> 8) + 7) & ~7,
      collection: tellsCollection ? bytes.integer(at: place) : 0)
  }

  private func isPlausible(_ low: UInt64, at place: UInt64, _ gapStart: UInt64) -> Bool {
    let distance = (low &- cursor.base.rawValue) & (Limits.sequenceSpan - 1)
    return distance != 0 && plausible(place, gapStart).contains(cursor.base.rawValue &+ distance)
  }
}
