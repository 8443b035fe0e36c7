internal import SedimentFormat

/// Gives the structures of an edited file the checksums that they must have where they lie, without which no edit
/// would ever get past them.
///
/// It goes by what the edited bytes say, in the order in which one checksum covers another. What makes no sense is left
/// as it is.
package struct Mender {
  var bytes: [UInt8]
  /// The file's identity, by a superblock that is sound once it is mended; else that of the file before the edits.
  let file: FileIdentity
  let rule: Rule

  /// What is mended besides the checksums of blocks and records.
  package struct Rule {
    /// Whether each record of the hot log gets the sequence that follows its predecessor's.
    package var renumbers = false
    /// Whether the checksums of a stored index's pages follow them.
    package var mendsIndex = false

    package init(renumbers: Bool = false, mendsIndex: Bool = false) {
      self.renumbers = renumbers
      self.mendsIndex = mendsIndex
    }
  }

  /// The edited file with its checksums mended; the segments whose headers make no sense any more begin where those of
  /// the original did.
  package static func mend(_ edited: [UInt8], of original: [UInt8], _ rule: Rule) -> [UInt8] {
    guard let file = FileLayout.identity(in: original) else { return edited }
    var bytes = edited
    for copy in Superblock.Copy.allCases {
      mendBlock(&bytes, at: Int(copy.byteOffset), byteCount: Superblock.byteCount)
    }
    for slot in FileLayout.slots(in: bytes) {
      let start = Int(slot) * Limits.slotByteCount
      if isMagic(bytes, at: start) { mendBlock(&bytes, at: start, byteCount: SegmentHeader.byteCount) }
    }
    let known = FileLayout.identity(in: bytes) ?? file
    var headers: [UInt32: SegmentHeader] = [:]
    for header in FileLayout.headers(in: original, of: file) + FileLayout.headers(in: bytes, of: known)
    where header.identity.run.byteRange.lowerBound < UInt64(bytes.count) {
      headers[header.identity.run.first] = header
    }
    var mender = Mender(bytes: bytes, file: known, rule: rule)
    for header in headers.values.sorted(by: { $0.identity.run.first < $1.identity.run.first }) {
      mender.mendRecords(of: header)
    }
    return mender.bytes
  }

  private static let checksumOffset = 8
  private static let coveredOffset = 12

  /// Superblocks and headers have their checksum behind the magic, and it covers what is behind it.
  private static func mendBlock(_ bytes: inout [UInt8], at start: Int, byteCount: Int) {
    guard bytes.count >= start + byteCount else { return }
    let checksum = checksum(of: bytes, in: start + coveredOffset..<start + byteCount, behind: .empty)
    store(checksum.rawValue, at: start + checksumOffset, in: &bytes)
  }

  /// "SEDISEGM"; what else lies at the beginning of a slot may be the middle of a record.
  private static func isMagic(_ bytes: [UInt8], at start: Int) -> Bool {
    bytes[start...].starts(with: "SEDISEGM".utf8)
  }

  /// What `seed` covers and the bytes of the range.
  static func checksum(of bytes: [UInt8], in range: Range<Int>, behind seed: Checksum) -> Checksum {
    seed.continued(with: unsafe bytes.span.bytes.extracting(range))
  }

  static func store(_ number: UInt32, at offset: Int, in bytes: inout [UInt8]) {
    var elements = bytes.mutableSpan
    var span = unsafe elements.mutableBytes
    span.store(number, at: offset)
  }

  // MARK: Records

  private mutating func mendRecords(of header: SegmentHeader) {
    let segment = header.identity
    guard segment.kind == .hot || segment.kind == .survivors else { return }
    let home = FileLayout.byteRange(of: segment, in: bytes)
    var offset = Int(segment.recordRange.lowerBound.byteOffset)
    var sequence = header.base.rawValue
    var batch = BatchChecksum()
    while let range = RecordWalk.record(in: bytes, at: offset, before: home.upperBound) {
      sequence += 1
      if rule.renumbers, segment.kind == .hot { renumber(range, sequence) }
      let place = FileLayout.place(at: offset, header, file)
      seal(range, place)
      if let record = try? RecordHeader.decode(unsafe bytes.span.bytes.extracting(range), at: place) {
        mendValue(range.lowerBound + record.valueRange.lowerBound, record, batch)
        seal(range, place)
        if record.isBatched { _ = batch.add(unsafe bytes.span.bytes.extracting(range)) }
        if record.kind == .control, !record.isBatched { batch = BatchChecksum() }
      }
      offset = range.upperBound
    }
  }

  private mutating func renumber(_ range: Range<Int>, _ sequence: UInt64) {
    var elements = bytes.mutableSpan
    var span = unsafe elements.mutableBytes
    span.store48(sequence, at: range.lowerBound + RecordHeader.Field.sequence)
  }

  private mutating func seal(_ range: Range<Int>, _ place: RecordPlace) {
    let checksum = place.checksum(of: unsafe bytes.span.bytes.extracting(range))
    Self.store(checksum.rawValue, at: range.lowerBound + RecordHeader.Field.checksum, in: &bytes)
  }

  /// Mends the checksums inside a record's value, which begins at an offset of the file.
  private mutating func mendValue(_ offset: Int, _ record: RecordHeader, _ batch: BatchChecksum) {
    let range = offset..<offset + record.valueByteCount
    switch record.kind {
    case .put, .remove: break
    case .putLarge: mendPlace(range)
    case .control:
      if case .commit(let commit)? = try? ControlRecord.decode(
        unsafe bytes.span.bytes.extracting(range)),
        let mended = Commit(memberCount: commit.memberCount, checksum: batch.checksum)
      {
        bytes.replaceSubrange(range, with: mended.encode())
      }
      mendEntries(range)
    }
  }
}
