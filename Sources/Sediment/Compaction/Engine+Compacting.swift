internal import CSediment
internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Engine {
  /// Wins back all space that is dead, and gives it to the file system.
  ///
  /// `progress` is called between the steps, with no lock held.
  @usableFromInline
  func compact(_ progress: (SedimentProgress) throws -> SedimentIteration) throws {
    try checkReadable()
    guard let writer else { throw SedimentError.readOnly(path) }
    guard options.compaction != .off else {
      throw SedimentError(
        .invalidArgument, path: path,
        message: "The store was opened with compaction off. Open it with manual or automatic to compact it.")
    }
    sweepAtOnce()
    try prepareCompacting(writer)
    // What others write meanwhile is left to the next time, so that there is an end.
    let next = writer.withLock { writer in writer.catalogue.numbers.nextGeneration }
    let total = deadByteCount(writer)
    var left = total
    while true {
      let won = try maintenanceLock.withLock { () throws(SedimentError) in
        try compactSome(writer, before: next)
      }
      if won <= 0 { break }
      left = min(left, deadByteCount(writer))
      let step = SedimentProgress(completedByteCount: total - left, totalByteCount: total)
      if left > 0, try progress(step) == .stop { throw SedimentError.cancelled(path) }
    }
    // An index that is stored meanwhile would lie where the file is to end.
    try storingLock.withLock { () throws(SedimentError) in
      try maintenanceLock.withLock { () throws(SedimentError) in
        try endDictionaries(writer, always: true)
        try shortenToCap(writer)
      }
    }
    _ = try progress(SedimentProgress(completedByteCount: total, totalByteCount: total))
  }

  /// Lets the log go on in another segment, if the present one holds much that is dead, and makes a checkpoint, so
  /// that no superblock needs what is before; as far as there is room for it.
  private func prepareCompacting(_ writer: Locked<LogWriter>) throws(SedimentError) {
    do throws(SedimentError) {
      try makingSpace(forStoring: 0) { () throws(SedimentError) in try prepareCompactingOnce(writer) }
    } catch  where error.code == .outOfSpace {
      // What is still needed of the log's end stays; there may be other things to win.
    }
  }

  private func prepareCompactingOnce(_ writer: Locked<LogWriter>) throws(SedimentError) {
    maintenanceLock.take()
    defer { maintenanceLock.giveBack() }
    try findLostExtents(writer)
    let isWorthIt = try withWriter { (writer) throws(SedimentError) in
      _ = try freeDeadExtents(&writer)
      writer.noteClocks()
      let survey = surveySpace(&writer)
      let used = Int(writer.tail.offset) - Int(writer.tail.segment.start)
      let isTailWorthIt = used - survey.tail.liveByteCount > survey.tail.byteCount / 4
      if isTailWorthIt { try writer.goOnInAnotherSegment() }
      let expired = writer.ledger.expired(upTo: writer.expiredUpTo(evicting: false))
      return isTailWorthIt || writer.ledger.hasDead || expired.contains { _ in true }
        || writer.ledger.hiddenByteCount > 0
    }
    if isWorthIt { try checkpoint(both: true) }
  }

  /// Wins some space of segments of earlier generations; how many slots.
  private func compactSome(_ writer: Locked<LogWriter>, before next: Generation) throws(SedimentError) -> Int
  {
    try reclaim()
    let emptying = try freeDead(writer)
    let survey = try surveySpace()
    // What was freed takes what is moved next, before the file grows for that.
    let (freed, free) = writer.withLock { writer in (writer.freedSlotCount, writer.space.freeCount) }
    if freed > 0, free < 2 * survey.segmentSlotCount { try bringBack(writer) }
    let choice = choose(.everything, survey, before: next)
    if choice.victims.isEmpty { return Int(emptying.freedSlotCount) }
    let gain = Int(max(survey.segmentSlotCount, survey.budget.leastGainSlotCount))
    do throws(SedimentError) {
      return try exchange(
        choice.victims, in: survey, evicting: false, winning: gain,
        keepingAtMost: .max, evenForNothing: choice.isForTombstones)
    } catch  where error.code == .outOfSpace {
      // Where there is no room to move anything, nothing more can be won.
      return 0
    }
  }

  /// Makes what was freed durable, so that it comes back unless somebody reads there; whether anything did.
  @discardableResult
  func bringBack(_ writer: Locked<LogWriter>) throws(SedimentError) -> Bool {
    let last = writer.withLock { writer in writer.freedRuns.map(\.sequence).max() ?? 0 }
    if last > gate.syncedSequence { try waitForSync(last) }
    return try reclaim()
  }

  /// The bytes of records that nothing leads to, and of segments that wait to come back.
  private func deadByteCount(_ writer: Locked<LogWriter>) -> UInt64 {
    writer.withLock { writer in
      let used = SlotSpace.byteCount(of: writer.recordSlotCount)
      return used - min(used, UInt64(max(writer.liveByteCount, 0)))
    }
  }

  // MARK: When there is no room

  /// Makes a change that stores so many bytes, again and again as long as room can be made for it.
  ///
  /// The longest key that it is about is so long.
  @inline(__always)
  func makingSpace<Result>(
    forStoring byteCount: Int, recordOf keyByteCount: Int = 0, _ change: () throws(SedimentError) -> Result
  ) throws(SedimentError) -> Result {
    if !pace.isFree { keepPace() }
    var search: RoomSearch?
    while true {
      do throws(SedimentError) {
        let result = try change()
        if let search { end(search) }
        return result
      } catch {
        try makeSpace(forStoring: byteCount, recordOf: keyByteCount, after: error, &search)
      }
    }
  }

  @inline(never)
  private func makeSpace(
    forStoring byteCount: Int, recordOf keyByteCount: Int, after error: SedimentError,
    _ search: inout RoomSearch?
  ) throws(SedimentError) {
    var going = search ?? RoomSearch(forStoring: byteCount, recordOf: keyByteCount)
    do throws(SedimentError) {
      guard error.code == .outOfSpace, options.compaction != .off, let writer else { throw error }
      if search != nil, !going.hasTurn, Readers.depth == 0 {
        // What it has won others may have taken: from now on nobody else begins a change until this one has ended.
        takeTurn()
        going.hasTurn = true
      } else {
        try makeSpace(after: error, &going, writer)
      }
    } catch {
      end(going)
      throw error
    }
    search = going
  }

  /// Makes room, at last by clearing the file's end for a row of slots.
  private func makeSpace(
    after error: SedimentError, _ search: inout RoomSearch, _ writer: Locked<LogWriter>
  ) throws(SedimentError) {
    do throws(SedimentError) {
      try win(after: error, &search, writer)
    } catch {
      guard error.code == .outOfSpace, Readers.depth == 0, search.takesRow() else { throw error }
      try maintenanceLock.withLock { () throws(SedimentError) in try shorten(writer) }
    }
  }

  private func end(_ search: RoomSearch) {
    if search.hasTurn { giveBackTurn() }
  }

  /// Makes room for a change that found none, if any can be made; else throws the error again.
  ///
  /// Only for a full disk or cap does a writer come here, and waits.
  private func win(
    after error: SedimentError, _ search: inout RoomSearch, _ writer: Locked<LogWriter>
  ) throws(SedimentError) {
    try checkReadable()
    let (before, isHopeful) = writer.withLock { writer -> (UInt64, Bool) in
      writer.takeBackReserved()
      // What has expired may be all that can go, and nothing is synced where nothing is stored.
      writer.noteClocks()
      if writer.isInVain, !writer.plans.isToBeSwept { return (0, false) }
      let isHopeful = search.isHopeful(writer, isDiskFull: error.systemError != nil)
      if !isHopeful, search.isSpent { writer.vainSearch = VainSearch(writer) }
      return (writer.reclaimedSlotCount, isHopeful)
    }
    guard isHopeful else { throw error }
    // Inside a reader's scope of its own a thread would wait for itself.
    guard Readers.depth == 0 else {
      let hasReclaimed = try reclaim()
      // Others may have given back meanwhile.
      guard hasReclaimed || writer.withLock({ writer in writer.reclaimedSlotCount != before }) else {
        throw error
      }
      return
    }
    let deadline = disk.monotonicClock() &+ Self.readersWaitNanoseconds
    while true {
      let hasWon = try maintenanceLock.withLock { () throws(SedimentError) in
        try makeSpaceOnce(writer, since: before, isBehindVain: search.isSpent)
      }
      // Both at once: what is held no more came back.
      let (isBack, isHeld) = reclaimLock.withLock {
        writer.withLock { writer in (writer.reclaimedSlotCount != before, !writer.freedRuns.isEmpty) }
      }
      if isBack { return }
      try checkReadable()
      guard hasWon || isHeld, disk.monotonicClock() < deadline else {
        if !isHeld { writer.withLock { writer in writer.vainSearch = VainSearch(writer) } }
        throw error
      }
      // Readers are about to leave.
      SchedulePoint.yield()
    }
  }

  /// How long a writer waits for readers to leave what was freed.
  private static var readersWaitNanoseconds: UInt64 { 1_000_000_000 }

  private func makeSpaceOnce(
    _ writer: Locked<LogWriter>, since before: UInt64, isBehindVain: Bool
  ) throws(SedimentError) -> Bool {
    // Behind attempts that won no more than they took, what came back by itself is not enough either.
    let isBack = { writer.withLock { writer in writer.reclaimedSlotCount != before } }
    if isBack(), !isBehindVain { return true }
    try reclaim()
    if isBack(), !isBehindVain { return true }
    try bringBack(writer)
    if isBack(), !isBehindVain { return true }
    if isHeldByReaders(writer) { return false }
    sweepAtOnce()
    do throws(SedimentError) {
      try findLostExtents(writer)
      let (survey, hasFreed) = try withWriter { (writer) throws(SedimentError) in
        let hasFreedExtents = try freeDeadExtents(&writer)
        let hasFreed = try freeEmptied(&writer).freedSlotCount > 0 || hasFreedExtents
        var survey = surveySpace(&writer)
        // Whatever the file could grow by, the disk has not.
        survey.isFull = true
        return (survey, hasFreed)
      }
      if !hasFreed || isBehindVain {
        let gain = try makeRoom(in: survey, isBehindVain: isBehindVain)
        if gain == .nothing, !hasFreed { return false }
      }
    } catch  where error.code == .outOfSpace {
      // There is no room even for what would make some, unless something comes back.
    }
    return try bringBack(writer)
  }
}
