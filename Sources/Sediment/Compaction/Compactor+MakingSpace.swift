internal import SedimentDisk
internal import SedimentFormat

// What a change waits for: compaction that it is ahead of, and room that it has not found.

extension Compactor {
  /// Makes a change that stores so many bytes, again and again as long as room can be made for it.
  ///
  /// The longest key that it is about is so long.
  @inline(__always)
  func makingSpace<Result>(
    forStoring byteCount: Int, recordOf keyByteCount: Int = 0, _ change: () throws(SedimentError) -> Result
  ) throws(SedimentError) -> Result {
    if !pace.isFree { keepPace() }
    do throws(SedimentError) {
      return try change()
    } catch {
      return try makingSpace(forStoring: byteCount, recordOf: keyByteCount, after: error, change)
    }
  }

  /// Makes a change that has failed, again and again as long as room can be made for it.
  @inline(never)
  func makingSpace<Result>(
    forStoring byteCount: Int, recordOf keyByteCount: Int = 0, after error: SedimentError,
    _ change: () throws(SedimentError) -> Result
  ) throws(SedimentError) -> Result {
    var search = RoomSearch(forStoring: byteCount, recordOf: keyByteCount)
    defer { if search.hasTurn { giveBackTurn() } }
    var error = error
    try makeSpace(after: error, &search)
    while true {
      do throws(SedimentError) {
        return try change()
      } catch let next {
        error = next
      }
      if error.code == .outOfSpace, !search.hasTurn, !isRead {
        // What it has won others may have taken: from now on nobody else begins a change until this one has ended.
        takeTurn()
        search.hasTurn = true
      } else {
        try makeSpace(after: error, &search)
      }
    }
  }

  /// Whether this thread reads the store, in a scope or in a closure: it waits for no other thread that waits for readers.
  var isRead: Bool { isInScope || Readers.isHolding(domain) }

  /// Whether this thread is in a reader's scope of this store, which keeps all slots that are freed from coming back.
  var isInScope: Bool { Readers.isInside(domain) }

  private func makeSpace(after error: SedimentError, _ search: inout RoomSearch) throws(SedimentError) {
    guard error.code == .outOfSpace, options.compaction != .off, let writer, let compaction else {
      throw error
    }
    do throws(SedimentError) {
      try win(after: error, &search, writer, compaction)
    } catch  where error.code == .outOfSpace && !isRead && search.takesRow() {
      // At last the file's end is cleared for a row of slots.
      try compaction.withLock { (compaction) throws(SedimentError) in try compaction.shorten() }
    }
  }

  /// Makes room for a change that found none, if any can be made; else throws the error again.
  ///
  /// Only for a full disk or cap does a writer come here, and waits.
  private func win(
    after error: SedimentError, _ search: inout RoomSearch, _ writer: Locked<LogWriter>,
    _ compaction: LockedInTurn<Compaction>
  ) throws(SedimentError) {
    try lifetime.check()
    let before = writer.withLock { writer -> UInt64? in
      writer.space.reclaimReturned()
      // What has expired may be all that can go, and nothing is synced where nothing is stored.
      writer.noteClocks()
      if writer.isInVain, !writer.plans.isToBeSwept { return nil }
      let isHopeful = search.isHopeful(writer, isDiskFull: error.systemError != nil)
      return isHopeful ? writer.space.reclaimedSlotCount : nil
    }
    guard let before else {
      guard search.isSpent else { throw refusal(error, nil, writer) }
      let freed = log.watchFreedSlots()
      // The change itself may find room in what comes back now.
      if awaitHolders(of: freed, &search), try log.reclaim() { return }
      throw refusal(error, freed, writer)
    }
    guard !isInScope else {
      let hasReclaimed = try log.reclaim()
      // Others may have given back meanwhile.
      guard hasReclaimed || writer.withLock({ writer in writer.space.reclaimedSlotCount != before }) else {
        throw error
      }
      return
    }
    let deadline = disk.monotonicClock() &+ Self.readersWaitNanoseconds
    var pause = Self.scopesPauseNanosecondsMin
    var refused = refusedCount(writer)
    while true {
      let hasWon: Bool
      do throws(SedimentError) {
        hasWon = try compaction.withLock { (compaction) throws(SedimentError) in
          try compaction.makeSpaceOnce(since: before, isBehindVain: search.isSpent)
        }
      } catch {
        // A segment that cannot be read stays as it is from now on, and others may make room.
        let count = refusedCount(writer)
        guard error.isOfReading, count > refused else { throw error }
        refused = count
        hasWon = true
      }
      // Slots that another thread has taken out of the list to give them back are back after this.
      let isBack = log.reclaimLock.withLock {
        writer.withLock { writer in writer.space.reclaimedSlotCount != before }
      }
      if isBack { return }
      try lifetime.check()
      let isTimeLeft = disk.monotonicClock() < deadline
      if hasWon, isTimeLeft { continue }
      let freed = log.watchFreedSlots()
      if freed.canComeBack, isTimeLeft { continue }
      if freed.areInScopes, isTimeLeft {
        SchedulePoint.pause(pause)
        pause = min(2 * pause, Self.scopesPauseNanosecondsMax)
        continue
      }
      if awaitHolders(of: freed, &search) { continue }
      try lifetime.check()
      throw refusal(error, hasWon || freed.areInScopes ? nil : freed, writer)
    }
  }

