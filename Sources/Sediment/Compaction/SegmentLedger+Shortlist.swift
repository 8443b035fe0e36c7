internal import SedimentFormat

extension SegmentLedger {
  /// The segments that may be worth most for a goal: about as many as one choice can name, however many there are.
  ///
  /// Of those on one shelf the oldest; of those that a superblock needs, which are blocked, the oldest on each shelf.
  package mutating func shortlist(
    for goal: CompactionPolicy.Goal, _ guardFloor: GuardFloor, expiredUpTo: UInt64,
    where isWanted: (CompactionCandidate) -> Bool
  ) -> [CompactionCandidate] {
    settleTombstones(guardFloor)
    var list = Shortlist()
    for generation in expired(upTo: expiredUpTo) where list.candidates.count < CompactionPolicy.victimCountMax
    {
      guard var candidate = candidate(generation), isWanted(candidate) else { continue }
      candidate.expire(for: goal)
      list.add(candidate)
    }
    for generation in mostlyExpired where list.candidates.count < CompactionPolicy.victimCountMax {
      guard var candidate = candidate(generation), isWanted(candidate) else { continue }
      candidate.isMostlyExpired = true
      list.add(candidate)
    }
    for candidate in neededCandidates where isWanted(candidate) { list.add(candidate) }
    switch goal {
    case .eviction:
      for candidate in byFloor where isWanted(candidate) {
        if list.candidates.count >= 2 * CompactionPolicy.victimCountMax { break }
        list.add(candidate)
      }
    case .balance, .everything, .room:
      let last = goal == .everything ? SegmentShelf.winning : SegmentShelf.worthwhile
      for shelf in 0...last {
        var left = goal == .room ? CompactionPolicy.victimCountMax - list.candidates.count : Self.countOfShelf
        forEach(onShelf: shelf, guardFloor) { candidate in
          if left > 0, isWanted(candidate), list.add(candidate) { left -= 1 }
          return left > 0
        }
      }
      if let owner = guardFloor.owner.flatMap({ candidate($0) }), isWanted(owner) { list.add(owner) }
    }
    return list.candidates
  }

  /// So many segments of each shelf are compared by their age.
  package static let countOfShelf = 32
}

extension CompactionCandidate {
  /// Notes that all of its puts have expired: for good or, where the goal is to evict, by the wall clock.
  fileprivate mutating func expire(for goal: CompactionPolicy.Goal) {
    mayBeExpired = true
    if goal == .eviction { return }
    isExpired = true
    liveByteCount = 0
  }
}

/// Segments that are compared, each of them once.
private struct Shortlist {
  private(set) var candidates: [CompactionCandidate] = []
  private var generations: Set<Generation> = []

  /// Adds a segment if it is not there; whether it was not.
  @discardableResult
  mutating func add(_ candidate: CompactionCandidate) -> Bool {
    guard generations.insert(candidate.generation).inserted else { return false }
    candidates.append(candidate)
    return true
  }
}
