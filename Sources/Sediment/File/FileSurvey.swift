internal import SedimentFormat

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

  /// Throws only for a file that is foreign or of a newer version, or whose length cannot be told.
  init(_ file: StoreFile) throws(SedimentError) {
    self.file = file
    let byteCount = try file.byteCount()
    self.byteCount = byteCount
    head = HeadSurvey(file)
    try head.checkVersion()
    let walk = SegmentWalk(file, byteCount: byteCount, head.sound.first?.identity)
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

/// The segments of a file as their headers tell them, without any catalogue.
struct SegmentWalk {
  /// The file's identity, which most of the headers agree on if nothing else tells it; nil if there is none.
  let identity: FileIdentity?
  /// The sound headers of slots, in ascending order.
  let headers: [SegmentHeader]

  /// Goes through all slots but those of holes.
  init(_ file: StoreFile, byteCount: UInt64, _ identity: FileIdentity?) {
    var found: [(file: FileIdentity, header: SegmentHeader)] = []
    let slotByteCount = UInt64(Limits.slotByteCount)
    let slotCount = min(byteCount / slotByteCount + 1, UInt64(Limits.fileSlotCountMax))
    var slot = UInt64(Limits.headSlotCount)
    var bytes = [UInt8](repeating: 0, count: SegmentHeader.byteCount)
    var dataEnd: UInt64 = 0
    while slot < slotCount {
      if slot * slotByteCount >= dataEnd {
        guard let data = file.readableRange(from: slot * slotByteCount, limit: .max) else { break }
        dataEnd = data.upperBound
        slot = max(slot, data.lowerBound / slotByteCount)
      }
      // A slot that cannot be read has no header.
      if let count = try? file.read(into: &bytes, bytes.indices, at: slot * slotByteCount),
        let header = try? SegmentHeader.decode(
          unsafe bytes.span.bytes.extracting(0..<count), at: UInt32(truncatingIfNeeded: slot))
      {
        found.append(header)
      }
      slot += 1
    }
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
