package import SedimentFormat

/// Chooses the segments to empty next: a pure function of what is known of all of them (DESIGN.md 8, "Policy").
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
    /// Whether what would be worth most is needed by a superblock, so that a checkpoint should come first.
    package var wantsCheckpoint = false
    /// Whether a superblock needs anything that would be worth something.
    package var hasBlocked = false
  }

  private let candidates: [CompactionCandidate]
  private let sequence: SequenceNumber
  private let guardFloor: GuardFloor

  /// A policy for all segments with records, the tail left out, at a sequence of the log.
  ///
  /// `guardFloor` takes the tail into account, too.
  package init(_ candidates: [CompactionCandidate], at sequence: SequenceNumber, _ guardFloor: GuardFloor) {
    self.candidates = candidates
    self.sequence = sequence
    self.guardFloor = guardFloor
  }

  /// The bytes that a tombstone takes, more or less.
  private static let tombstoneByteCount = 40
  /// At most so many segments are named at a time.
  private static let victimCountMax = 256

  package func choose(_ goal: Goal) -> Choice {
    var choice = Choice()
    var scored: [(score: Double, candidate: CompactionCandidate)] = []
    var blocked = 0.0
    var blockedByteCount = 0
    for candidate in candidates {
      guard let score = score(candidate, goal) else { continue }
      if candidate.isBlocked {
        blocked = max(blocked, score)
        blockedByteCount += candidate.byteCount - kept(candidate)
      } else {
        scored.append((score, candidate))
      }
    }
    scored.sort {
      $0.score != $1.score ? $0.score > $1.score : $0.candidate.generation < $1.candidate.generation
    }
    choice.victims = scored.prefix(Self.victimCountMax).map(\.candidate.generation)
    if goal == .balance || goal == .everything, let first = firstForTombstones() {
      choice.victims.removeAll { $0 == first }
      choice.victims.insert(first, at: 0)
      choice.isForTombstones = true
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

  /// The bytes that will have to be copied of a segment.
  private func kept(_ candidate: CompactionCandidate) -> Int {
    let areDroppable = guardFloor.allowsDropping(candidate.highest, of: candidate.generation)
    let tombstones = areDroppable ? 0 : candidate.tombstoneCount * Self.tombstoneByteCount
    return min(max(candidate.liveByteCount, 0) + tombstones, candidate.byteCount)
  }

  /// How much it is worth to empty a segment; nil if it is worth nothing.
  private func score(_ candidate: CompactionCandidate, _ goal: Goal) -> Double? {
    let kept = kept(candidate)
    let won = candidate.byteCount - kept
    switch goal {
    case .eviction:
      if candidate.mayBeExpired { return 2 }
      // The oldest first: hardly any tombstone is needed then.
      return 1 / (1 + Double(candidate.floor.rawValue))
    case .balance, .room: if won * Self.wonPartMin < candidate.byteCount { return nil }
    case .everything:
      if won < Limits.slotByteCount, won * Self.wonPartMin < candidate.byteCount { return nil }
    }
    let fill = Double(kept) / Double(candidate.byteCount)
    if goal == .room { return 1 - fill }
    // What was written long ago will not die soon, so its space is worth more. The root is what simulations of
    // uniform and of skewed writing agree on.
    let age = Double(sequence.rawValue &- min(candidate.highest.rawValue, sequence.rawValue)) + 1
    return (1 - fill) / (1 + fill) * age.squareRoot().squareRoot()
  }

  /// A segment is not worth emptying for less than this part of it.
  private static let wonPartMin = 24

  /// The segment that tombstones wait for, if these take more than a 32nd of what is live.
  private func firstForTombstones() -> Generation? {
    var live = 0
    var tombstones = 0
    for candidate in candidates {
      live += max(candidate.liveByteCount, 0)
      tombstones += candidate.tombstoneCount * Self.tombstoneByteCount
    }
    guard tombstones > live / 32 + Limits.slotByteCount, let owner = guardFloor.owner else { return nil }
    return candidates.first { $0.generation == owner && !$0.isBlocked }?.generation
  }
}
