internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// What the background does for space, a step at a time: give back, move, leave out, and let the file shrink.

extension Engine {
  /// What follows a step.
  enum MaintenanceStep {
    /// There is nothing to do until something changes.
    case done
    /// Another step, after a pause in nanoseconds.
    case again(after: UInt64)
  }

  /// Sees to space once, if there is something to see to.
  ///
  /// With the lock of maintenance.
  func maintain() throws(SedimentError) -> MaintenanceStep {
    guard let writer else { return .done }
    let began = disk.monotonicClock()
    try reclaim()
    if !report.wasClosed { try findLostExtents(writer) }
    let (survey, isIdle) = try lock.withLock { () throws(SedimentError) in
      let writer = try checkWritable()
      _ = try freeDeadExtents(writer)
      let survey = surveySegments(writer)
      let isIdle = survey.sequence.rawValue == maintainedSequence
      maintainedSequence = survey.sequence.rawValue
      return (survey, isIdle)
    }
    let isShort = survey.isFull && survey.room.present < survey.room.wanted
    if isShort {
      if try bringBack(writer) { return .again(after: 0) }
      if isHeldByReaders(writer) { return .again(after: Self.readersPauseNanoseconds) }
    }
    guard isShort || survey.recordSlotCount >= survey.budget.dueSlotCount else { return try settle(writer) }
    let won = isShort ? try makeRoom(in: survey) : try balance(survey)
    guard won > 0 else { return try settle(writer) }
    // As long a rest as the work took, unless there is nobody to disturb or space runs short.
    let isUrgent =
      isShort || isIdle || survey.recordSlotCount >= survey.budget.dueSlotCount + survey.budget.gainSlotCount
    return .again(after: isUrgent ? 0 : disk.monotonicClock() &- began)
  }

  /// Wins space at the least cost in the long run.
  private func balance(_ survey: SegmentSurvey) throws(SedimentError) -> Int {
    var survey = survey
    var choice = choose(.balance, survey)
    if choice.wantsCheckpoint, isCheckpointWorthIt(survey) {
      try checkpoint(both: true)
      survey = lock.withLock { surveySegments(writer!) }
      choice = choose(.balance, survey)
    }
    return try exchange(
      choice.victims, in: survey, evicting: false, winning: Int(survey.budget.gainSlotCount),
      keepingAtMost: .max, forTombstones: choice.isForTombstones)
  }

  func choose(_ goal: CompactionPolicy.Goal, _ survey: SegmentSurvey) -> CompactionPolicy.Choice {
    CompactionPolicy(survey.candidates, at: survey.sequence, GuardFloor(survey.all))
      .choose(goal)
  }

  /// A checkpoint lets segments be emptied that the last ones still need; its syncs cost something, too.
  private func isCheckpointWorthIt(_ survey: SegmentSurvey) -> Bool {
    let byteCount = lock.withLock { writer?.replayByteCount ?? 0 }
    return byteCount >= UInt64(max(survey.liveByteCount / 8, 1 << 20))
  }

  /// Wins some space at once: by leaving out what was not read lately, where that is allowed, or by moving.
  ///
  /// With the lock of maintenance.
  func makeRoom(in survey: SegmentSurvey) throws(SedimentError) -> Int {
    var survey = survey
    let (goal, choice) = chooseForRoom(survey)
    if !choice.wantsCheckpoint {
      let won = try tryMakingRoom(survey, keepsWhatWasRead: true)
      if won > 0 { return won }
    }
    if !choice.hasBlocked {
      guard goal == .eviction else { return 0 }
      // Large values may be all there is, and the last segment alone lead to them.
      if choice.victims.isEmpty {
        try lock.withLock { () throws(SedimentError) in try checkWritable().goOnInAnotherSegment() }
      }
    }
    // Either the last checkpoints still need what would be worth most, or all that they do not need was read lately.
    try checkpoint(both: true)
    let isFull = survey.isFull
    survey = lock.withLock { surveySegments(writer!) }
    survey.isFull = isFull
    let won = try tryMakingRoom(survey, keepsWhatWasRead: true)
    return won > 0 ? won : try makeRoomOnce(survey, keepsWhatWasRead: false)
  }

