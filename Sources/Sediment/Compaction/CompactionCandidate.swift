package import SedimentFormat

/// What is known of a segment that compaction may empty, without a look at its records.
package struct CompactionCandidate: Hashable, Sendable {
  package var generation: Generation
  package var slotCount: UInt32
  /// The bytes of its records that the index leads to.
  package var liveByteCount: Int
  /// How many of its puts the index does not lead to any more.
  package var supersededCount: Int
  package var tombstoneCount: Int
  /// See `SegmentEntry`.
  package var floor: SequenceNumber
  package var highest: SequenceNumber
  /// Whether a superblock needs it, or it was adopted so lately that this may not be on the medium.
  package var isBlocked: Bool
  /// Whether all of its puts have expired for good; none of its bytes count as live then.
  package var isExpired = false
  /// Whether all of its puts have expired by what the wall clock shows at this moment.
  package var mayBeExpired = false

  package init(
    generation: Generation, slotCount: UInt32, liveByteCount: Int, supersededCount: Int, tombstoneCount: Int,
    floor: SequenceNumber, highest: SequenceNumber, isBlocked: Bool
  ) {
    self.generation = generation
    self.slotCount = slotCount
    self.liveByteCount = liveByteCount
    self.supersededCount = supersededCount
    self.tombstoneCount = tombstoneCount
    self.floor = floor
    self.highest = highest
    self.isBlocked = isBlocked
  }

  package var byteCount: Int { Int(slotCount) * Limits.slotByteCount }
}

/// Below which sequences nothing that a tombstone would have to hide can be left (invariant 14).
///
/// A tombstone is needed while a segment of a lower floor holds superseded records; so the lowest such floor counts,
/// and for the records of that segment itself the next one.
package struct GuardFloor: Hashable, Sendable {
  private var lowest = Self.none
  private var lowestOwner: Generation?
  private var next = Self.none

  private static let none = UInt64.max

  package init(_ segments: some Sequence<CompactionCandidate>) {
    for segment in segments where segment.supersededCount > 0 {
      let floor = segment.floor.rawValue
      if floor < lowest {
        (next, lowest, lowestOwner) = (lowest, floor, segment.generation)
      } else {
        next = min(next, floor)
      }
    }
  }

  /// Whether a tombstone of this sequence may be left out when that segment is emptied.
  package func allowsDropping(_ sequence: SequenceNumber, of segment: Generation) -> Bool {
    sequence.rawValue <= (segment == lowestOwner ? next : lowest)
  }

  /// The segment that holds up tombstones the most.
  package var owner: Generation? { lowestOwner }
}
