internal import SedimentDisk
internal import SedimentFormat

/// The close of a store, from its first call to when its file is let go of.
///
/// The first call closes the store. Later calls wait until it is closed, unless the first may be waiting for them.
final class Closing: @unchecked Sendable {
  // Unchecked: `lock` guards the variables.
  private let lock = Lock()
  private let hasChanged: Condition
  private var stage = Stage.open
  private var failure: SedimentError?
  /// The thread that closes, or 0.
  private var closer: UInt = 0

  enum Stage: Int {
    case open
    case begun
    /// Everything is on the disk that will be; readers may still be inside.
    case settled
    /// The file is let go of.
    case ended
  }

  init() {
    hasChanged = Condition(of: lock)
  }

  /// Begins to close on this thread; false if somebody has begun already.
  func begin() -> Bool {
    lock.withLock {
      guard stage == .open else { return false }
      stage = .begun
      closer = ThreadIdentity.current
      return true
    }
  }

  /// Notes that a stage is reached, and what failed on the way to it.
  func reach(_ stage: Stage, _ failure: SedimentError?) {
    lock.withLock {
      self.stage = stage
      if self.failure == nil { self.failure = failure }
      if stage == .ended { closer = 0 }
      hasChanged.broadcast()
    }
  }

  /// Whether this thread is the one that closes, in a call that the closing has made.
  var isOfThisThread: Bool { lock.withLock { closer == ThreadIdentity.current } }

  /// Returns once a stage is reached, and throws what failed until then; does nothing if the store is closed already.
  func wait(for wanted: Stage) throws(SedimentError) {
    let failure = lock.withLock { () -> SedimentError? in
      if stage == .ended { return nil }
      while stage.rawValue < wanted.rawValue { hasChanged.wait() }
      return self.failure
    }
    if let failure { throw failure }
  }

  /// What failed so far.
  var outcome: SedimentError? { lock.withLock { failure } }
}

extension Engine {
  /// Makes everything durable, waits until nobody reads from the file any more, and lets go of it (DESIGN.md 5,
  /// "Close").
  ///
  /// In a closure that reads it does not wait, or the thread might wait for itself: then the file is let go of when the
  /// thread has left its last closure; while values are pinned, when none is. If something fails, the file is as a crash would
  /// leave it, and let go of all the same.
  func close() throws(SedimentError) {
    // A child has no part in the parent's store, and may find its locks taken for ever.
    if lifetime.isForked { throw .forked(path) }
    guard closing.begin() else { return try waitForClosing() }
    openFile.noteClosing()
    closeToChanges()
    background.end()
    indexStorer.storeIndexAtClose()
    compactor.compaction?.withLock { compaction in compaction.assertAccounts() }
    var failure: SedimentError?
    do throws(SedimentError) {
      // Steps of compaction and of storing the index that calls of others have under way end before.
      try compactor.storingLock.withLock { () throws(SedimentError) in
        try compactor.compaction?.withLock { (compaction) throws(SedimentError) in
          compaction.memory = nil
          try settle()
        }
      }
    } catch {
      failure = error
    }
    log.gate.abandon(.closed(path))
    closing.reach(.settled, failure)
    // Whoever begins to read from now on sees that the store is closed.
    let tag = Readers.advance()
    reader.pins.close { [self] in
      if Readers.isPast(tag, in: reader.domain), reader.holdEnds.watchAll() == .none { return letGo() }
      Readers.whenOutside { [self] in
        if lifetime.isForked { return }
        Readers.waitUntilPast(tag, in: reader.domain)
        reader.holdEnds.waitUntilNoneIsHeld()
        letGo()
      }
    }
    if let failure = closing.outcome { throw failure }
  }

  /// Closes the file, and unlocks it with that; nobody reads from it, nor ever will.
  private func letGo() {
    reader.holdEnds.end()
    var failure: SedimentError?
    do throws(SedimentError) {
      try log.volume.file.close()
    } catch {
      failure = error
    }
    openFile.giveBack()
    // Only now: what is mapped keeps the file's number from another file, which would be taken for this one.
    log.volume.letGo()
    closing.reach(.ended, failure)
    _ = background.events.add(.closed)
    background.events.deliver()
  }

  /// Waits for a close that another call has begun, and throws what that throws.
  ///
  /// Not for one that may be waiting for this thread: one that it is in the middle of, or that ends the work which it
  /// does; and in a closure that reads, or while values are pinned, only for what is to be on the disk.
  private func waitForClosing() throws(SedimentError) {
    if closing.isOfThisThread || background.isRunHere { return }
    try closing.wait(for: Readers.isOutside && !reader.pins.isHeld ? .ended : .settled)
  }

  /// Refuses all changes from now on; those that are being made have ended when it returns.
  private func closeToChanges() {
    guard let writer = log.writer else { return lifetime.close() }
    writer.withLock { _ in lifetime.close() }
    // A change that waits until a reader lets go of slots is refused at once.
    reader.holdEnds.wakeWaiters()
  }

  /// Writes what makes the close clean, with nobody able to begin a change.
  private func settle() throws(SedimentError) {
    guard let writer = log.writer, let head = log.head else { return }
    do throws(SedimentError) {
      try log.prepare(atClose: true)
    } catch  where error.code == .closed || error.code == .outOfSpace {
      // Nothing was changed, and the file says that it is closed; or recovery made everything durable, nothing followed,
      // and there is no room to say so.
      return
    }
    try head.withLock { (head) throws(SedimentError) in try settle(&head, writer) }
  }

  private func settle(_ head: inout HeadKeeper, _ writer: Locked<LogWriter>) throws(SedimentError) {
    let checkpoint = try writer.withLock { (writer) throws(SedimentError) in
      if let poison = writer.poison { throw poison }
      return try appendLast(&writer)
    }
    try log.gate.turn { () throws(SedimentError) in
      // A sync that was under way may have failed meanwhile, or what it wrote behind itself.
      let synced = try writer.withLock { (writer) throws(SedimentError) in
        if let poison = writer.poison { throw poison }
        try writer.flush()
        return (sequence: writer.tail.countedSequence, end: writer.tail.position)
      }
      try log.syncFile()
      do throws(SedimentError) {
        try log.advancing(&head) { (head) throws(SedimentError) in
          try head.advance(to: checkpoint, watermark: synced.end, state: .closed)
        }
      } catch  where error.code == .outOfSpace {
        // Everything is on the disk, and there is no room to say that the log is closed.
      }
      return (synced.sequence, synced.end)
    }
  }

  /// Appends what the next opening should find: that nothing leads to the extents any more which would have been freed
  /// next, and a checkpoint if the way from the last is long, else the numbers.
  private func appendLast(_ writer: inout LogWriter) throws(SedimentError) -> CheckpointPlace? {
    do throws(SedimentError) {
      if options.compaction != .off { _ = try log.freeDeadExtents(&writer) }
      if writer.replayByteCount > Self.replayByteCountToLeave { return try log.appendCheckpoint(&writer) }
      // A segment that has to be begun for them counts in the numbers.
      let numbers = CatalogueChange([.numbers(writer.catalogue.numbers)])!
      try writer.makeRoom(Log.byteCount(of: numbers), for: .goingOn)
      writer.updateNumbers(clock: disk.wallClock())
      _ = try log.change([.numbers(writer.catalogue.numbers)], for: .goingOn, &writer)
    } catch  where error.code == .outOfSpace {
      // It would only have made the next opening quicker.
    }
    return nil
  }

  /// How much of the log a clean close leaves to be replayed at most.
  private static var replayByteCountToLeave: UInt64 { 64 << 10 }
}
