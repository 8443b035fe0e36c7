internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// What a store does in the background, on the threads that all stores of the process share.
final class EngineWork: @unchecked Sendable {
  // Sendable: the jobs are set once, before the store is used; the last variables belong to the lock of maintenance.
  fileprivate(set) var sync: Work?
  fileprivate(set) var checkpoint: Work?
  fileprivate(set) var grow: Work?
  fileprivate(set) var sweep: Work?
  fileprivate(set) var window: Work?
  fileprivate(set) var storeIndex: Work?
  fileprivate(set) var train: Work?
  fileprivate(set) var tell: Work?
  fileprivate(set) var maintain: Work?
  /// Whether extents were looked for that the process died before it could free.
  ///
  /// Under the lock of maintenance.
  var hasSoughtExtents = false

  #if DEBUG
    /// Whether the accounts were right when the store was opened.
    ///
    /// Set before anybody else has the store.
    var hadRightAccounts = false
  #endif
  private var all: [Work?] {
    [sync, checkpoint, grow, sweep, window, maintain, storeIndex, train, tell]
  }

  /// Ends all work, and lets go of the engine that it holds.
  func end() {
    for work in all { work?.cancelAndWait() }
  }

  /// Whether this thread is doing some of it.
  var isRunHere: Bool { all.contains { $0?.isRunHere ?? false } }
}

extension Engine {
  func prepareWork() {
    if options.observer != nil { work.tell = Work { [events] in events.deliver() } }
    guard let writer else { return }
    work.sync = Work { [self] in syncInBackground() }
    work.checkpoint = Work { [self] in checkpointInBackground() }
    work.grow = Work { [self] in growInBackground() }
    work.maintain = Work { [self] in maintainInBackground() }
    work.sweep = Work { [self] in sweep() }
    if trainsDictionaries { work.train = Work { [self] in trainInBackground() } }
    if options.storesIndex {
      work.storeIndex = Work { [self] in storeIndexInBackground() }
      writer.withLock { writer in writer.unstored.byteCountMax = Self.unstoredByteCountMin }
    }
    work.window = Work { [self] in seeToWindow() }
    if options.observer != nil {
      writer.withLock { writer in
        writer.sealed = { [unowned self] in tell(.segmentSealed) }
        writer.poisoned = { [unowned self] error in tell(.failed(error)) }
      }
    }
  }

  /// Schedules what has to follow a change.
  @inline(__always)
  func planSync(_ writer: inout LogWriter, _ durability: SedimentDurability) {
    // What was planned earlier, within no longer an interval, comes early enough.
    if case .interval(let interval) = durability, writer.plans.interval.map({ interval < $0 }) ?? true {
      planSync(after: interval, &writer)
    }
    if writer.tail.wantsUpkeep { planUpkeep(&writer) }
  }

  @inline(never)
  private func planSync(after interval: Duration, _ writer: inout LogWriter) {
    guard let sync = work.sync else { return }
    writer.plans.interval = interval
    scheduler.schedule(sync, after: interval.nanosecondsClamped)
  }

  @inline(never)
  private func planUpkeep(_ writer: inout LogWriter) {
    writer.tail.wantsUpkeep = false
    if writer.replayByteCount > writer.replayByteCountMax, !writer.plans.isCheckpointPlanned,
      let checkpoint = work.checkpoint
    {
      writer.plans.isCheckpointPlanned = true
      scheduler.schedule(checkpoint, after: 0)
    }
    if writer.wantsMaintenance { planMaintenance(&writer) }
    if writer.wantsWindow, let window = work.window { scheduler.schedule(window, after: 0) }
    planStoringIndex(&writer)
    if writer.wantsSpace, !writer.plans.isGrowthPlanned, log.file.traits.allocatesBlocks, let grow = work.grow
    {
      writer.plans.isGrowthPlanned = true
      scheduler.schedule(grow, after: 0)
    }
  }

  /// Begins to take entries out of the index that lead to cleared records.
  func planSweep(_ writer: inout LogWriter) {
    writer.plans.clearingCount += 1
    if let sweep = work.sweep { scheduler.schedule(sweep, after: 0) }
  }

  /// Syncs soon for those who wait without a thread.
  func syncSoon() {
    if let sync = work.sync { scheduler.schedule(sync, after: 0) }
  }

  private func syncInBackground() {
    guard !isForked, !conditions.isClosed, let writer else { return }
    let sequence = writer.withLock { writer in
      writer.plans.interval = nil
      return writer.tail.countedSequence
    }
    // That it fails poisons, and is told with that.
    try? waitForSync(sequence)
    writer.withLock { writer in
      notePrefetch(liveByteCount: writer.liveByteCount)
      if writer.poison == nil, writer.wantsMaintenance { planMaintenance(&writer) }
    }
    gate.resumeReached()
  }

  private func checkpointInBackground() {
    guard !isForked, !conditions.isClosed else { return }
    do throws(SedimentError) {
      try checkpoint()
    } catch  where error.code == .closed || error.code == .outcomeUnknown {
      // The one is no failure, and the other was told with what poisoned.
    } catch {
      tell(.failed(error))
    }
    writer?.withLock { writer in writer.plans.isCheckpointPlanned = false }
  }

  /// Gives the file slots ahead of need; that there are none is told to whoever needs them.
  ///
  /// Only where the system gives blocks to a range. Elsewhere a file's length is read and then set, and nobody else
  /// may let it grow in between.
  private func growInBackground() {
    guard !isForked, !conditions.isClosed, let writer else { return }
    let (range, blockLossCount) = writer.withLock { writer in
      (writer.poison == nil ? writer.spaceAhead() : nil, writer.blockLossCount)
    }
    if let range, (try? log.file.allocate(SlotSpace.byteRange(of: range))) != nil {
      // Blocks that a copy came to share meanwhile, or that were cut off again, are none to be written to.
      writer.withLock { writer in if writer.blockLossCount == blockLossCount { writer.take(ahead: range) } }
    }
    writer.withLock { writer in
      writer.plans.isGrowthPlanned = false
      notePrefetch(liveByteCount: writer.liveByteCount)
    }
  }
}

extension Duration {
  /// The nanoseconds, at least 0 and at most what 64 bits hold.
  var nanosecondsClamped: UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000).partialValue
  }

  /// The milliseconds, rounded up, at least 0.
  var millisecondsClamped: UInt64 {
    let nanoseconds = nanosecondsClamped
    return nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1)
  }
}
