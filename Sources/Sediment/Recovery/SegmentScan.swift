package import SedimentFormat

/// Reads the records of one hot or survivors segment from the first to the end that the catalogue knows, and
/// verifies each (DESIGN.md 7, step 8).
///
/// A record that is not good is corruption there. Reading goes by `read` in large pieces, never through a mapping.
package struct SegmentScan: Sendable {
  private let entry: SegmentEntry
  private let file: StoreFile
  private let seed: Checksum
  private let isHot: Bool
  private let range: Range<UInt64>
  /// The sequence of the record before the first.
  private let before: SequenceNumber
  /// Where records lie that may be damaged.
  private let dictionaries: Set<UInt64>

  /// What a scan came to.
  package struct Totals: Hashable, Sendable {
    /// All records, control records included.
    package var recordCount: UInt64 = 0
    package var byteCount: UInt64 = 0
  }

  /// A scan up to `end`, which must be a position of the segment: from its first record on, or from a position behind
  /// a record of a known sequence.
  ///
  /// Records at the places of `dictionaries` are passed over if they are damaged but tell where they end: each is
  /// looked at when it is made ready. All other records must be there then, or it was the length that is damaged.
  package init(
    _ entry: SegmentEntry, from first: (offset: UnitOffset, behind: SequenceNumber)? = nil,
    upTo end: UnitOffset, of file: StoreFile, _ identity: FileIdentity,
    passing dictionaries: Set<UInt64> = []
  ) {
    self.entry = entry
    self.dictionaries = dictionaries
    self.file = file
    seed = entry.identity.seed(in: identity)
    before = first?.behind ?? entry.base
    isHot = entry.identity.kind == .hot
    let start = max(first?.offset ?? .zero, entry.identity.recordRange.lowerBound).byteOffset
    range = start..<max(start, min(end, entry.identity.recordRange.upperBound).byteOffset)
  }

  /// The bytes of all records together.
  var byteCount: UInt64 { range.upperBound - range.lowerBound }

  /// Shows every record to the visitor.
  package func run(
    _ buffer: ScanBuffer, _ visitor: inout some RecordVisitor
  ) throws(SedimentError) -> Totals {
    var totals = Totals()
    var piece = Piece(start: range.lowerBound, sequence: before.rawValue)
    while piece.start < range.upperBound {
      try fill(buffer, &piece)
      while try scan(buffer, &piece, &totals, &visitor) {}
      try advance(buffer, &piece)
    }
    if let passed = piece.passed, !isWhole(piece) { throw failure(.checksum, at: passed) }
    return totals
  }

  /// Whether as much was found as the catalogue says; in a hot segment the sequences tell what is missing before.
  private func isWhole(_ piece: Piece) -> Bool {
    isHot ? piece.sequence == entry.highest.rawValue : piece.recordCount == Int(entry.recordCount)
  }

  /// Part of the segment in the buffer.
  private struct Piece {
    /// Where in the file the buffer begins.
    var start: UInt64
    /// The bytes of the buffer that are the file's.
    var byteCount = 0
    /// The bytes of it that were scanned.
    var scanned = 0
    /// The bytes that the next record takes in all, where it is not wholly in the buffer.
    var needed = 0
    /// The sequence of the record before.
    var sequence: UInt64
    /// How many records were found or passed over, control records left out.
    var recordCount = 0
    /// Where the first record lies that was passed over; nil if there is none.
    var passed: UInt64?

    init(start: UInt64, sequence: UInt64) {
      self.start = start
      self.sequence = sequence
    }
  }

  // MARK: Pieces

  /// Reads on behind what the buffer holds.
  private func fill(_ buffer: ScanBuffer, _ piece: inout Piece) throws(SedimentError) {
    let left = range.upperBound - piece.start - UInt64(piece.byteCount)
    let wanted = Int(min(UInt64(buffer.byteCount - piece.byteCount), left))
    // The wanted bytes lie behind those there are, in the buffer.
    var span = unsafe MutableRawSpan(_unsafeStart: buffer.bytes + piece.byteCount, byteCount: wanted)
    let count = try file.read(into: &span, at: piece.start + UInt64(piece.byteCount))
    guard count == wanted else { throw failure(.truncated, at: piece.start + UInt64(piece.byteCount)) }
    piece.byteCount += wanted
  }

  /// Moves the piece to the first record that was not scanned.
  private func advance(_ buffer: ScanBuffer, _ piece: inout Piece) throws(SedimentError) {
    let next = piece.start + UInt64(piece.scanned)
    guard UInt64(piece.needed) <= range.upperBound - next else { throw failure(.truncated, at: next) }
    buffer.keep(piece.scanned..<piece.byteCount, needed: piece.needed)
    piece.start += UInt64(piece.scanned)
    piece.byteCount -= piece.scanned
    piece.scanned = 0
    piece.needed = 0
  }

  // MARK: Records

  /// Scans as many records as a visitor takes at once; false once no whole record is left in the buffer.
  private func scan(
    _ buffer: ScanBuffer, _ piece: inout Piece, _ totals: inout Totals, _ visitor: inout some RecordVisitor
  ) throws(SedimentError) -> Bool {
    let start = piece.scanned
    var position = start
    var count = 0
    while count < ScanBuffer.recordCountMax, position < piece.byteCount {
      let byteCount = unsafe scanPut(buffer.bytes, position, &piece, buffer.records + count)
      if byteCount > 0 {
        count += 1
        position += byteCount
        totals.recordCount += 1
        continue
      }
      let other = unsafe try scanAny(buffer.bytes, position, &piece, buffer.records + count)
      if other.byteCount == 0 { break }
      count += other.isUser ? 1 : 0
      position += other.byteCount
      totals.recordCount += 1
    }
    totals.byteCount += UInt64(position - start)
    piece.scanned = position
    piece.recordCount += count
    if count > 0 { unsafe try visitor.visit(UnsafeBufferPointer(start: buffer.records, count: count)) }
    return piece.needed == 0 && position < piece.byteCount
  }

  /// Scans the record at a position of the buffer if it is a good plain put that lies there as a whole; 0 if not.
  @inline(__always)
  private func scanPut(
    _ bytes: UnsafeMutableRawPointer, _ position: Int, _ piece: inout Piece,
    _ result: UnsafeMutablePointer<ScannedRecord>
  ) -> Int {
    let place = piece.start &+ UInt64(position)
    guard let view = unsafe RecordView(bytes + position, available: piece.byteCount - position),
      view.isPlainPut, view.isIntact(at: place, seed: seed.rawValue), view.isPaddedWithZeros
    else { return 0 }
    let distance = (view.sequenceLow &- entry.base.rawValue) & (Limits.sequenceSpan - 1)
    // A base has at most 62 bits.
    let sequence = entry.base.rawValue &+ distance
    guard isHot ? sequence == piece.sequence &+ 1 : distance != 0, sequence <= Limits.sequenceMax else {
      return 0
    }
    piece.sequence = sequence
    unsafe result.initialize(
      to: ScannedRecord(
        position: place &>> 3, sequence: sequence, expiry: 0,
        keyStart: view.start + Limits.recordFixedByteCount,
        keyByteCount: Int32(truncatingIfNeeded: view.keyByteCount),
        valueByteCount: Int32(truncatingIfNeeded: view.valueByteCount), collection: 0,
        byteCount: Int32(truncatingIfNeeded: view.byteCount), kind: .put,
        headByteCount: UInt8(truncatingIfNeeded: Limits.recordFixedByteCount)))
    return view.byteCount
  }

  /// Scans a record of any shape; its length is 0 if more bytes are needed.
  @inline(never)
  private func scanAny(
    _ bytes: UnsafeMutableRawPointer, _ position: Int, _ piece: inout Piece,
    _ result: UnsafeMutablePointer<ScannedRecord>
  ) throws(SedimentError) -> (byteCount: Int, isUser: Bool) {
    let place = piece.start + UInt64(position)
    let have = piece.byteCount - position
    let record = unsafe bytes + position
    let span = unsafe RawSpan(_unsafeStart: record, byteCount: have)
    guard let offset = UnitOffset(byteOffset: place) else { throw failure(.field(.position), at: place) }
    let header: RecordHeader
    do throws(FormatError) {
      header = try RecordHeader.decode(span, at: RecordPlace(seed: seed, base: entry.base, offset: offset))
    } catch {
      guard error.fault == .truncated else {
        if dictionaries.contains(place), let view = unsafe RecordView(record, available: have) {
          piece.sequence += 1
          piece.recordCount += 1
          piece.passed = piece.passed ?? place
          return (view.byteCount, false)
        }
        throw failure(error.fault, at: place)
      }
      // What it takes in all is told once more of it is there.
      piece.needed = have + Limits.unitByteCount
      return (0, false)
    }
    guard !isHot || header.sequence.rawValue == piece.sequence &+ 1 else {
      throw failure(.field(.sequence), at: place)
    }
    piece.sequence = header.sequence.rawValue
    guard header.kind != .control else { return (header.byteCount, false) }
    unsafe result.initialize(to: ScannedRecord(header, at: place, in: record))
    return (header.byteCount, true)
  }

  private func failure(_ fault: FormatError.Fault, at offset: UInt64) -> SedimentError {
    SedimentError(FormatError(.record, fault), path: file.path, offset: offset)
  }
}
