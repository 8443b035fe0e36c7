internal import SedimentFormat

// What compaction knows before it chooses, and how it chooses (DESIGN.md 8, "Choosing").

extension Compaction {
  /// How the space of a store stands at a moment.
  struct SpaceSurvey {
    /// The bytes that records cannot do without, those of one checkpoint among them.
    let neededByteCount: Int
    /// The bytes of dead records in segments that a superblock needs.
    let heldByteCount: Int
    let sequence: SequenceNumber
    var segmentSlotCount: UInt32
    /// The slots that may be taken without the file growing, the reserve among them.
    let freeSlotCount: UInt32
    /// What a checkpoint takes.
    let checkpointByteCount: Int
    let checkpointSlotCount: Int
    /// The slots that the file may still grow by.
    let leftSlotCount: UInt32
    /// The slots that there are once all has come back that was freed.
    let availableSlotCount: UInt32
    /// Whether the file may not grow by another segment.
    var isFull: Bool
    /// Whether the file is longer than its cap.
    let isOverlong: Bool
    /// Whether a segment that may be emptied, or half of it, has expired for good.
    let hasExpired: Bool
    /// The slots with records, and from how many on compaction is due.
    let recordSlotCount: UInt32
    let budget: SpaceBudget
    /// How many free slots there should be for users, and whether there are fewer.
    let wantedRoom: UInt32
    let lacksRoom: Bool

    /// What an exchange should win: little where the file may hardly grow for its survivors.
    var gainSlotCount: UInt32 {
      max(min(budget.gainSlotCount(at: recordSlotCount), leftSlotCount / 8), budget.leastGainSlotCount)
    }

    /// Whether a checkpoint is worth its syncs and the bytes that it takes, if so many can be won after it.
    ///
    /// The checkpoint before is among these bytes. So in a store at rest no checkpoint makes another one worthwhile.
    func isWorthCheckpoint(winning byteCount: Int) -> Bool {
      byteCount >= checkpointByteCount + max(neededByteCount / 8, 1 << 20)
    }

    /// Whether compaction is due.
    var isDue: Bool { recordSlotCount >= budget.dueSlotCount }
  }

  func surveySpace() throws(SedimentError) -> SpaceSurvey {
    try log.withWriter { (writer) throws(SedimentError) in surveySpace(&writer) }
  }

  func surveySpace(_ writer: inout LogWriter) -> SpaceSurvey {
    writer.space.reclaimReturned()
    let expiredUpTo = writer.expiredUpTo(evicting: false)
    writer.ledger.noteExpired(upTo: expiredUpTo)
    let budget = writer.noteBudget()
    writer.nextExpiry = writer.ledger.nextExpiry(behind: expiredUpTo)
    writer.setWantedFreeCount()
    return SpaceSurvey(
      neededByteCount: writer.neededByteCount, heldByteCount: writer.ledger.heldByteCount,
      sequence: SequenceNumber(writer.tail.sequence)!,
      segmentSlotCount: writer.segmentSlotCount,
      freeSlotCount: writer.space.freeCount + writer.space.bareCount,
      checkpointByteCount: writer.checkpointByteCount,
      checkpointSlotCount: Int(writer.checkpointSlotCount), leftSlotCount: writer.space.slotCountLeft,
      availableSlotCount: writer.space.availableSlotCount,
      isFull: writer.space.slotCountLeft < writer.segmentSlotCount, isOverlong: writer.space.isOverlong,
      hasExpired: writer.ledger.expired(upTo: expiredUpTo).contains { mayBeEmptied($0, writer) }
        || writer.ledger.mostlyExpired.contains { mayBeEmptied($0, writer) },
      recordSlotCount: writer.recordSlotCount, budget: budget, wantedRoom: writer.wantedRoom,
      lacksRoom: writer.roomSlotCount < writer.wantedRoom)
  }

  private func mayBeEmptied(_ generation: Generation, _ writer: borrowing LogWriter) -> Bool {
    writer.ledger.candidate(generation).map { !isBlocked($0.entry, writer) } ?? false
  }

  /// What hides superseded records where so many segments are emptied at once.
  func guardFloor(emptying count: Int, _ writer: borrowing LogWriter) -> GuardFloor {
    let counts = writer.tail.segment.counts(writer.permit)
    let tail = CompactionCandidate(writer.tail.entry, counts, isBlocked: true)
    let row = SegmentOrder.Row(tail.entry.floor.rawValue, tail.generation)
    return writer.ledger.guardFloor(emptying: count, tail: tail.supersededCount > 0 ? row : nil)
  }

  /// Whether a superblock needs a segment, or it was adopted so lately that this may not be on the medium.
  func isBlocked(_ entry: SegmentEntry, _ writer: borrowing LogWriter) -> Bool {
    let generation = entry.identity.generation
    return entry.identity.kind == .hot
      ? generation >= writer.neededGeneration : (writer.adoptions[generation] ?? 0) > log.gate.syncedSequence
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
        candidates[number].isBlocked = isBlocked(candidates[number].entry, writer)
      }
      return CompactionPolicy(
        candidates, at: survey.sequence, guardFloor, liveByteCount: survey.neededByteCount,
        tombstoneByteCount: writer.ledger.tombstoneByteCount
      ).choose(goal)
    }
  }
}