  /// The same, where that there is no room for what is kept means that less has to be kept.
  private func tryMakingRoom(_ survey: SegmentSurvey, keepsWhatWasRead: Bool) throws(SedimentError) -> Int {
    do throws(SedimentError) {
      return try makeRoomOnce(survey, keepsWhatWasRead: keepsWhatWasRead)
    } catch  where error.code == .outOfSpace {
      return 0
    }
  }

  private func makeRoomOnce(_ survey: SegmentSurvey, keepsWhatWasRead: Bool) throws(SedimentError) -> Int {
    let (goal, choice) = chooseForRoom(survey)
    if choice.victims.isEmpty || !keepsWhatWasRead && goal != .eviction { return 0 }
    // Survivors are written before anything is freed, and the change that frees it needs room, too.
    let spare = 2 + 2 * survey.checkpointSlotCount
    if !keepsWhatWasRead {
      return try exchange(
        choice.victims, in: survey, evicting: true, winning: Int(survey.segmentSlotCount), keepingAtMost: 0)
    }
    let keep = survey.isFull ? max(Int(survey.freeSlotCount) - spare, 1) * Limits.slotByteCount : .max
    return try exchange(
      choice.victims, in: survey, evicting: goal == .eviction, winning: Int(survey.segmentSlotCount),
      keepingAtMost: keep)
  }

  /// In an evicting store, segments that are dead for the most part are moved all the same: that costs no value.
  private func chooseForRoom(
    _ survey: SegmentSurvey
  ) -> (CompactionPolicy.Goal, CompactionPolicy.Choice) {
    guard options.capacity.evicts else { return (.room, choose(.room, survey)) }
    let mostlyDead = survey.candidates.filter {
      $0.liveByteCount * 3 < $0.byteCount && $0.supersededCount > 0
    }
    if !mostlyDead.isEmpty {
      var moving = survey
      moving.candidates = mostlyDead
      let choice = choose(.room, moving)
      if !choice.victims.isEmpty { return (.room, choice) }
    }
    return (.eviction, choose(.eviction, survey))
  }

  /// Ends what was begun: lets freed slots come back, and gives to the file system what is not needed.
  private func settle(_ writer: LogWriter) throws(SedimentError) -> MaintenanceStep {
    let (last, synced) = lock.withLock {
      (writer.freedRuns.map(\.sequence).max() ?? 0, gate.syncedSequence)
    }
    if last > synced { try waitForSync(last) }
    try reclaim()
    try trim(to: nil)
    // Readers or a backup hold the rest; a look now and then is enough.
    let isHeld = lock.withLock { writer.freedRuns.contains { writer.pinned[$0.generation] == nil } }
    return isHeld ? .again(after: Self.readersPauseNanoseconds) : .done
  }

  private static var readersPauseNanoseconds: UInt64 { 20_000_000 }

  /// Whether freed slots wait for nothing but readers; whatever else were freed now, these would hold as well.
  func isHeldByReaders(_ writer: LogWriter) -> Bool {
    lock.withLock {
      writer.freedRuns.contains {
        $0.sequence <= gate.syncedSequence && writer.pinned[$0.generation] == nil
      }
    }
  }

  // MARK: The background

  /// Begins to see to space.
  ///
  /// Under the lock.
  func planMaintenance() {
    guard options.compaction == .automatic, !work.isMaintenancePlanned, let job = work.maintain else {
      return
    }
    work.isMaintenancePlanned = true
    scheduler.schedule(job, after: 0)
  }

  func maintainInBackground() {
    guard !isForked, !conditions.isClosed else { return }
    var next = MaintenanceStep.done
    do throws(SedimentError) {
      next = try maintenanceLock.withLock { () throws(SedimentError) in try maintain() }
    } catch  where [.closed, .outcomeUnknown].contains(error.code) {
      // The one is no failure, and the other was told with what poisoned.
    } catch {
      tell(.failed(error))
    }
    lock.withLock {
      switch next {
      case .done: work.isMaintenancePlanned = false
      case .again(let pause):
        if let job = work.maintain { scheduler.schedule(job, after: pause) }
      }
    }
  }
}
