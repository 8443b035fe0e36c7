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
      guard evicts else { return 0 }
      // Large values may be all there is, and the last segment alone lead to them.
      if choice.victims.isEmpty {
        try lock.withLock { () throws(SedimentError) in try checkWritable().goOnInAnotherSegment() }
      }
    }
    // Either the last checkpoints still need what would be worth most, or all that they do not need was read lately.
    try checkpoint(both: true)
    var newSurvey = try surveySpace()
    newSurvey.isFull = survey.isFull
    return try makeRoom(by: roomAttempts(newSurvey, isLast: true), newSurvey)
  }

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
