internal import SedimentDisk
internal import SedimentFormat

/// Writes again, in place, what was recovered above the watermark (DESIGN.md 7, step 10).
///
/// Everything is verified in the buffer that it is then written from: after a failed sync the kernel calls pages
/// clean that the medium lacks, so a sync without writing would promise too much.
struct Rewriting {
  private let file: StoreFile
  private let identity: FileIdentity
  private let watermark: LogPosition

  init(_ file: StoreFile, _ identity: FileIdentity, watermark: LogPosition) {
    self.file = file
    self.identity = identity
    self.watermark = watermark
  }

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

  /// Writes the records of a stretch that end above the watermark, each piece of the file as it was verified.
  private func rewriteRecords(_ stretch: RecoveredLog.Stretch) throws(SedimentError) -> Bool {
    let seed = stretch.identity.seed(in: identity)
    let limit = stretch.end.byteOffset
    let kept = stretch.identity.generation == watermark.generation ? watermark.offset.byteOffset : 0
    var window = FileWindow(file)
    var position = stretch.start.byteOffset
    while position < limit {
      let known = window.byteCount
      try window.load(from: position, limit: limit, minimum: 2 * known)
      let bytes = unsafe window.buffer.span.bytes.extracting(0..<window.byteCount)
      var end = 0
      var first: Int?
      while end < bytes.byteCount, let offset = UnitOffset(byteOffset: position + UInt64(end)) {
        let place = RecordPlace(seed: seed, base: stretch.base, offset: offset)
        guard let header = try? RecordHeader.decode(bytes.extracting(end..<bytes.byteCount), at: place) else {
          break
        }
        if first == nil, position + UInt64(end + header.byteCount) > kept { first = end }
        end += header.byteCount
      }
      // A record longer than the window is read again, into one twice as long.
      guard end > 0 else {
        if window.end < limit, window.byteCount > known { continue }
        return false
      }
      if let first { try file.write(bytes.extracting(first..<end), at: position + UInt64(first)) }
      position += UInt64(end)
    }
    return true
  }
}
