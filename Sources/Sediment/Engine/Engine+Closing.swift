internal import SedimentDisk
internal import SedimentFormat

extension Engine {
  /// Makes everything durable, waits until nobody reads from the file any more, and lets go of it (DESIGN.md 5,
  /// "Close").
  ///
  /// In a reader's scope it does not wait, or the thread might wait for itself: then the file is let go of when the
  /// thread is in none any more. If something fails, the file is as a crash would leave it, and let go of all the same.
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
        try compactor.compaction?.withLock { _ throws(SedimentError) in try settle() }
      }
    } catch {
      failure = error
    }
    log.gate.abandon(.closed(path))
    closing.reach(.settled, failure)
    // Whoever begins to read from now on sees that the store is closed.
    let tag = Readers.advance()
    if Readers.isPast(tag, in: reader.domain) {
      letGo()
    } else {
      Readers.whenOutside { [self] in
        if lifetime.isForked { return }
        Readers.waitUntilPast(tag, in: reader.domain)
        letGo()
      }
    }
    if let failure = closing.outcome { throw failure }
  }

  /// Closes the file, and unlocks it with that; nobody reads from it, nor ever will.
  private func letGo() {
    var failure: SedimentError?
    do throws(SedimentError) {
      try log.volume.file.close()
    } catch {
      failure = error
    }
    openFile.giveBack()
    closing.reach(.ended, failure)
    _ = background.events.add(.closed)
    background.events.deliver()
  }

  /// Waits for a close that another call has begun, and throws what that throws.
  ///
  /// Not for one that may be waiting for this thread: one that it is in the middle of, or that ends the work which it
  /// does; and in a reader's scope only for what is to be on the disk.
  private func waitForClosing() throws(SedimentError) {
    if closing.isOfThisThread || background.isRunHere { return }
    try closing.wait(for: Readers.depth == 0 ? .ended : .settled)
  }

  /// Refuses all changes from now on; those that are being made have ended when it returns.
  private func closeToChanges() {
    guard let writer = log.writer else { return lifetime.close() }
    writer.withLock { _ in lifetime.close() }
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
      do throws(SedimentError) {
        try log.volume.file.sync()
      } catch {
        throw writer.withLock { writer in writer.fail(error) }
      }
      do throws(SedimentError) {
        if let checkpoint {
          try head.advance(
            checkpoint: checkpoint.offset, segment: checkpoint.segment, watermark: synced.end, state: .closed)
        } else {
          try head.close(at: synced.end)
        }
      } catch {
        throw writer.withLock { writer in writer.fail(error) }
      }
      return (synced.sequence, synced.end)
    }
  }

  /// Appends what the next opening should find: that nothing leads to the extents any more which would have been freed
  /// next, and a checkpoint if the way from the last is long, else the numbers.
  private func appendLast(_ writer: inout LogWriter) throws(SedimentError) -> Log.CheckpointPlace? {
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
