internal import SedimentDisk
internal import SedimentFormat

/// The segments of a file as their headers tell them, without any catalogue.
struct SegmentWalk {
  /// The file's identity, which most of the headers agree on if nothing else tells it; nil if there is none.
  let identity: FileIdentity?
  /// The sound headers of slots, in ascending order; one that lies within another's segment may be a value's bytes.
  let headers: [SegmentHeader]

  /// Goes through all slots but those of holes.
  init(_ file: StoreFile, byteCount: UInt64, _ identity: FileIdentity?) throws(SedimentError) {
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

  private static func mostFrequent(_ identities: [FileIdentity]) -> FileIdentity? {
    var counts: [FileIdentity: Int] = [:]
    for identity in identities { counts[identity, default: 0] += 1 }
    return counts.max { ($0.value, $0.key.low, $0.key.high) < ($1.value, $1.key.low, $1.key.high) }?.key
  }
}
