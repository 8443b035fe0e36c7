package import SedimentFormat

/// What is known of a segment that compaction may empty, without a look at its records.
package struct CompactionCandidate: Hashable, Sendable {
  package var generation: Generation
  package var slotCount: UInt32
  /// The bytes of its records that the index leads to.
  package var liveByteCount: Int
  /// How many of its puts the index does not lead to any more.
  package var supersededCount: Int
  /// See `SegmentCounts`.
  package var tombstoneByteCount: Int
  /// See `SegmentEntry`.
  package var floor: SequenceNumber
  package var highest: SequenceNumber
  /// Whether a superblock needs it, or it was adopted so lately that this may not be on the medium.
  package var isBlocked: Bool
  /// Whether it never held more than one record.
  package var isOfOneRecord: Bool
  /// Whether all of its puts have expired for good; none of its bytes count as live then.
  package var isExpired = false
  /// Whether half of it has expired, or large values have, so that it is worth emptying whatever it keeps.
  package var isMostlyExpired = false
  /// Whether all of its puts have expired by what the wall clock shows at this moment.
  package var mayBeExpired = false

  package init(
    generation: Generation, slotCount: UInt32, liveByteCount: Int, supersededCount: Int,
    tombstoneByteCount: Int,
    floor: SequenceNumber, highest: SequenceNumber, isBlocked: Bool, isOfOneRecord: Bool
  ) {
    self.generation = generation
    self.slotCount = slotCount
    self.liveByteCount = liveByteCount
    self.supersededCount = supersededCount
    self.tombstoneByteCount = tombstoneByteCount
    self.floor = floor
    self.highest = highest
    self.isBlocked = isBlocked
    self.isOfOneRecord = isOfOneRecord
  }

  package var byteCount: Int { Int(slotCount) * Limits.slotByteCount }

  /// The bytes that a tombstone is taken to have which nobody has read.
  static let usualTombstoneByteCount = 40

  /// The bytes that will have to be copied of it.
  package func keptByteCount(_ guardFloor: GuardFloor) -> Int {
    keptByteCount(withTombstones: !guardFloor.allowsDropping(highest, of: generation))
  }

  package func keptByteCount(withTombstones: Bool) -> Int {
    let byteCount = max(liveByteCount, 0) + (withTombstones ? tombstoneByteCount : 0)
    return min(Self.keptByteCount(byteCount, isOfOneRecord), self.byteCount)
  }

  /// What so many bytes of records take where they are moved, as far as that is known: one record of several slots
  /// takes them whole, so that moving it wins nothing.
  static func keptByteCount(_ byteCount: Int, _ isOfOneRecord: Bool) -> Int {
    let slot = Limits.slotByteCount
    let whole = SegmentHeader.byteCount + byteCount
    return isOfOneRecord && whole > slot ? (whole + slot - 1) / slot * slot : byteCount
  }
}

extension CompactionCandidate {
  /// What is known of a segment by its entry and its counts.
  package init(_ entry: SegmentEntry, _ counts: SegmentCounts, isBlocked: Bool) {
    let putCount = Int(entry.recordCount) - Int(entry.tombstoneCount)
    self.init(
      generation: entry.identity.generation, slotCount: entry.identity.run.count,
      liveByteCount: counts.liveByteCount, supersededCount: max(putCount - counts.liveCount, 0),
      tombstoneByteCount: counts.tombstoneByteCount, floor: entry.floor, highest: entry.highest,
      isBlocked: isBlocked, isOfOneRecord: entry.recordCount == 1)
  }
}
