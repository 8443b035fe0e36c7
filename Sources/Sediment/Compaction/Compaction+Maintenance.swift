internal import SedimentDisk
internal import SedimentFormat

// What the background does for space, a step at a time: give back, move, leave out, and let the file shrink.

extension Compaction {
  /// What follows a step.
  enum Step {
    /// There is nothing to do until something changes.
    case done
    /// Another step, after a pause in nanoseconds.
    case again(after: UInt64)
    /// A look after so many nanoseconds, or as soon as something changes.
    case look(after: UInt64)
  }

  /// Sees to space once, if there is something to see to.
  mutating func maintain() throws(SedimentError) -> Step {
    memory = memory ?? ExchangeMemory()
    var step = Step.done
    defer { if case .again = step {} else { memory = nil } }
    step = try takeStep()
    return step
  }

  private mutating func takeStep() throws(SedimentError) -> Step {
    try reader.completeIndex()
    let began = disk.monotonicClock()
    try log.reclaim()
    try log.leaveWindowBeyondCap()
    try findLostExtents()
    var emptying = try freeDead()
    var (survey, isIdle, isVain) = try log.withWriter { (writer) throws(SedimentError) in
      writer.noteClocks()
      let survey = surveySpace(&writer)
      let isIdle = survey.sequence.rawValue == writer.maintainedSequence
      writer.maintainedSequence = survey.sequence.rawValue
      return (survey, isIdle, !writer.evicts && writer.vainUpkeep?.isStill(writer) ?? false)
    }
    let isShort = survey.isFull && survey.lacksRoom
    let before = survey
    if isShort, !isVain {
      if try log.syncAndReclaim() { return .again(after: 0) }
      if log.areFreedSlotsInScopes() { return .look(after: Self.scopesPauseNanoseconds) }
    }
    if survey.isDue,
      survey.isWorthCheckpoint(winning: Int(SlotSpace.byteCount(of: emptying.neededSlotCount)))
    {
      try log.checkpoint(both: true)
      emptying.freedSlotCount += try freeDead().freedSlotCount
      survey = try surveySpace()
    }
    var hasWon = emptying.freedSlotCount > 0
    if isShort {
      var gain = isVain ? .nothing : try makeRoom(in: survey, isBehindVain: false)
      if gain == .freed, !evicts || survey.isOverlong, !hasMoreAvailable(than: before) {
        gain = try makeRoom(in: try surveySpace(), isBehindVain: true)
      }
      // A checkpoint frees what the one before it took, each time anew.
      hasWon = gain == .emptied || hasMoreAvailable(than: before)
    } else if survey.hasExpired || survey.isDue {
      hasWon = try balance(survey) > 0 || hasWon
    }
    guard hasWon else {
      let (step, held) = try settle(isIdle)
      writer.withLock { writer in
        // Only what is still there once everything has come back cannot be won.
        writer.noteVain()
        // What the search itself has written would wake the next one, and so on for ever.
        if isShort, !isVain { writer.vainUpkeep = VainSearch(writer, held: held) }
      }
      return step
    }
    // What was freed comes back with the next sync, which others do meanwhile, unless it is needed at once.
    let (freed, free) = writer.withLock { writer in
      writer.noteWon()
      let freeCount = writer.space.freeCount
      return (writer.space.freedSlotCount, freeCount - min(freeCount, writer.keptSlotCount))
    }
    if freed > 0, free < 2 * survey.segmentSlotCount {
      try log.syncAndReclaim()
    } else if freed >= 2 * survey.segmentSlotCount {
      background.syncSoon()
    }
    // As long a rest as the work took, unless there is nobody to disturb or space runs short.
    let isBehind = survey.recordSlotCount >= survey.budget.dueSlotCount + survey.budget.leastGainSlotCount
    let isUrgent = isShort || isIdle || isBehind
    return .again(after: isUrgent ? 0 : disk.monotonicClock() &- began)
  }

  /// Wins space at the least cost in the long run.
  private func balance(_ survey: SpaceSurvey) throws(SedimentError) -> Int {
    let choice = choose(.balance, survey)
    let mayCheckpoint = choice.hasBlocked && survey.isWorthCheckpoint(winning: survey.heldByteCount)
    if !mayCheckpoint || !choice.wantsCheckpoint {
      let won = try exchange(choice, in: survey)
      // What may be emptied may win nothing, however much it seemed to be worth: part of a slot is none.
      if won > 0 || !mayCheckpoint { return won }
    }
    try log.checkpoint(both: true)
    let survey = try surveySpace()
    return try exchange(choose(.balance, survey), in: survey)
  }

  private func exchange(
    _ choice: CompactionPolicy.Choice, in survey: SpaceSurvey
  ) throws(SedimentError) -> Int {
    try exchange(
      choice.victims, in: survey, winning: Int(survey.gainSlotCount), evenForNothing: choice.isForTombstones
    ).won
  }

  /// Ends what was begun: lets freed slots come back, and gives to the file system what is not needed.
  ///
  /// Returns the freed slots that holds keep, too: the end of one schedules the next step (`HoldEnds`).
  private func settle(_ isIdle: Bool) throws(SedimentError) -> (Step, HeldSlots?) {
    try endDictionaries()
    try log.syncAndReclaim()
    // While somebody writes, what is free now will soon be needed.
    if isIdle {
      if try comeDown() { return (.again(after: 0), nil) }
      try trim(to: nil)
    }
    let freed = log.watchFreedSlots()
    if freed.canComeBack { return (.again(after: 0), nil) }
    if freed.areInScopes { return (.look(after: Self.scopesPauseNanoseconds), nil) }
    let hasExcess = writer.withLock { writer in
      excess(writer, nil) != nil || hasIdleBlocks(writer, nil) || mayComeDown(writer)
    }
    return (hasExcess && !isIdle ? .look(after: Self.idleNanoseconds) : .done, freed.held)
  }

  /// So long a step waits for scopes of readers, in which no code of a user runs.
  private static var scopesPauseNanoseconds: UInt64 { 20_000_000 }

  /// So long nothing must have been written for the file to shrink.
  private static var idleNanoseconds: UInt64 { 100_000_000 }
}
