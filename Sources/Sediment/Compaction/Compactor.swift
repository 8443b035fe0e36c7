internal import SedimentDisk
internal import SedimentFormat

/// When compaction is done: in the background, by a call, and by changes that find no room.
@safe
final class Compactor: AboveReader, Sendable {
  let reader: Reader
  let log: Log
  let contents: Contents
  let compressor: Compressor
  let writer: Locked<LogWriter>?
  /// Nil in a store that is only read.
  let compaction: LockedInTurn<Compaction>?
  /// Held while a dictionary is trained.
  let trainingLock = Lock(.training)
  /// Held while the index is stored.
  let storingLock = Lock(.storing)
  /// Held by a change that found no room a second time, until it has ended: others begin no change meanwhile.
  let roomTurn = TurnLock(.room)
  /// How long a change waits for compaction; the writer's.
  let pace: PaceCell

  init(_ opened: OpenedStore, _ contents: Contents, _ compressor: Compressor) {
    reader = contents.reader
    log = contents.log
    self.contents = contents
    self.compressor = compressor
    writer = contents.writer
    pace = opened.pace
    compaction = opened.writer.map { [storingLock] writer in
      LockedInTurn(.maintenance, Compaction(contents, compressor, writer, storingLock))
    }
  }

  /// Begins to see to what an earlier opening left.
  func noteOpened(cleared: CollectionTags) {
    guard let writer, let compaction else { return }
    compaction.withLock { compaction in
      compaction.noteOpenedAccounts()
      writer.withLock { writer in
        if !cleared.isEmpty { background.planSweep(of: cleared, &writer) }
        if writer.wantsMaintenance || !compaction.hasSoughtExtents || compaction.hasIdleBlocks(writer, nil) {
          background.planMaintenance(&writer)
        }
      }
    }
  }
}

extension Compactor {
  /// Wins back all space that is dead, and gives it to the file system.
  ///
  /// `progress` is called between the steps, with no lock held.
  func compact(_ progress: (SedimentProgress) throws -> SedimentIteration) throws {
    try lifetime.check()
    guard let writer, let compaction else { throw SedimentError.readOnly(path) }
    guard options.compaction != .off else {
      throw SedimentError(
        .invalidArgument, path: path,
        message: "The store was opened with compaction off. Open it with manual or automatic to compact it.")
    }
    try reader.completeIndex()
    contents.sweepAtOnce()
    try prepare(compaction)
    // What others write meanwhile is left to the next time, so that there is an end.
    let next = writer.withLock { writer in writer.catalogue.numbers.nextGeneration }
    let total = deadByteCount(writer)
    var left = total
    while true {
      let won = try compaction.withLock { (compaction) throws(SedimentError) in
        try compaction.compactSome(before: next)
      }
      if won <= 0 { break }
      left = min(left, deadByteCount(writer))
      let step = SedimentProgress(completedByteCount: total - left, totalByteCount: total)
      if left > 0, try progress(step) == .stop { throw SedimentError.cancelled(path) }
    }
    // An index that is stored meanwhile would lie where the file is to end.
    try storingLock.withLock { () throws(SedimentError) in
      try compaction.withLock { (compaction) throws(SedimentError) in
        try compaction.endDictionaries(always: true)
        try compaction.shortenToCap()
      }
    }
    _ = try progress(SedimentProgress(completedByteCount: total, totalByteCount: total))
  }

  /// Lets the log go on in another segment, if the present one holds much that is dead, and makes a checkpoint, so
  /// that no superblock needs what is before; as far as there is room for it.
  private func prepare(_ compaction: LockedInTurn<Compaction>) throws(SedimentError) {
    do throws(SedimentError) {
      try makingSpace(forStoring: 0) { () throws(SedimentError) in
        try compaction.withLock { (compaction) throws(SedimentError) in try compaction.prepareCompacting() }
      }
    } catch  where error.code == .outOfSpace {
      // What is still needed of the log's end stays; there may be other things to win.
    }
  }

  /// The bytes of records that nothing leads to, and of segments that wait to come back.
  private func deadByteCount(_ writer: Locked<LogWriter>) -> UInt64 {
    writer.withLock { writer in
      let used = SlotSpace.byteCount(of: writer.recordSlotCount)
      return used - min(used, UInt64(max(writer.liveByteCount, 0)))
    }
  }

  /// Fills the index with what nobody has asked for yet; then what has waited for that may begin.
  func completeIndexInBackground() {
    guard lifetime.isUsable else { return }
    do throws(SedimentError) {
      try reader.completeIndex()
    } catch  where error.code == .closed {
      return
    } catch {
      background.tell(.failed(error))
      // A call that failed once may not fail again.
      if error.systemError != nil {
        background.schedule(.fillIndex, after: Background.fillingRetryNanoseconds)
      }
      return
    }
    writer?.withLock { writer in
      if writer.plans.isToBeSwept { background.schedule(.sweep) }
      if writer.plans.isMaintenancePlanned { background.schedule(.maintain) }
    }
  }

  /// Does one step of what compaction does by itself, and plans the next.
  func maintainInBackground() {
    // It stays planned until the index has all.
    guard lifetime.isUsable, reader.isIndexComplete, let writer, let compaction else { return }
    writer.withLock { writer in
      writer.plans.isMaintenanceResting = false
      writer.plans.isMaintenanceWanted = false
    }
    var next = Compaction.Step.done
    let refused = refusedCount(writer)
    do throws(SedimentError) {
      next = try compaction.withLock { (compaction) throws(SedimentError) in
        defer { compaction.assertAccountsAfterStep() }
        return try compaction.maintain()
      }
    } catch  where [.closed, .outcomeUnknown].contains(error.code) {
      // The one is no failure, and the other was told with what poisoned.
    } catch {
      background.tell(.failed(error))
      // A segment that cannot be read stays as it is from now on, and the rest is seen to.
      if error.isOfReading, refusedCount(writer) > refused { next = .again(after: 0) }
    }
    writer.withLock { writer in
      switch next {
      case .done:
        writer.plans.isMaintenancePlanned = false
        // Who asked meanwhile may have done so behind the last look.
        if writer.plans.isMaintenanceWanted { background.planMaintenance(&writer) }
      case .again(let pause), .look(let pause):
        if case .look = next { writer.plans.isMaintenanceResting = true }
        background.schedule(.maintain, after: pause)
      }
    }
  }

  /// Removes a key by moving all other records of its segment away; nil if its record is another one meanwhile, or
  /// there is no room even for that.
  ///
  /// It takes of the reserve what one exchange takes, which comes back with the next sync. The result tells whether
  /// the key had a value.
  func removeByExchange(
    _ key: RawSpan, _ state: CollectionState, if condition: WriteCondition, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool? {
    guard options.compaction != .off, !isInScope else { return nil }
    guard let compaction else { throw .readOnly(path) }
    let (wasVisible, sequence) = try compaction.withLock { (compaction) throws(SedimentError) in
      (try compaction.remove(key, state, if: condition), log.lastSequence)
    }
    if wasVisible != nil, durability == .synced { try log.waitForSync(sequence) }
    return wasVisible
  }
}
