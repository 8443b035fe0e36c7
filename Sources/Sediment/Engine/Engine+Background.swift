internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// What a store does in the background, on the threads that all stores of the process share.
final class EngineWork: @unchecked Sendable {
  // Set once, before the store is used.
  fileprivate(set) var sync: Work?
  fileprivate(set) var checkpoint: Work?
  fileprivate(set) var grow: Work?
  fileprivate(set) var sweep: Work?
  fileprivate(set) var window: Work?
  fileprivate(set) var storeIndex: Work?
  fileprivate(set) var train: Work?
  fileprivate(set) var tell: Work?
  fileprivate(set) var maintain: Work?
  /// Within which interval a sync is on its way; nil if none is.
  ///
  /// Under the writer's lock.
  var plannedInterval: Duration?
  /// Whether a checkpoint is on its way.
  ///
  /// Under the writer's lock.
  var isCheckpointPlanned = false
  /// Whether space is about to be seen to.
  ///
  /// Under the writer's lock.
  var isMaintenancePlanned = false
  /// Whether somebody has asked for it since its last run began.
  ///
  /// Under the writer's lock.
  var isMaintenanceWanted = false
  /// Whether that is only a look, which may come earlier.
  ///
  /// Under the writer's lock.
  var isMaintenanceResting = false
  /// Whether the file is about to grow.
  ///
  /// Under the writer's lock.
  var isGrowthPlanned = false
  /// Whether the index is about to be stored.
  ///
  /// Under the writer's lock.
  var isStoringPlanned = false
  /// How much of the log must be unknown to the stored index before storing it is tried again, after that failed.
  ///
  /// Under the writer's lock.
  var unstoredByteCountWaited: UInt64 = 0

  /// How often records were cleared, and how many of these times the index has been swept of.
  ///
  /// Under the writer's lock.
  var clearingCount = 0
  var sweptClearingCount = 0

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
      writer.unstored.byteCountMax = Self.unstoredByteCountMin
    }
    work.window = Work { [self] in seeToWindow() }
    if options.observer != nil {
      writer.sealed = { [unowned self] in tell(.segmentSealed) }
      writer.poisoned = { [unowned self] error in tell(.failed(error)) }
    }
  }

  /// Sees to what has to follow a change.
  ///
  /// Under the lock.
  @inline(__always)
  func planSync(_ writer: LogWriter, _ durability: SedimentDurability) {
    // What was planned earlier, within no longer an interval, comes early enough.
    if case .interval(let interval) = durability, work.plannedInterval.map({ interval < $0 }) ?? true {
      planSync(after: interval)
    }
    if unsafe writer.tail.pointee.wantsUpkeep { planUpkeep(writer) }
  }

  @inline(never)
  private func planSync(after interval: Duration) {
    guard let sync = work.sync else { return }
    work.plannedInterval = interval
    scheduler.schedule(sync, after: interval.nanosecondsClamped)
  }

  @inline(never)
  private func planUpkeep(_ writer: LogWriter) {
    unsafe writer.tail.pointee.wantsUpkeep = false
    if writer.replayByteCount > writer.replayByteCountMax, !work.isCheckpointPlanned,
      let checkpoint = work.checkpoint
    {
      work.isCheckpointPlanned = true
      scheduler.schedule(checkpoint, after: 0)
    }
    if writer.wantsMaintenance { planMaintenance() }
    if writer.wantsWindow, let window = work.window { scheduler.schedule(window, after: 0) }
    planStoringIndex(writer)
    if writer.wantsSpace, !work.isGrowthPlanned, log.file.traits.allocatesBlocks, let grow = work.grow {
      work.isGrowthPlanned = true
      scheduler.schedule(grow, after: 0)
    }
  }

  /// Begins to take entries out of the index that lead to cleared records.
  ///
  /// Under the lock.
  func planSweep() {
    work.clearingCount += 1
    if let sweep = work.sweep { scheduler.schedule(sweep, after: 0) }
  }

  /// Syncs soon for those who wait without a thread.
  func syncSoon() {
    if let sync = work.sync { scheduler.schedule(sync, after: 0) }
  }

  private func syncInBackground() {
    guard !isForked, !conditions.isClosed else { return }
    let sequence = lock.withLock {
      work.plannedInterval = nil
      return unsafe writer?.tail.pointee.countedSequence ?? 0
    }
    // That it fails poisons, and is told with that.
    try? waitForSync(sequence)
    lock.withLock {
      guard let writer else { return }
      notePrefetch(liveByteCount: writer.liveByteCount)
      if writer.poison == nil, writer.wantsMaintenance { planMaintenance() }
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
    lock.withLock { work.isCheckpointPlanned = false }
  }

  /// Gives the file slots ahead of need; that there are none is told to whoever needs them.
  ///
  /// Only where the system gives blocks to a range. Elsewhere a file's length is read and then set, and nobody else
  /// may let it grow in between.
  private func growInBackground() {
    guard !isForked, !conditions.isClosed, let writer else { return }
    let (range, blockLossCount) = lock.withLock {
      (writer.poison == nil ? writer.spaceAhead() : nil, writer.blockLossCount)
    }
    if let range, (try? log.file.allocate(SlotSpace.byteRange(of: range))) != nil {
      // Blocks that a copy came to share meanwhile, or that were cut off again, are none to be written to.
      lock.withLock { if writer.blockLossCount == blockLossCount { writer.take(ahead: range) } }
    }
    lock.withLock {
      work.isGrowthPlanned = false
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
