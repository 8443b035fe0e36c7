internal import SedimentDisk
internal import SedimentFormat

extension Engine {
  /// Makes everything durable, waits until nobody reads from the file any more, and lets go of it (DESIGN.md 5,
  /// "Close").
  ///
  /// In a reader's scope it does not wait, or the thread might wait for itself: then the file is let go of when the
  /// thread is in none any more. If something fails, the file is as a crash would leave it, and let go of all the same.
  @usableFromInline
  func close() throws(SedimentError) {
    // A child has no part in the parent's store, and may find its locks taken for ever.
    if isForked { throw .forked(path) }
    guard closing.begin() else { return try waitForClosing() }
    openFile.noteClosing()
    lock.withLock { conditions.close() }
    work.end()
    storeIndexAtClose()
    maintenanceLock.withLock { assertAccounts() }
    var failure: SedimentError?
    do throws(SedimentError) {
      // Steps of compaction and of storing the index that calls of others have under way end before.
      try storingLock.withLock { () throws(SedimentError) in
        try maintenanceLock.withLock { () throws(SedimentError) in
          try headLock.withLock { () throws(SedimentError) in try settle() }
        }
      }
    } catch {
      failure = error
    }
    gate.abandon(.closed(path))
    closing.reach(.settled, failure)
    // Whoever begins to read from now on sees that the store is closed.
    let tag = Readers.advance()
    if Readers.isPast(tag, in: domain) {
      letGo()
    } else {
      Readers.whenOutside { [self] in
        if isForked { return }
        Readers.waitUntilPast(tag, in: domain)
        letGo()
      }
    }
    if let failure = closing.outcome { throw failure }
  }

  /// Closes the file, and unlocks it with that; nobody reads from it, nor ever will.
  private func letGo() {
    var failure: SedimentError?
    do throws(SedimentError) {
      try log.file.close()
    } catch {
      failure = error
    }
    openFile.giveBack()
    closing.reach(.ended, failure)
    _ = events.add(.closed)
    events.deliver()
  }

  /// Waits for a close that another call has begun, and throws what that throws.
  ///
  /// Not for one that may be waiting for this thread: one that it is in the middle of, or that ends the work which it
  /// does; and in a reader's scope only for what is to be on the disk.
  private func waitForClosing() throws(SedimentError) {
    if closing.isOfThisThread || work.isRunHere { return }
    try closing.wait(for: Readers.depth == 0 ? .ended : .settled)
  }

  /// Writes what makes the close clean.
  ///
  /// Under `headLock`, with nobody able to begin a change.
  private func settle() throws(SedimentError) {
    guard let writer, isHeadOpen else { return }
    if let poison = lock.withLock({ writer.poison }) { throw poison }
    do throws(SedimentError) {
      if !isPrepared { try lock.withLock { () throws(SedimentError) in try writer.prepare() } }
    } catch  where error.code == .outOfSpace {
      // Recovery made everything durable, nothing followed, and there is no room to say so.
      return
    }
    let checkpoint = try lock.withLock { () throws(SedimentError) in try appendLast(writer) }
    try gate.turn { () throws(SedimentError) in
      // A sync that was under way may have failed meanwhile, or what it wrote behind itself.
      try lock.withLock { () throws(SedimentError) in
        if let poison = writer.poison { throw poison }
        try writer.flush()
      }
      do throws(SedimentError) {
        try log.file.sync()
      } catch {
        throw lock.withLock { writer.fail(error) }
      }
      do throws(SedimentError) {
        let end = unsafe writer.tail.pointee.position
        if let checkpoint {
          try head?.advance(
            checkpoint: checkpoint.offset, segment: checkpoint.segment, watermark: end, state: .closed)
        } else {
          try head?.close(at: end)
        }
      } catch {
        throw lock.withLock { writer.fail(error) }
      }
      return unsafe (writer.tail.pointee.countedSequence, writer.tail.pointee.position)
    }
  }

  /// Appends what the next opening should find: that nothing leads to the extents any more which would have been freed
  /// next, and a checkpoint if the way from the last is long, else the numbers.
  private func appendLast(_ writer: LogWriter) throws(SedimentError) -> CheckpointPlace? {
    do throws(SedimentError) {
      if options.compaction != .off { _ = try freeDeadExtents(writer) }
      if writer.replayByteCount > Self.replayByteCountToLeave { return try appendCheckpoint(writer) }
      // A segment that has to be begun for them counts in the numbers.
      let numbers = CatalogueChange([.numbers(writer.catalogue.numbers)])!
      try writer.makeRoom(Self.byteCount(of: numbers), for: .goingOn)
      writer.updateNumbers(clock: disk.wallClock())
      _ = try change([.numbers(writer.catalogue.numbers)], for: .goingOn, writer)
    } catch  where error.code == .outOfSpace {
      // It would only have made the next opening quicker.
    }
    return nil
  }

  /// How much of the log a clean close leaves to be replayed at most.
  private static var replayByteCountToLeave: UInt64 { 64 << 10 }
}
