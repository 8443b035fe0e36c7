internal import SedimentDisk
internal import SedimentFormat

extension Compactor {
  /// Wins back all space that is dead and overwrites it: when this returns, no byte of a record is in the file that was
  /// replaced or removed before the call, or had expired by the wall clock.
  ///
  /// Everything that lives is written anew. If it ends before that, by an error or because the process dies, the store is
  /// sound, and another call finishes.
  func erase(_ progress: @escaping (SedimentProgress) throws -> SedimentIteration) throws {
    try lifetime.check()
    // The slots that a closure of this thread holds would be waited for without end.
    guard Readers.isOutside else {
      throw SedimentError(
        .invalidArgument, path: path,
        message: "A closure that reads a value where it lies cannot erase. Erase after it has returned.")
    }
    guard let writer, let compaction else { throw SedimentError.readOnly(path) }
    let usedByteCount = writer.withLock { writer in SlotSpace.byteCount(of: writer.space.usedSlotCount) }
    let meter = ErasingMeter(path, totalByteCount: usedByteCount, progress)
    try compact { _ in
      try meter.ask()
      return .continue
    }
    forgetSamples(writer)
    log.beginErasing()
    compaction.withLock { compaction in compaction.erasingCount += 1 }
    defer {
      log.endErasing()
      if !lifetime.isForked { compaction.withLock { compaction in compaction.erasingCount -= 1 } }
    }
    try storingLock.withLock { () throws(SedimentError) in
      try compaction.withLock { (compaction) throws(SedimentError) in
        try compaction.dropStoredIndex(behind: 0, true)
        try log.syncAndReclaim()
        try compaction.eraseFreeSlots()
      }
    }
    let next = try compaction.withLock { (compaction) throws(SedimentError) in
      try compaction.leaveSegments()
    }
    while try compaction.withLock({ (compaction) throws(SedimentError) in
      try compaction.moveRecords(before: next)
    }) { try meter.ask(leftByteCount: byteCount(before: next, writer)) }
    // Tombstones hide nothing any more, and no value needs a dictionary.
    let last = try compaction.withLock { (compaction) throws(SedimentError) -> Generation in
      try compaction.endDictionaries(always: true)
      try log.checkpoint(both: true)
      return writer.withLock { writer in writer.catalogue.numbers.nextGeneration }
    }
    while try compaction.withLock({ (compaction) throws(SedimentError) in
      try compaction.moveRecords(before: last) { compaction.hasDead($0, $1) }
    }) { try meter.ask() }
    try storingLock.withLock { () throws(SedimentError) in
      try compaction.withLock { (compaction) throws(SedimentError) in
        try compaction.moveUncleanLargeValues()
        try compaction.shortenToCap()
      }
    }
    try awaitFreedSlots(compaction, meter)
    // What was overwritten is on the medium once this is.
    try log.checkpoint(both: true)
    try meter.finish()
  }

  /// The bytes of the slots of segments with records of earlier generations than `next`.
  private func byteCount(before next: Generation, _ writer: Locked<LogWriter>) -> UInt64 {
    writer.withLock { writer in
      writer.catalogue.segments.reduce(0) { sum, entry in
        entry.holdsRecords && entry.identity.generation < next
          ? sum + UInt64(entry.identity.run.byteRange.count) : sum
      }
    }
  }

  /// Lets no dictionary be trained of values that were set before.
  private func forgetSamples(_ writer: Locked<LogWriter>) {
    trainingLock.withLock {
      for state in collections.all {
        state.compression.samples.forget()
        writer.withLock { writer in state.compression.use(nil, writer.permit) }
      }
    }
  }

  /// Frees what is dead by now, and returns once all that was freed is overwritten: after the end of every closure and
  /// backup that reads there.
  private func awaitFreedSlots(
    _ compaction: LockedInTurn<Compaction>, _ meter: ErasingMeter
  ) throws {
    guard let writer else { return }
    while true {
      let endCount = reader.holdEnds.count
      try compaction.withLock { (compaction) throws(SedimentError) in
        _ = try compaction.freeDead()
        try log.syncAndReclaim()
        try compaction.eraseReserved()
      }
      try lifetime.check()
      let isDone = writer.withLock { writer in writer.space.freedRuns.isEmpty && !writer.space.hasRunsToErase
      }
      if isDone { return }
      let freed = log.watchFreedSlots()
      if freed.canComeBack { continue }
      if freed.areInScopes {
        Readers.waitUntilPast(Readers.advance(), in: domain)
        continue
      }
      // Ended by a hold, by the end of a backup, or by the time at which the caller is asked.
      _ = reader.holdEnds.wait(beyond: endCount, until: MonotonicClock.now(plus: Self.askNanoseconds))
      try meter.ask()
    }
  }

  private static let askNanoseconds: UInt64 = 250_000_000
}

/// Tells the caller of an erasing how far it has come, and asks whether to go on.
private final class ErasingMeter {
  private let path: String
  private let progress: (SedimentProgress) throws -> SedimentIteration
  /// The bytes of the slots that were in use when it began, and of those that have still to be left.
  private let totalByteCount: UInt64
  private var leftByteCount: UInt64

  init(
    _ path: String, totalByteCount: UInt64,
    _ progress: @escaping (SedimentProgress) throws -> SedimentIteration
  ) {
    self.path = path
    self.progress = progress
    self.totalByteCount = max(totalByteCount, 1)
    leftByteCount = self.totalByteCount
  }

  /// Throws `cancelled` if the caller ends the call; `leftByteCount` is what has still to be left, if that is less now.
  func ask(leftByteCount: UInt64 = .max) throws {
    // Only `finish` says that all is done.
    self.leftByteCount = max(min(self.leftByteCount, leftByteCount), 1)
    let completed = totalByteCount - self.leftByteCount
    let state = SedimentProgress(completedByteCount: completed, totalByteCount: totalByteCount)
    if try progress(state) == .stop { throw SedimentError.cancelled(path) }
  }

  /// Says that all is done.
  func finish() throws {
    _ = try progress(SedimentProgress(completedByteCount: totalByteCount, totalByteCount: totalByteCount))
  }
}
