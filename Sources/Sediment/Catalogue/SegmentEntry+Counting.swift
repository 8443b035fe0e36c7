internal import SedimentFormat

// What a forged file counts wraps around, and is then told from what its seals say.

extension SegmentEntry {
  /// What a catalogue says of an extent of a large value or of the window: it has no records of its own.
  init(withoutRecords identity: SegmentIdentity) {
    self.init(
      identity: identity, base: .zero, floor: .zero, end: nil, highest: .zero, latestExpiry: 0,
      recordCount: 0, tombstoneCount: 0, largeCount: 0)
  }

  /// What a catalogue says of the hot segment that the log has just gone on in.
  init(tail identity: SegmentIdentity, base: SequenceNumber) {
    self.init(
      identity: identity, base: base, floor: base, end: nil, highest: base, latestExpiry: 0, recordCount: 0,
      tombstoneCount: 0, largeCount: 0)
  }

  /// Whether it is of a kind that holds records.
  var holdsRecords: Bool { identity.kind == .hot || identity.kind == .survivors }

  /// Counts a record that the segment holds, at some time now.
  mutating func count(_ record: RecordHeader, now: UInt64) {
    highest = max(highest, record.sequence)
    switch record.kind {
    case .control:
      return
    case .remove:
      tombstoneCount &+= 1
    case .put, .putLarge:
      if recordCount == tombstoneCount {
        latestExpiry = record.expiry
      } else if latestExpiry != 0 {
        latestExpiry = record.expiry == 0 ? 0 : max(latestExpiry, record.expiry)
      }
      if record.kind == .putLarge { largeCount &+= 1 }
      if record.expiry != 0 {
        expiring.add(
          byteCount: record.byteCount, isLarge: record.kind == .putLarge, expiry: record.expiry, now: now)
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
