package import SedimentFormat

/// What can be known of a file, whether it can be opened or not: its superblocks, the headers of its segments, its log.
///
/// Where the window has what the log has not, it is laid over the file.
struct FileSurvey {
  let file: StoreFile
  let byteCount: UInt64
  let head: HeadSurvey
  /// The sound headers of slots, in ascending order; one that lies within another's segment may be a value's bytes.
  let headers: [SegmentHeader]
  /// The file, if a superblock or else the headers tell whose it is.
  let surveyed: SurveyedFile?
  private(set) var log: LogSurvey

  /// Throws only for a file that is foreign or of a newer version, or whose length cannot be told, and if the caller
  /// stops it.
  init(_ file: StoreFile) throws(SedimentError) {
    self.file = file
    let byteCount = try file.byteCount()
    self.byteCount = byteCount
    head = HeadSurvey(file)
    try head.checkVersion()
    let walk = try SegmentWalk(file, byteCount: byteCount, head.sound.first?.identity)
    headers = walk.headers
    // Both superblocks of a store may be gone; its segments say whose they are.
    if head.isAbsent, headers.isEmpty { throw .foreign(file.path) }
    surveyed = walk.identity.map { SurveyedFile(file: file, identity: $0, byteCount: byteCount) }
    log = try LogSurvey.read(file, head.sound, byteCount: byteCount)
  }

  /// Reads the log by checkpoints that were found where the superblocks do not lead to its end.
  mutating func readLog(by checkpoints: [Superblock]) {
    log.readPart(file, checkpoints, byteCount: byteCount, watermark: head.sound.map(\.watermark).max())
  }
}

/// A file of a store, whose it is, and how long.
package struct SurveyedFile: Sendable {
  let file: StoreFile
  let identity: FileIdentity
  let byteCount: UInt64

  package init(file: StoreFile, identity: FileIdentity, byteCount: UInt64) {
    self.file = file
    self.identity = identity
    self.byteCount = byteCount
  }

  /// The error for sound parts that contradict each other, or lack what was known to be there.
  func damaged(_ reason: String, at offset: UInt64) -> SedimentError {
    .damaged(reason, path: file.path, offset: offset)
  }

  /// The header that lies where a segment begins.
  func header(of segment: SegmentIdentity) throws(SedimentError) -> Result<SegmentHeader, FormatError> {
    try file.withBytes(at: segment.run.byteRange.lowerBound, count: SegmentHeader.byteCount) { bytes in
      do throws(FormatError) {
        let header = try SegmentHeader.decode(bytes, in: identity, at: segment.run.first)
        guard header.identity == segment else { throw FormatError(.segmentHeader, .field(.identity)) }
        return .success(header)
      } catch {
        return .failure(error)
      }
    }
  }

  /// What is wrong with the header of a segment that the catalogue describes; nil for nothing.
  func headerFault(of entry: SegmentEntry) throws(SedimentError) -> FormatError? {
    switch try header(of: entry.identity) {
    case .failure(let error): return error
    case .success(let header):
      if !entry.holdsRecords { return nil }
      if header.base != entry.base { return FormatError(.segmentHeader, .field(.base)) }
      return header.floor == entry.floor ? nil : FormatError(.segmentHeader, .field(.floor))
    }
  }
}

/// The segments of a file as their headers tell them, without any catalogue.
struct SegmentWalk {
  /// The file's identity, which most of the headers agree on if nothing else tells it; nil if there is none.
  let identity: FileIdentity?
  /// The sound headers of slots, in ascending order.
  let headers: [SegmentHeader]

  /// Goes through all slots but those of holes; throws only if the caller stops it.
  init(_ file: StoreFile, byteCount: UInt64, _ identity: FileIdentity?) throws(SedimentError) {
    // Little of each slot is read, and a slot that cannot be read has no header.
    var window = FileWindow(file, isCareful: true, pieceByteCount: SegmentHeader.byteCount)
    let end = min(byteCount, SlotSpace.byteCount(of: Limits.fileSlotCountMax))
    let start = SlotSpace.byteCount(of: Limits.headSlotCount)
    let found = try window.headers(in: min(start, end)..<end)
    let known = identity ?? Self.mostFrequent(found.map(\.file))
    self.identity = known
    headers = found.filter { $0.file == known }.map(\.header)
  }

  /// The headers of segments that share no slot with one before.
  var disjoint: [SegmentHeader] {
    var end: UInt32 = 0
    return headers.filter { header in
      guard header.identity.run.first >= end else { return false }
      end = header.identity.run.end
      return true
    }
  }

  private static func mostFrequent(_ identities: [FileIdentity]) -> FileIdentity? {
    var counts: [FileIdentity: Int] = [:]
    for identity in identities { counts[identity, default: 0] += 1 }
    return counts.max { ($0.value, $0.key.low, $0.key.high) < ($1.value, $1.key.low, $1.key.high) }?.key
  }
}
