internal import SedimentFormat

// What compaction knows before it chooses, and how it chooses (DESIGN.md 8, "Choosing").

extension Compaction {
  /// How the space of a store stands at a moment.
  struct SpaceSurvey {
    /// The segment in which the log ends; it is never a victim.
    var tail: CompactionCandidate
    var liveByteCount = 0
    var sequence: SequenceNumber
    var segmentSlotCount: UInt32
    /// The slots that may be taken without the file growing, the reserve among them.
    var freeSlotCount: UInt32 = 0
    /// What a checkpoint takes.
    var checkpointSlotCount = 0
    /// The slots that the file may still grow by.
    var leftSlotCount: UInt32 = 0
    /// The slots that there are once all has come back that was freed.
    var availableSlotCount: UInt32 = 0
    /// Whether the file may not grow by another segment.
    var isFull = false
    /// Whether the file is longer than its cap.
    var isOverlong = false
    /// Whether a segment that may be emptied, or half of it, has expired for good.
    var hasExpired = false
    /// The slots with records, and from how many on compaction is due.
    var recordSlotCount: UInt32 = 0
    var budget: SpaceBudget
    /// How many free slots there are for users, and how many there should be.
    var room: (present: UInt32, wanted: UInt32) = (0, 0)

    /// What an exchange should win: little where the file may hardly grow for its survivors.
    var gainSlotCount: UInt32 {
      max(min(budget.gainSlotCount(at: recordSlotCount), leftSlotCount / 8), budget.leastGainSlotCount)
    }

    /// Whether compaction is due.
    var isDue: Bool { recordSlotCount >= budget.dueSlotCount }
  }

  func surveySpace() throws(SedimentError) -> SpaceSurvey {
    try log.withWriter { (writer) throws(SedimentError) in surveySpace(&writer) }
  }

  func surveySpace(_ writer: inout LogWriter) -> SpaceSurvey {
    writer.takeBackReserved()
    let segmentSlotCount = writer.segmentSlotCount
    let expiredUpTo = writer.expiredUpTo(evicting: false)
    writer.ledger.noteExpired(upTo: expiredUpTo)
    let budget = writer.noteBudget()
    var survey = SpaceSurvey(
      tail: tailCandidate(writer), liveByteCount: writer.unexpiredByteCount,
      sequence: SequenceNumber(writer.tail.sequence)!, segmentSlotCount: segmentSlotCount,
      budget: budget)
    writer.nextExpiry = writer.ledger.nextExpiry(behind: expiredUpTo)
    survey.hasExpired =
      writer.ledger.expired(upTo: expiredUpTo).contains { mayBeEmptied($0, writer) }
      || writer.ledger.mostlyExpired.contains { mayBeEmptied($0, writer) }
    survey.checkpointSlotCount = Int(writer.checkpointSlotCount)
    survey.freeSlotCount = writer.space.freeCount + writer.space.bareCount
    survey.recordSlotCount = writer.recordSlotCount
    survey.availableSlotCount = writer.availableSlotCount
    survey.leftSlotCount = writer.slotCountLeft
    survey.isFull = writer.slotCountLeft < segmentSlotCount
    survey.isOverlong = writer.isOverlong
    survey.room = (writer.roomSlotCount, writer.wantedRoom)
    writer.setWantedFreeCount()
    return survey
  }

  private func mayBeEmptied(_ generation: Generation, _ writer: borrowing LogWriter) -> Bool {
    guard let candidate = writer.ledger.candidate(generation) else { return false }
    return !isBlocked(candidate, writer)
  }

  private func tailCandidate(_ writer: borrowing LogWriter) -> CompactionCandidate {
    let tail = writer.tail
    return CompactionCandidate(tail.entry, tail.segment.counts(writer.permit), isBlocked: true)
  }

  /// What hides superseded records where so many segments are emptied at once.
  func guardFloor(emptying count: Int, _ writer: borrowing LogWriter) -> GuardFloor {
    let tail = tailCandidate(writer)
    let row = SegmentOrder.Row(tail.entry.floor.rawValue, tail.generation)
    return writer.ledger.guardFloor(emptying: count, tail: tail.supersededCount > 0 ? row : nil)
  }

  /// Whether a superblock needs a segment, or it was adopted so lately that this may not be on the medium.
  private func isBlocked(_ candidate: CompactionCandidate, _ writer: borrowing LogWriter) -> Bool {
    candidate.isBlocked || (writer.adoptions[candidate.generation] ?? 0) > log.gate.syncedSequence
  }

  // MARK: Choosing

  /// Chooses what to empty, of segments of generations before `limit` if there is one, and only those that `isWanted`.
  func choose(
    _ goal: CompactionPolicy.Goal, _ survey: SpaceSurvey, before limit: Generation? = nil,
    where isWanted: (CompactionCandidate) -> Bool = { _ in true }
  ) -> CompactionPolicy.Choice {
    return writer.withLock { writer in
      let guardFloor = self.guardFloor(emptying: CompactionPolicy.victimCountMax, writer)
      let expiredUpTo = writer.expiredUpTo(evicting: goal == .eviction)
      var candidates = writer.ledger.shortlist(for: goal, guardFloor, expiredUpTo: expiredUpTo) { candidate in
        limit.map { candidate.generation < $0 } ?? true && isWanted(candidate)
      }
      for number in candidates.indices {
        candidates[number].isBlocked = isBlocked(candidates[number], writer)
      }
      return CompactionPolicy(
        candidates, at: survey.sequence, guardFloor, liveByteCount: survey.liveByteCount,
        tombstoneByteCount: writer.ledger.tombstoneByteCount
      ).choose(goal)
    }
  }
}
