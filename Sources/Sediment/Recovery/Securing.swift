internal import SedimentDisk
internal import SedimentFormat

/// Makes a recovered log durable and lets it go on in new segments (DESIGN.md 7, step 10).
///
/// A crash anywhere in it, or a failure, leaves superblocks from which the same log is recovered again.
struct Securing {
  let file: StoreFile
  let disk: any Disk

  /// The log as it then is; nil if the file is not as it was when the log was read, which must be read anew.
  func run(_ log: RecoveredLog, _ keeper: inout HeadKeeper) throws(SedimentError) -> RecoveredLog? {
    try keeper.writeLeadingAgain()
    let surveyed = SurveyedFile(
      file: file, identity: log.head.leading.identity, byteCount: log.unsecured.fileByteCount)
    let rewriting = Rewriting(surveyed: surveyed, watermark: log.watermark)
    guard try rewriting.run(log.unsecured) else { return nil }
    try keeper.syncLeading()
    var fresh = try FreshLog(behind: log, in: file, on: disk)
    try fresh.writeCheckpoint()
    var next = fresh.log
    try file.syncForOpening()
    var written: [Superblock] = []
    for _ in Superblock.Copy.allCases {
      try keeper.advance(to: (fresh.first, next.checkpoint.offset), watermark: next.end, state: .open)
      written.append(keeper.leading)
    }
    next.head = Head(leading: keeper.leading, other: written.first)
    return next
  }
}

/// Writes again, in place, what was recovered above the watermark (DESIGN.md 7, step 10).
///
/// Everything is verified in the buffer that it is then written from: after a failed sync the kernel calls pages
/// clean that the medium lacks, so a sync without writing would promise too much.
private struct Rewriting {
  let surveyed: SurveyedFile
  let watermark: LogPosition

  private var file: StoreFile { surveyed.file }

  /// False if something is not as it was when the log was read, which then must be read anew.
  func run(_ unsecured: RecoveredLog.Unsecured) throws(SedimentError) -> Bool {
    for stretch in unsecured.stretches {
      // The log tells all that the header of a segment says.
      if let position = stretch.adoptedAt, position >= watermark {
        try file.write(stretch.header, of: surveyed.identity)
      }
      guard try rewriteRecords(stretch) else { return false }
    }
    for piece in unsecured.extents {
      try file.write(
        SegmentHeader(identity: piece.extent, base: .zero, floor: .zero), of: surveyed.identity)
      let isWhole = try ExtentReading(piece, of: file, surveyed.identity).verify {
        (bytes, offset) throws(SedimentError) in try file.write(bytes, at: offset)
      }
      guard isWhole else { return false }
    }
    return true
  }

  /// Writes the records of a stretch that end above the watermark, as they were verified.
  private func rewriteRecords(_ stretch: LogStretch) throws(SedimentError) -> Bool {
    let kept = stretch.identity.generation == watermark.generation ? watermark.offset.byteOffset : 0
    var cursor = RecordCursor(
      surveyed, stretch.identity, base: stretch.header.base, from: stretch.start.byteOffset,
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