  /// Waits until a reader or a backup lets go of freed slots, a second at most in one search; whether one did.
  ///
  /// A thread that reads the store itself does not wait.
  private func awaitHolders(of freed: FreedSlots, _ search: inout RoomSearch) -> Bool {
    guard let held = freed.held, freed.areHeldByOthers, !isRead else { return false }
    let time = search.wakingTime ?? MonotonicClock.now(plus: Self.readersWaitNanoseconds)
    search.wakingTime = time
    return reader.holdEnds.wait(beyond: held.endCount, until: time)
  }

  /// The error of a change for which no room could be made, with who keeps slots that were freed.
  ///
  /// With what a search that came to nothing has found of freed slots, it spares others the same search.
  private func refusal(
    _ error: SedimentError, _ vain: FreedSlots?, _ writer: Locked<LogWriter>
  ) -> SedimentError {
    let (held, inBackups) = writer.withLock { writer -> (UInt32, UInt32) in
      if let vain { writer.vainSearch = VainSearch(writer, held: vain.held) }
      let held = writer.vainSearch.map { $0.isStill(writer) ? $0.heldSlotCount : 0 } ?? 0
      return (held, writer.space.freedSlotCountInBackups)
    }
    return error.naming(
      byteCountOfReaders: SlotSpace.byteCount(of: held - min(held, inBackups)),
      ofBackups: SlotSpace.byteCount(of: inBackups))
  }

  /// How long a writer pauses until scopes of readers have ended, in which no code of a user runs.
  private static var scopesPauseNanosecondsMin: UInt64 { 1_000 }
  private static var scopesPauseNanosecondsMax: UInt64 { 1_000_000 }

  /// How many segments stay as they are because they cannot be read.
  func refusedCount(_ writer: Locked<LogWriter>) -> Int {
    writer.withLock { writer in writer.ledger.refused.count }
  }

  /// How long a writer waits for readers to leave what was freed.
  private static var readersWaitNanoseconds: UInt64 { 1_000_000_000 }

  // MARK: Pace

  /// Waits as long as the accounts say, before a change; or does a part of compaction, so that the file keeps its bound
  /// (invariant 23).
  ///
  /// Never longer than some milliseconds as long as compaction comes on, and a second where it does not. A removal adds
  /// a record alone, so it does not wait for the slots of large values.
  @inline(never)
  func keepPace(isRemoval: Bool = false) {
    guard lifetime.isUsable, let writer, !isRead else { return }
    if pace.isTurnTaken { roomTurn.withLock {} }
    guard pace.pace != .free else { return }
    let mayGoOn = writer.withLock { writer in
      background.planMaintenance(&writer)
      return isRemoval && writer.pace(withSlotsToWin: writer.recordSlotCount) == .free
    }
    if mayGoOn { return }
    let deadline = disk.monotonicClock() &+ Self.paceNanosecondsMax
    while case let pace = pace.pace, pace != .free {
      if !help() { SchedulePoint.pause(pace.nanoseconds) }
      guard pace == .helping, disk.monotonicClock() < deadline, !lifetime.isClosed else { return }
    }
  }

  /// Does one step of compaction if nobody else is at it; whether this thread did.
  private func help() -> Bool {
    // What fails is told by the background, or by the change that follows.
    compaction?.tryLock { compaction in _ = try? compaction.maintain() } != nil
  }

  /// Lets nobody else begin a change until `giveBackTurn`, but for those in closures that read in place.
  func takeTurn() {
    roomTurn.take()
    writer?.withLock { writer in writer.pace.isTurnTaken = true }
  }

  func giveBackTurn() {
    writer?.withLock { writer in writer.pace.isTurnTaken = false }
    roomTurn.giveBack()
  }

  private static var paceNanosecondsMax: UInt64 { 1_000_000_000 }
}
