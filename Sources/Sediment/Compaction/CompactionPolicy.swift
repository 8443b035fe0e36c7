package import SedimentFormat

/// Chooses the segments to empty next among those that the ledger names: a pure function (DESIGN.md 8, "Policy").
package struct CompactionPolicy: Sendable {
  /// What compaction is to bring about.
  package enum Goal: Sendable {
    /// Space at the least cost in the long run.
    case balance
    /// As much space as there is.
    case everything
    /// Room at once, whatever it costs later.
    case room
    /// Room by leaving out what was not read lately.
    case eviction
  }

  /// What is to be done.
  package struct Choice: Hashable, Sendable {
    /// Segments to empty, the first one first, until enough was won.
    package var victims: [Generation] = []
    /// Whether the first one is to be emptied for the tombstones that it holds up, though it may win nothing itself.
    package var isForTombstones = false
    /// Whether a superblock needs the segment that tombstones wait for, so that a checkpoint should come first.
    package var isHeldUp = false
    /// Whether what would be worth most is needed by a superblock, so that a checkpoint should come first.
    package var wantsCheckpoint = false
    /// Whether a superblock needs anything that would be worth something.
    package var hasBlocked = false
  }

  private let candidates: [CompactionCandidate]
  private let sequence: SequenceNumber
  private let guardFloor: GuardFloor
  private let liveByteCount: Int
  private let tombstoneByteCount: Int

  /// A policy for some segments, the tail left out, at a sequence of the log.
  ///
  /// `guardFloor`, the live bytes and the tombstones are those of all segments with records.
  package init(
    _ candidates: [CompactionCandidate], at sequence: SequenceNumber, _ guardFloor: GuardFloor,
    liveByteCount: Int, tombstoneByteCount: Int
  ) {
    self.candidates = candidates
    self.sequence = sequence
    self.guardFloor = guardFloor
    self.liveByteCount = liveByteCount
    self.tombstoneByteCount = tombstoneByteCount
  }

  /// At most so many segments are named at a time.
  package static let victimCountMax = 256

  package func choose(_ goal: Goal) -> Choice {
    var choice = Choice()
    var scored: [(score: Double, candidate: CompactionCandidate)] = []
    var blocked = 0.0
    var blockedByteCount = 0
    for candidate in candidates {
      guard let score = score(candidate, goal) else { continue }
      if candidate.isBlocked {
        blocked = max(blocked, score)
        blockedByteCount += candidate.byteCount - candidate.keptByteCount(guardFloor)
      } else {
        scored.append((score, candidate))
      }
    }
    scored.sort {
      $0.score != $1.score ? $0.score > $1.score : $0.candidate.generation < $1.candidate.generation
    }
    choice.victims = scored.prefix(Self.victimCountMax).map(\.candidate.generation)
    if goal == .balance || goal == .everything, let first = firstForTombstones() {
      choice.isHeldUp = first.isBlocked
      if !first.isBlocked {
        choice.victims.removeAll { $0 == first.generation }
        choice.victims.insert(first.generation, at: 0)
        choice.isForTombstones = true
      }
    }
    choice.hasBlocked = blockedByteCount > 0
    let best = scored.first?.score ?? 0
    choice.wantsCheckpoint =
      switch goal {
      case .everything, .room: choice.victims.isEmpty && blockedByteCount > 0
      case .eviction: blocked > best
      case .balance: blocked > 2 * best && blocked > 0
      }
    return choice
  }

  /// How much it is worth to empty a segment; nil if it is worth nothing.
  private func score(_ candidate: CompactionCandidate, _ goal: Goal) -> Double? {
    switch goal {
    case .eviction:
      if candidate.mayBeExpired { return 2 }
      // The oldest first: hardly any tombstone is needed then.
      return 1 / (1 + Double(candidate.entry.floor.rawValue))
    case .balance, .room, .everything:
      if candidate.shelf(guardFloor) > SegmentShelf.last(for: goal) {
        return candidate.isMostlyExpired ? 1 : nil
      }
    }
    let fill = Double(candidate.keptByteCount(guardFloor)) / Double(candidate.byteCount)
    if goal == .room { return 1 - fill }
    // What was written long ago will not die soon, so its space is worth more. The root is what simulations of
    // uniform and of skewed writing agree on.
    let age = Double(sequence.rawValue &- min(candidate.entry.highest.rawValue, sequence.rawValue)) + 1
    return (1 - fill) / (1 + fill) * age.squareRoot().squareRoot()
  }

  /// The segment that tombstones wait for, if these take more than a 32nd of what is live.
  private func firstForTombstones() -> CompactionCandidate? {
    guard tombstoneByteCount > max(liveByteCount, 0) / 32 + Limits.slotByteCount,
      let owner = guardFloor.owner
    else { return nil }
    return candidates.first { $0.generation == owner }
  }
}
