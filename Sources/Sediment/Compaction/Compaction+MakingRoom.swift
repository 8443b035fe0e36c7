internal import SedimentFormat

// How room is made at once, where the file may not grow: the cheapest way first.

extension Compaction {
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
      if try empty(in: survey, winning: gain, isLast: false) { return .freed }
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
    let hasFreed = try empty(in: newSurvey, winning: gain, isLast: true)
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
      try log.syncAndReclaim()
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
          choice.victims, in: survey, winning: Int(survey.segmentSlotCount), evenForNothing: true
        ).won
        if won <= 0 { break }
        gain = .emptied
      } catch  where error.code == .outOfSpace {
        break
      }
      try log.syncAndReclaim()
    }
    return gain
  }

  /// Whether more slots are available than at a survey.
  func hasMoreAvailable(than survey: SpaceSurvey) -> Bool {
    writer.withLock { writer in writer.space.availableSlotCount > survey.availableSlotCount }
  }

  /// So many segments are emptied for tombstones in one attempt.
  private static var emptiedForTombstonesMax: Int { 64 }

  /// Empties segments in one way after the other, until one wins something; at last what was read lately is left out, too.
  private func empty(
    in survey: SpaceSurvey, winning gain: UInt32, isLast: Bool
  ) throws(SedimentError) -> Bool {
    guard evicts else { return try empty(choose(.room, survey).victims, in: survey, winning: gain) }
    // Segments that are dead for the most part are moved first: that costs no value.
    let dead = choose(.room, survey) { $0.liveByteCount * 3 < $0.byteCount && $0.supersededCount > 0 }
    if try empty(dead.victims, in: survey, winning: gain) { return true }
    let choice = choose(.eviction, survey)
    if choice.wantsCheckpoint, !isLast { return false }
    if try empty(choice.victims, evicting: true, in: survey, winning: gain) { return true }
    if !isLast { return false }
    return try empty(choice.victims, evicting: true, keepingAny: false, in: survey, winning: gain)
  }

  /// Empties segments, with as much kept as there is room for; whether that wins anything.
  private func empty(
    _ victims: [Generation], evicting: Bool = false, keepingAny: Bool = true, in survey: SpaceSurvey,
    winning gain: UInt32
  ) throws(SedimentError) -> Bool {
    if victims.isEmpty { return false }
    // Survivors are written before anything is freed, and the change that frees it needs room, too.
    let spare = 2 + 2 * survey.checkpointSlotCount
    let present = max(Int(survey.freeSlotCount) - spare, 1) * Limits.slotByteCount
    var keep = !keepingAny ? 0 : survey.isFull ? present : .max
    while true {
      do throws(SedimentError) {
        return try exchange(
          victims, in: survey, evicting: evicting, winning: Int(gain), keepingAtMost: keep
        ).won > 0
      } catch  where error.code == .outOfSpace {
        // Long records leave much of scattered slots unused, so that less finds room than there is.
        guard survey.isFull, keep > Limits.slotByteCount else { return false }
        keep /= 2
      }
    }
  }

  /// Makes room once for a change that found none; whether anything came back, or was freed that readers still hold.
  mutating func makeSpaceOnce(
    since before: UInt64, isBehindVain: Bool
  ) throws(SedimentError) -> Bool {
    // Behind attempts that won no more than they took, what came back by itself is not enough either.
    if isBack(since: before), !isBehindVain { return true }
    try log.reclaim()
    if isBack(since: before), !isBehindVain { return true }
    try log.syncAndReclaim()
    if isBack(since: before), !isBehindVain { return true }
    if log.areFreedSlotsInScopes() { return false }
    let available = writer.withLock { writer in writer.space.availableSlotCount }
    contents.sweepAtOnce()
    do throws(SedimentError) {
      try findLostExtents()
      let hasFreed = try freeDead().freedSlotCount > 0
      if !hasFreed || isBehindVain {
        var survey = try surveySpace()
        // Whatever the file could grow by, the disk has not.
        survey.isFull = true
        let gain = try makeRoom(in: survey, isBehindVain: isBehindVain)
        if gain == .nothing, !hasFreed { return false }
      }
    } catch  where error.code == .outOfSpace {
      // There is no room even for what would make some, unless something comes back.
    }
    return try log.syncAndReclaim()
      || writer.withLock { writer in writer.space.availableSlotCount > available }
  }

  /// Whether slots came back since so many had.
  private func isBack(since before: UInt64) -> Bool {
    writer.withLock { writer in writer.space.reclaimedSlotCount != before }
  }
}
