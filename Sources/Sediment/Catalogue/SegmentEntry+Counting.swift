internal import SedimentFormat

// What a forged file counts wraps around, and is then told from what its seals say.

extension SegmentEntry {
  /// What a catalogue says of an extent of a large value or of the window: it has no records of its own.
  init(withoutRecords identity: SegmentIdentity) {
    self.init(
      identity: identity, base: .zero, floor: .zero, end: nil, highest: .zero, latestExpiry: 0,
      recordCount: 0, tombstoneCount: 0, largeCount: 0)
  }

  /// What a catalogue says of a segment of which no record was counted yet, as of the hot one that the log has just gone on
  /// in.
  init(tail identity: SegmentIdentity, base: SequenceNumber) {
    self.init(
      identity: identity, base: base, floor: base, end: nil, highest: base, latestExpiry: 0, recordCount: 0,
      tombstoneCount: 0, largeCount: 0)
  }

  /// Whether it is of a kind that holds records.
  var holdsRecords: Bool { identity.kind.holdsRecords }

  /// The bytes of its records, where the log ends at a position.
  func recordByteCount(logEnd: LogPosition) -> UInt64 {
    guard holdsRecords else { return 0 }
    let start = identity.recordRange.lowerBound.byteOffset
    let end = (identity.generation == logEnd.generation ? logEnd.offset : self.end)?.byteOffset ?? start
    return end - min(start, end)
  }

  /// Counts a record that the segment holds, at some time now.
  mutating func count(_ record: RecordHeader, now: UInt64) {
    count(
      record.kind, sequence: record.sequence, expiry: record.expiry, byteCount: record.byteCount, now: now)
  }

  /// The same of a record of which no more is known than this.
  @inline(__always)
  mutating func count(
    _ kind: RecordKind, sequence: SequenceNumber, expiry: UInt64, byteCount: Int, now: UInt64
  ) {
    highest = max(highest, sequence)
    if kind == .control { return }
    if kind == .remove {
      tombstoneCount &+= 1
    } else {
      let isFirst = recordCount == tombstoneCount
      latestExpiry = isFirst ? expiry : latestExpiry == 0 || expiry == 0 ? 0 : max(latestExpiry, expiry)
      if kind == .putLarge { largeCount &+= 1 }
      if expiry != 0 {
        expiring.add(byteCount: byteCount, isLarge: kind == .putLarge, expiry: expiry, now: now)
      }
    }
    recordCount &+= 1
  }

  /// Counts puts without an expiry.
  mutating func countPuts(_ count: UInt32, highest sequence: SequenceNumber) {
    highest = sequence
    latestExpiry = 0
    recordCount &+= count
  }
}
