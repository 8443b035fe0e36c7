internal import SedimentDisk
internal import SedimentFormat

/// Writes again, in place, what was recovered above the watermark (DESIGN.md 7, step 10).
///
/// Everything is verified in the buffer that it is then written from: after a failed sync the kernel calls pages
/// clean that the medium lacks, so a sync without writing would promise too much.
struct Rewriting {
  private let surveyed: SurveyedFile
  private let watermark: LogPosition

  init(_ surveyed: SurveyedFile, watermark: LogPosition) {
    self.surveyed = surveyed
    self.watermark = watermark
  }

  private var file: StoreFile { surveyed.file }
  private var identity: FileIdentity { surveyed.identity }

  /// False if something is not as it was when the log was read, which then must be read anew.
  func run(_ unsecured: RecoveredLog.Unsecured) throws(SedimentError) -> Bool {
    for stretch in unsecured.chain {
      if let predecessor = stretch.predecessor {
        try rewriteHeader(
          SegmentHeader(
            identity: stretch.identity, base: stretch.base, floor: stretch.base, predecessor: predecessor))
      }
      guard try rewriteRecords(stretch) else { return false }
    }
    for entry in unsecured.survivors {
      let identity = entry.identity
      try rewriteHeader(SegmentHeader(identity: identity, base: entry.base, floor: entry.floor))
      let stretch = RecoveredLog.Stretch(
        identity: identity, base: entry.base, start: identity.recordRange.lowerBound,
        end: entry.end ?? identity.recordRange.lowerBound, predecessor: nil)
      guard try rewriteRecords(stretch) else { return false }
    }
    for piece in unsecured.extents {
      try rewriteHeader(SegmentHeader(identity: piece.extent, base: .zero, floor: .zero))
      let isWhole = try ExtentReading(piece, of: file, identity).verify {
        (bytes, offset) throws(SedimentError) in try file.write(bytes, at: offset)
      }
      guard isWhole else { return false }
    }
    return true
  }

  /// Writes the header that lies there, if it is the segment's, and otherwise the one given.
  private func rewriteHeader(_ header: SegmentHeader) throws(SedimentError) {
    let start = header.identity.run.byteRange.lowerBound
    var bytes = try file.bytes(at: start, count: SegmentHeader.byteCount)
    let found = try? SegmentHeader.decode(
      unsafe bytes.span.bytes, in: identity, at: header.identity.run.first)
    let isGood =
      found?.identity == header.identity
      && (found?.base == header.base && found?.floor == header.floor || header.identity.kind == .extent)
    if !isGood { bytes = header.encode(in: identity) }
    try file.write(bytes, at: start)
  }

  /// Writes the records of a stretch that end above the watermark, as they were verified.
  private func rewriteRecords(_ stretch: RecoveredLog.Stretch) throws(SedimentError) -> Bool {
    let kept = stretch.identity.generation == watermark.generation ? watermark.offset.byteOffset : 0
    var cursor = RecordCursor(
      surveyed, stretch.identity, base: stretch.base, from: stretch.start.byteOffset,
      upTo: stretch.end.byteOffset)
    var verified: [UInt8] = []
    while let found = try cursor.next() {
      guard case .success = found else { return false }
      if cursor.position <= kept { continue }
      cursor.withRecord { record in
        unsafe record.withUnsafeBytes { unsafe verified.append(contentsOf: $0) }
      }
      if verified.count < FileWindow.pieceByteCount, cursor.position < cursor.limit { continue }
      try file.write(verified, at: cursor.position - UInt64(verified.count))
      verified.removeAll(keepingCapacity: true)
    }
    return cursor.position >= stretch.end.byteOffset
  }
}
