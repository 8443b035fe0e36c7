internal import SedimentDisk
internal import SedimentFormat

// How a change that found no room gets some.

extension Compactor {
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
      guard error.code == .outOfSpace, options.compaction != .off, let writer, let compaction else {
        throw error
      }
      if search != nil, !going.hasTurn, Readers.depth == 0 {
        // What it has won others may have taken: from now on nobody else begins a change until this one has ended.
        takeTurn()
        going.hasTurn = true
      } else {
        try makeSpace(after: error, &going, writer, compaction)
      }
    } catch {
      end(going)
      throw error
    }
    search = going
  }

  /// Makes room, at last by clearing the file's end for a row of slots.
  private func makeSpace(
    after error: SedimentError, _ search: inout RoomSearch, _ writer: Locked<LogWriter>,
    _ compaction: LockedInTurn<Compaction>
  ) throws(SedimentError) {
    do throws(SedimentError) {
      try win(after: error, &search, writer, compaction)
    } catch {
      guard error.code == .outOfSpace, Readers.depth == 0, search.takesRow() else { throw error }
      try compaction.withLock { (compaction) throws(SedimentError) in try compaction.shorten() }
    }
  }

  private func end(_ search: RoomSearch) {
    if search.hasTurn { giveBackTurn() }
  }

  /// Makes room for a change that found none, if any can be made; else throws the error again.
  ///
  /// Only for a full disk or cap does a writer come here, and waits.
  private func win(
    after error: SedimentError, _ search: inout RoomSearch, _ writer: Locked<LogWriter>,
    _ compaction: LockedInTurn<Compaction>
  ) throws(SedimentError) {
    try lifetime.check()
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
      let hasReclaimed = try log.reclaim()
      // Others may have given back meanwhile.
      guard hasReclaimed || writer.withLock({ writer in writer.reclaimedSlotCount != before }) else {
        throw error
      }
      return
    }
    let deadline = disk.monotonicClock() &+ Self.readersWaitNanoseconds
    while true {
      let hasWon = try compaction.withLock { (compaction) throws(SedimentError) in
        try compaction.makeSpaceOnce(since: before, isBehindVain: search.isSpent)
      }
      // Both at once: what is held no more came back.
      let (isBack, isHeld) = log.reclaimLock.withLock {
        writer.withLock { writer in (writer.reclaimedSlotCount != before, !writer.freedRuns.isEmpty) }
      }
      if isBack { return }
      try lifetime.check()
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
}
