internal import SedimentFormat

/// What the ledger knows of a segment.
struct LedgerRow {
  let entry: SegmentEntry
  let counts: SegmentCounts
  /// The bytes of its tombstones.
  var tombstoneByteCount: Int
  /// When more of it will have expired; the highest number if nothing will.
  var nextExpiry: UInt64
  /// The bytes of those of its puts that have expired, dead or not.
  var expiredByteCount = 0
  /// Whether large values are among them, dead or not, which nobody has looked for yet.
  var hasExpiredLarge = false
  /// How many of the bytes that the index leads to have expired, as the ledger's sum has them.
  private(set) var hiddenByteCount = 0
  /// How many bytes emptying it would win, if that were worth its cost.
  private(set) var wonByteCount = 0
  /// The shelf that it stands on.
  private(set) var shelf = 0
  /// Whether a superblock needs it.
  var isNeeded: Bool
  /// Whether it stays as it is, because it cannot be read.
  var isRefused = false
  /// Whether records of it were superseded.
  private(set) var isGuarding = false
  /// Whether its shelf counts its tombstones as something to keep.
  var keepsTombstones: Bool

  init(_ entry: SegmentEntry, _ counts: SegmentCounts, neededFrom neededGeneration: Generation) {
    self.entry = entry
    self.counts = counts
    tombstoneByteCount = counts.tombstoneByteCount
    nextExpiry = entry.expiring.isEmpty ? .max : entry.expiring.next(after: 0)
    isNeeded = entry.identity.kind == .hot && entry.identity.generation >= neededGeneration
    keepsTombstones = tombstoneByteCount > 0
  }

  var candidate: CompactionCandidate {
    var candidate = CompactionCandidate(entry, counts, isBlocked: isNeeded)
    candidate.tombstoneByteCount = tombstoneByteCount
    // What the index leads to, and no more than what has not expired.
    let live = max(counts.liveByteCount, 0)
    candidate.liveByteCount =
      expiredByteCount == 0 ? live : min(live, max(recordByteCount - expiredByteCount, 0))
    return candidate
  }

  /// The bytes of all of its records.
  private var recordByteCount: Int {
    let start = entry.identity.recordRange.lowerBound.rawValue
    return entry.end.map { Int($0.rawValue - start) * Limits.unitByteCount } ?? 0
  }

  /// Finds out where it belongs now, and when it has to be looked at again.
  mutating func settle() {
    let candidate = candidate
    let live = counts.liveByteCount
    isGuarding = isGuarding || candidate.supersededCount > 0
    shelf = candidate.shelf(withTombstones: keepsTombstones)
    let isWorthwhile = shelf <= SegmentShelf.last(for: .balance)
    wonByteCount =
      isWorthwhile ? candidate.byteCount - candidate.keptByteCount(withTombstones: keepsTombstones) : 0
    hiddenByteCount = live - min(candidate.liveByteCount, live)
    // The first record that is superseded makes it a guard.
    var end = live
    if isGuarding {
      end = SegmentShelf.leastByteCount(of: shelf, of: candidate.byteCount)
      if keepsTombstones { end -= tombstoneByteCount }
    }
    // Then fewer of these have expired.
    if hiddenByteCount > 0 { end = max(end, live - candidate.byteCount / 16) }
    counts.noticeBelow = max(end, 1)
  }
}

/// Where a segment stands in the orders of the ledger, nil where it does not, and what it adds to its sums.
struct LedgerPlaces {
  /// The number of its shelf, those of what superblocks need behind the others.
  var shelf: Int?
  /// Those of segments that can be read: by the sequence of its last record on its shelf, and among all.
  var onShelf: SegmentOrder.Row?
  var asNeeded: SegmentOrder.Row?
  var asOpen: SegmentOrder.Row?
  var asGuard: SegmentOrder.Row?
  var asKeeper: SegmentOrder.Row?
  var asExpiring: SegmentOrder.Row?
  var byNextExpiry: SegmentOrder.Row?
  /// If so much of it has expired that it is emptied for that.
  var asHalfExpired: SegmentOrder.Row?
  var hiddenByteCount = 0
  /// What stays as it is counts for nothing.
  var tombstoneByteCount = 0
  /// What emptying it would win, if a superblock needs it.
  var heldByteCount = 0
}

extension LedgerRow {
  var places: LedgerPlaces {
    let isHalfExpired =
      hasExpiredLarge || expiredByteCount >= Int(entry.identity.run.count) * Limits.slotByteCount / 2
    return LedgerPlaces(
      shelf: shelf + (isNeeded ? SegmentShelf.count : 0),
      onShelf: isRefused ? nil : row(entry.highest.rawValue),
      asNeeded: isNeeded && !isRefused ? row(generation.rawValue) : nil,
      asOpen: isNeeded || isRefused ? nil : row(entry.floor.rawValue),
      asGuard: isGuarding ? row(entry.floor.rawValue) : nil,
      asKeeper: keepsTombstones ? row(entry.highest.rawValue) : nil,
      asExpiring: entry.latestExpiry != 0 ? row(entry.latestExpiry) : nil,
      byNextExpiry: nextExpiry != .max ? row(nextExpiry) : nil,
      asHalfExpired: isHalfExpired ? row(generation.rawValue) : nil,
      hiddenByteCount: hiddenByteCount, tombstoneByteCount: isRefused ? 0 : tombstoneByteCount,
      heldByteCount: isNeeded && !isRefused ? wonByteCount : 0)
  }

  var generation: Generation { entry.identity.generation }

  private func row(_ key: UInt64) -> SegmentOrder.Row { .init(key, generation) }
}
