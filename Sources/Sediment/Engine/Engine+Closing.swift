internal import SedimentDisk
internal import SedimentFormat

extension Engine {
  /// Makes everything durable and lets go of the file.
  ///
  /// Calls that are inside on other threads finish or fail with `closed`; a value that is being read in place stays
  /// where it is until its closure ends. Closing again does nothing. If something fails, the file is as a crash would
  /// leave it, and let go of all the same.
  @usableFromInline
  func close() throws(SedimentError) {
    // A child shares the parent's locks: to close its copy of the file would release them.
    if isForked { throw .forked(path) }
    let isFirst = lock.withLock { conditions.close() }
    guard isFirst else { return }
    work.end()
    storeIndexAtClose()
    var failure: SedimentError?
    do throws(SedimentError) {
      try headLock.withLock { () throws(SedimentError) in try settle() }
    } catch {
      failure = error
    }
    gate.abandon(.closed(path))
    do throws(DiskError) {
      try log.file.close()
    } catch {
      if failure == nil { failure = SedimentError(error) }
    }
    openFile?.giveBack()
    _ = events.add(.closed)
    events.deliver()
    if let failure { throw failure }
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
      if let poison = lock.withLock({ writer.poison }) { throw poison }
      do throws(DiskError) {
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
