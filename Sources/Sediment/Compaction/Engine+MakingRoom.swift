internal import SedimentFormat

// How room is made at once, where the file may not grow: the cheapest way first.

extension Engine {
  /// A way to make room.
  private struct RoomAttempt {
    let victims: [Generation]
    /// Whether what was not read lately is left out.
    var evicts = false
    /// Whether what was read lately is left out as well.
    var evictsEverything = false
  }

  /// Wins some space at once: by moving or, where that is allowed, by leaving out what was not read lately; how many
  /// slots.
  ///
  /// With the lock of maintenance.
  func makeRoom(in survey: SpaceSurvey) throws(SedimentError) -> Int {
    let won = try makeRoom(by: roomAttempts(survey, isLast: false), survey)
    if won > 0 { return won }
    let choice = choose(evicts ? .eviction : .room, survey)
    if !choice.hasBlocked {
      guard evicts else { return try letGoOfTombstones() }
      // Large values may be all there is, and the last segment alone lead to them.
      if choice.victims.isEmpty {
        try lock.withLock { () throws(SedimentError) in try checkWritable().goOnInAnotherSegment() }
      }
    }
    // Either the last checkpoints still need what would be worth most, or all that they do not need was read lately.
    try checkpoint(both: true)
    var newSurvey = try surveySpace()
    newSurvey.isFull = survey.isFull
    let last = try makeRoom(by: roomAttempts(newSurvey, isLast: true), newSurvey)
    // What a segment wins a checkpoint may take, so tombstones go in any case.
    return evicts ? last : max(last, try letGoOfTombstones())
  }

  /// Empties what holds up tombstones, one segment after the other, until these may be left out; how many slots were
  /// won, or whether anything was emptied.
  ///
  /// That may win nothing by itself, but when nothing else does tombstones may be what fills the store.
  func letGoOfTombstones() throws(SedimentError) -> Int {
    var hasEmptied = false
    for _ in 0..<Self.emptiedForTombstonesMax {
      guard let writer else { break }
      let freed = try freeDead(writer).freedSlotCount
      try bringBack(writer)
      if freed > 0 { return Int(freed) }
      var survey = try surveySpace()
      var choice = choose(.everything, survey)
      if choice.isHeldUp {
        try checkpoint(both: true)
        survey = try surveySpace()
        choice = choose(.everything, survey)
      }
      guard choice.isForTombstones else { break }
      do throws(SedimentError) {
        let won = try exchange(
          choice.victims, in: survey, evicting: false, winning: Int(survey.segmentSlotCount),
          keepingAtMost: .max, evenForNothing: true)
        if won <= 0 { break }
        hasEmptied = true
      } catch  where error.code == .outOfSpace {
        break
      }
      try bringBack(writer)
    }
    return hasEmptied ? 1 : 0
  }

  /// So many segments are emptied for tombstones in one attempt.
  private static var emptiedForTombstonesMax: Int { 64 }

  private func roomAttempts(_ survey: SpaceSurvey, isLast: Bool) -> [RoomAttempt] {
    guard evicts else { return [RoomAttempt(victims: choose(.room, survey).victims)] }
    // Segments that are dead for the most part are moved first: that costs no value.
    let dead = choose(.room, survey) { $0.liveByteCount * 3 < $0.byteCount && $0.supersededCount > 0 }
    let moving = RoomAttempt(victims: dead.victims)
    let choice = choose(.eviction, survey)
    let evicting = RoomAttempt(victims: choice.victims, evicts: true)
    if isLast {
      return [moving, evicting, RoomAttempt(victims: choice.victims, evicts: true, evictsEverything: true)]
    }
    return choice.wantsCheckpoint ? [moving] : [moving, evicting]
  }

  /// Tries ways until one wins something.
  private func makeRoom(
    by attempts: [RoomAttempt], _ survey: SpaceSurvey
  ) throws(SedimentError) -> Int {
    for attempt in attempts {
      let won = try makeRoom(attempt, survey)
      if won > 0 { return won }
    }
    return 0
  }

  /// Tries a way; that there is no room for what has to be kept means that it wins nothing.
  private func makeRoom(_ attempt: RoomAttempt, _ survey: SpaceSurvey) throws(SedimentError) -> Int {
    if attempt.victims.isEmpty { return 0 }
    // Survivors are written before anything is freed, and the change that frees it needs room, too.
    let spare = 2 + 2 * survey.checkpointSlotCount
    let present = max(Int(survey.freeSlotCount) - spare, 1) * Limits.slotByteCount
    var keep = attempt.evictsEverything ? 0 : survey.isFull ? present : .max
    while true {
      do throws(SedimentError) {
        return try exchange(
          attempt.victims, in: survey, evicting: attempt.evicts, winning: Int(survey.segmentSlotCount),
          keepingAtMost: keep)
      } catch  where error.code == .outOfSpace {
        // Long records leave much of scattered slots unused, so that less finds room than there is.
        guard survey.isFull, keep > Limits.slotByteCount else { return 0 }
        keep /= 2
      }
    }
  }
}
