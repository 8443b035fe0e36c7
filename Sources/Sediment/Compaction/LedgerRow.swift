internal import SedimentFormat

/// What the ledger knows of a segment.
struct LedgerRow {
  let counts: SegmentCounts
  let generation: Generation
  let slotCount: UInt32
  let putCount: Int
  let isOfOneRecord: Bool
  /// The bytes of its tombstones, as they count in the sum of all.
  var tombstoneByteCount: Int
  let floor: SequenceNumber
  let highest: SequenceNumber
  let latestExpiry: UInt64
  /// The bytes of all of its records.
  let recordByteCount: Int
  let expiring: ExpiryClasses
  /// When more of it will have expired; the highest number if nothing will.
  var nextExpiry: UInt64
  /// The bytes of those of its puts that have expired, dead or not.
  var expiredByteCount = 0
  /// Whether large values are among them, dead or not, which nobody has looked for yet.
  var hasExpiredLarge = false
  /// How many of the bytes that the index leads to have expired, as they count in the sum of all.
  var hiddenByteCount = 0
  /// The shelf that it stands on.
  var shelf = 0
  /// Whether a superblock needs it.
  var isNeeded: Bool
  /// Whether it stays as it is, because it cannot be read.
  var isRefused = false
  /// Whether records of it were superseded, so that it stands among `guards`.
  var isGuarding = false
  /// Whether its shelf counts its tombstones as something to keep.
  var keepsTombstones: Bool
}

extension LedgerRow {
  init(_ entry: SegmentEntry, _ counts: SegmentCounts, neededFrom neededGeneration: Generation) {
    self.counts = counts
    generation = entry.identity.generation
    slotCount = entry.identity.run.count
    putCount = Int(entry.recordCount) - Int(entry.tombstoneCount)
    isOfOneRecord = entry.recordCount == 1
    tombstoneByteCount = counts.tombstoneByteCount
    floor = entry.floor
    highest = entry.highest
    latestExpiry = entry.latestExpiry
    let start = entry.identity.recordRange.lowerBound.rawValue
    recordByteCount = entry.end.map { Int($0.rawValue - start) * Limits.unitByteCount } ?? 0
    expiring = entry.expiring
    nextExpiry = expiring.isEmpty ? .max : expiring.next(after: 0)
    isNeeded = entry.identity.kind == .hot && generation >= neededGeneration
    keepsTombstones = tombstoneByteCount > 0
  }

  var byHighest: SegmentOrder.Row { .init(highest.rawValue, generation) }
  var byFloor: SegmentOrder.Row { .init(floor.rawValue, generation) }
  var byGeneration: SegmentOrder.Row { .init(generation.rawValue, generation) }

  var byteCount: Int { Int(slotCount) * Limits.slotByteCount }
  /// What the index leads to, and no more than what has not expired.
  var liveByteCount: Int {
    let live = max(counts.liveByteCount, 0)
    return expiredByteCount == 0 ? live : min(live, max(recordByteCount - expiredByteCount, 0))
  }
  var supersededCount: Int { max(putCount - counts.liveCount, 0) }
  /// Whether so much of it has expired that it is emptied for that.
  var isHalfExpired: Bool { hasExpiredLarge || expiredByteCount >= byteCount / 2 }
  var keptTombstoneByteCount: Int {
    keepsTombstones ? tombstoneByteCount : 0
  }
  /// The shelf that it belongs on.
  var ownShelf: Int {
    let kept = CompactionCandidate.keptByteCount(liveByteCount + keptTombstoneByteCount, isOfOneRecord)
    return SegmentShelf.number(keeping: kept, of: byteCount)
  }

  var candidate: CompactionCandidate {
    CompactionCandidate(
      generation: generation, slotCount: slotCount, liveByteCount: liveByteCount,
      supersededCount: supersededCount, tombstoneByteCount: tombstoneByteCount, floor: floor,
      highest: highest, isBlocked: isNeeded, isOfOneRecord: isOfOneRecord)
  }
}
