internal import SedimentFormat

// How room is made at once, where the file may not grow: the cheapest way first.

extension Compaction {
  /// A way to make room.
  private struct RoomAttempt {
    let victims: [Generation]
    /// Whether what was not read lately is left out.
    var evicts = false
    /// Whether what was read lately is left out as well.
    var evictsEverything = false
  }

  /// What came of making room.
  enum RoomGain {
    case nothing
    /// Something was emptied that holds up tombstones, which may win nothing by itself.
    case emptied
    /// Slots were freed, perhaps no more than were taken for it.
    case freed
  }

  /// Wins some space at once: by moving or, where that is allowed, by leaving out what was not read lately.
  ///
  /// `isBehindVain` says that an attempt before won no more than it took, so that a checkpoint comes first if it lets
  /// go of anything.
  func makeRoom(in survey: SpaceSurvey, isBehindVain: Bool) throws(SedimentError) -> RoomGain {
    let goal = evicts ? CompactionPolicy.Goal.eviction : .room
    // What wins little may go for what is written to win it.
    let gain = isBehindVain ? max(survey.segmentSlotCount, gainBehindVain(survey)) : survey.segmentSlotCount
    if !isBehindVain || !choose(goal, survey).hasBlocked {
      if try makeRoom(by: roomAttempts(survey, isLast: false), survey, winning: gain) { return .freed }
    }
    let choice = choose(goal, survey)
    if !choice.hasBlocked {
      guard evicts else { return try letGoOfTombstones(since: survey) }
      // Large values may be all there is, and the last segment alone lead to them.
      if choice.victims.isEmpty {
        try log.withWriter { (writer) throws(SedimentError) in try writer.goOnInAnotherSegment() }
      }
    }
    // Either the last checkpoints still need what would be worth most, or all that they do not need was read lately.
    try log.checkpoint(both: true)
    var newSurvey = try surveySpace()
    newSurvey.isFull = survey.isFull
    let hasFreed = try makeRoom(by: roomAttempts(newSurvey, isLast: true), newSurvey, winning: gain)
    // What a segment wins a checkpoint may have taken, so tombstones go in any case.
    let roomGain = evicts ? .nothing : try letGoOfTombstones(since: survey)
    return roomGain == .nothing && hasFreed ? .freed : roomGain
  }

  /// So many slots an attempt should win behind one that won no more than it took.
  ///
  /// A file that is longer than its cap may have many more segments than one that has filled it, and its checkpoints take
  /// as much more.
  private func gainBehindVain(_ survey: SpaceSurvey) -> UInt32 {
    survey.isOverlong ? max(8 * UInt32(survey.checkpointSlotCount), 4) : 4
  }

  /// Empties what holds up tombstones, one segment after the other, until these may be left out and more slots are
  /// available than at a survey: when nothing else wins any, tombstones may be what fills the store.
  private func letGoOfTombstones(since before: SpaceSurvey) throws(SedimentError) -> RoomGain {
    var gain = RoomGain.nothing
    for _ in 0..<Self.emptiedForTombstonesMax {
      if try freeDead().freedSlotCount > 0, gain == .nothing { gain = .freed }
      try log.bringBack()
      if hasMoreAvailable(than: before) { return .freed }
      var survey = try surveySpace()
      var choice = choose(.everything, survey)
      if choice.isHeldUp {
        try log.checkpoint(both: true)
        survey = try surveySpace()
        choice = choose(.everything, survey)
      }
      guard choice.isForTombstones else { break }
      do throws(SedimentError) {
        let won = try exchange(
          choice.victims, in: survey, evicting: false, winning: Int(survey.segmentSlotCount),
          keepingAtMost: .max, evenForNothing: true)
        if won <= 0 { break }
        gain = .emptied
      } catch  where error.code == .outOfSpace {
        break
      }
      try log.bringBack()
    }
    return gain
  }

  /// Whether more slots are available than at a survey.
  func hasMoreAvailable(than survey: SpaceSurvey) -> Bool {
    writer.withLock { writer in writer.availableSlotCount > survey.availableSlotCount }
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
    by attempts: [RoomAttempt], _ survey: SpaceSurvey, winning gain: UInt32
  ) throws(SedimentError) -> Bool {
    for attempt in attempts where try makeRoom(attempt, survey, winning: gain) > 0 { return true }
    return false
  }

  /// Tries a way; that there is no room for what has to be kept means that it wins nothing.
  private func makeRoom(
    _ attempt: RoomAttempt, _ survey: SpaceSurvey, winning gain: UInt32
  ) throws(SedimentError) -> Int {
    if attempt.victims.isEmpty { return 0 }
    // Survivors are written before anything is freed, and the change that frees it needs room, too.
    let spare = 2 + 2 * survey.checkpointSlotCount
    let present = max(Int(survey.freeSlotCount) - spare, 1) * Limits.slotByteCount
    var keep = attempt.evictsEverything ? 0 : survey.isFull ? present : .max
    while true {
      do throws(SedimentError) {
        return try exchange(
          attempt.victims, in: survey, evicting: attempt.evicts, winning: Int(gain),
          keepingAtMost: keep)
      } catch  where error.code == .outOfSpace {
        // Long records leave much of scattered slots unused, so that less finds room than there is.
        guard survey.isFull, keep > Limits.slotByteCount else { return 0 }
        keep /= 2
      }
    }
  }
}
