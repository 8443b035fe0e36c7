package import SedimentFormat

/// What is known of a segment that compaction may empty, without a look at its records.
package struct CompactionCandidate: Sendable {
  package let entry: SegmentEntry
  /// The bytes of its records that the index leads to; none where all of its puts have expired for good.
  package var liveByteCount: Int
  /// How many of its puts the index does not lead to any more.
  package let supersededCount: Int
  /// See `SegmentCounts`.
  package var tombstoneByteCount: Int
  /// Whether a superblock needs it, or it was adopted so lately that this may not be on the medium.
  package var isBlocked: Bool
  /// Whether half of it has expired, or large values have, so that it is worth emptying whatever it keeps.
  package var isMostlyExpired = false
  /// Whether all of its puts have expired by what the wall clock shows at this moment.
  package var mayBeExpired = false

  package init(_ entry: SegmentEntry, _ counts: SegmentCounts, isBlocked: Bool) {
    self.entry = entry
    liveByteCount = counts.liveByteCount
    supersededCount = max(Int(entry.recordCount) - Int(entry.tombstoneCount) - counts.liveCount, 0)
    tombstoneByteCount = counts.tombstoneByteCount
    self.isBlocked = isBlocked
  }

  package var generation: Generation { entry.identity.generation }
  package var byteCount: Int { Int(entry.identity.run.count) * Limits.slotByteCount }

  /// The bytes that a tombstone is taken to have which nobody has read.
  static let usualTombstoneByteCount = 40

  /// The bytes that will have to be copied of it, as far as that is known.
  package func keptByteCount(_ guardFloor: GuardFloor) -> Int {
    keptByteCount(withTombstones: !guardFloor.allowsDropping(entry.highest, of: generation))
  }

  package func keptByteCount(withTombstones: Bool) -> Int {
    let slot = Limits.slotByteCount
    let kept = max(liveByteCount, 0) + (withTombstones ? tombstoneByteCount : 0)
    let whole = SegmentHeader.byteCount + kept
    // One record of several slots takes them whole where it is moved, so that moving it wins nothing.
    let isOfWholeSlots = entry.recordCount == 1 && whole > slot
    return min(isOfWholeSlots ? (whole + slot - 1) / slot * slot : kept, byteCount)
  }

  /// The shelf that it belongs on.
  package func shelf(_ guardFloor: GuardFloor) -> Int {
    SegmentShelf.number(keeping: keptByteCount(guardFloor), of: byteCount)
  }

  package func shelf(withTombstones: Bool) -> Int {
    SegmentShelf.number(keeping: keptByteCount(withTombstones: withTombstones), of: byteCount)
  }
}

/// The shelves that segments stand on, by the part of them that has to be kept: the emptiest first.
///
/// Fifteen of sixteen parts; then what is hardly worth emptying, what wins a slot and else nothing, and what wins nothing.
package enum SegmentShelf {
  package static let count = 18
  /// The last shelf of which emptying a segment is worth its cost.
  private static let worthwhile = 15
  /// The last shelf of which emptying a segment wins something.
  private static let winning = 16

  /// The last shelf of which segments are emptied for a goal, unless it is to evict.
  package static func last(for goal: CompactionPolicy.Goal) -> Int {
    goal == .everything ? winning : worthwhile
  }

  /// A segment is not worth emptying for less than this part of it.
  package static let wonPartMin = 24
  private static let partCount = 16
  /// Where segments are small, a shelf is at least so wide: they do not move for each few records that die.
  private static let byteCountMin = 4096

  /// How many shelves in a row hold what stands on the first of them, for segments of so many bytes.
  private static func step(_ whole: Int) -> Int {
    whole >= partCount * byteCountMin ? 1 : whole >= partCount * byteCountMin / 2 ? 2 : 4
  }

  /// The shelf of a segment of which so many bytes have to be kept.
  package static func number(keeping byteCount: Int, of whole: Int) -> Int {
    let won = whole - min(byteCount, whole)
    if won * wonPartMin >= whole { return (min(byteCount, whole - 1) * partCount / whole) & -step(whole) }
    return won >= Limits.slotByteCount ? winning : winning + 1
  }

  /// The least bytes that a segment keeps which stands on a shelf.
  package static func leastByteCount(of shelf: Int, of whole: Int) -> Int {
    let worthwhileMax = whole - (whole + wonPartMin - 1) / wonPartMin
    switch shelf {
    case winning + 1: return max(whole - Limits.slotByteCount, worthwhileMax) + 1
    case winning: return worthwhileMax + 1
    default: return (shelf * whole + partCount - 1) / partCount
    }
  }
}
