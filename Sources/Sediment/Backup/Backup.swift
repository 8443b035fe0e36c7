internal import SedimentDisk
internal import SedimentFormat

/// Copies an open store as it is at one moment, while others go on writing (DESIGN.md 8, "Backup").
struct Backup: AboveReader {
  let log: Log

  var reader: Reader { log.reader }

  /// Makes a copy of the store as it is at one moment of the call.
  ///
  /// When it returns, the copy is on the disk under its name; when it throws, there is none, and this store is as
  /// well as before, unless the device turns out not to have taken what was written to it. Of a failed store the copy
  /// holds what reads return, or there is none.
  func run(
    to destination: String, _ progress: ((SedimentProgress) -> SedimentIteration)?
  ) throws(SedimentError) {
    try lifetime.check()
    let new = try NewFile(at: destination, on: disk)
    let meter = ProgressMeter(path: path, progress)
    do throws(SedimentError) {
      if let failure {
        try copy(try failedSource(failure), to: new, meter)
        // A page that the device refused may be forgotten at any moment.
        _ = try failedSource(failure)
      } else {
        // A file that shares the blocks is there at once.
        if try !clone(to: new, meter) { try copyPinned(to: new, meter) }
        try log.expectWritten()
      }
      try lifetime.check()
    } catch {
      new.remove()
      throw lifetime.isClosed && error.systemError?.code == .badDescriptor
        ? .closed(path) : new.named(error)
    }
    do throws(SedimentError) {
      try new.finish()
    } catch {
      new.remove()
      throw error
    }
    meter.finish()
  }

  /// Why the store may not be changed any more and where its log ended then; nil if it did not fail.
  var failure: (error: SedimentError, logEnd: LogPosition)? {
    log.writer?.withLock { writer in writer.poison.map { ($0, writer.tail.position) } }
  }

  /// The log of a store that failed: nobody changes the file any more, so it is read as the next opening would read it.
  ///
  /// Throws why the store failed if the file does not have all of that any more: a copy has each change that is read.
  func failedSource(
    _ failure: (error: SedimentError, logEnd: LogPosition)
  ) throws(SedimentError) -> BackupSource {
    let source = try BackupSource(reading: volume.file, upTo: failure.logEnd)
    guard source.log.end >= failure.logEnd else { throw failure.error }
    return source
  }

  /// Runs `body` with the log as it is, and with nobody able to change it meanwhile.
  func withSource<Result>(
    reading: (BackupSource) throws(SedimentError) -> Result,
    writing: (BackupSource, inout LogWriter) throws(SedimentError) -> Result
  ) throws(SedimentError) -> Result {
    guard let writer = log.writer, let head = log.head else {
      return try reading(try BackupSource(reading: volume.file))
    }
    return try head.withLock { (head) throws(SedimentError) in
      try writer.withLock { (writer) throws(SedimentError) in
        try lifetime.check()
        // A copy has what is in its place.
        try writer.flush()
        return try writing(BackupSource(&writer, head.leading, clock: disk.wallClock()), &writer)
      }
    }
  }

  // MARK: Sharing blocks

  /// Makes the copy by sharing the file's blocks; false, with nothing left behind, if that cannot be.
  private func clone(to new: NewFile, _ meter: ProgressMeter) throws(SedimentError) -> Bool {
    guard volume.file.traits.clones else { return false }
    // Sharing has to write what was not yet, for which nobody should wait with the lock taken.
    if log.writer != nil { try? log.sync() }
    let source = try withSource { source in
      isCloned(new) ? source : nil
    } writing: { source, writer in
      guard isCloned(new) else { return nil }
      writer.noteCloned()
      return source
    }
    guard let source else { return false }
    let file = try disk.openFile(new.temporaryPath, .readWrite)
    do throws(SedimentError) {
      let copy = BackupFile(file: file, disk: disk)
      meter.extend(by: source.byteCount)
      try meter.add(0)
      try copy.clear(but: source)
      try copy.complete(source)
    } catch {
      try? file.close()
      throw error
    }
    return true
  }

  private func isCloned(_ new: NewFile) -> Bool {
    do throws(SedimentError) {
      try volume.file.clone(to: new.temporaryPath)
      return true
    } catch {
      if error.code != .exists { new.remove() }
      return false
    }
  }

  // MARK: Copying

  /// Makes the copy of a store that others may change meanwhile.
  private func copyPinned(to new: NewFile, _ meter: ProgressMeter) throws(SedimentError) {
    try copy(try pinnedSource(), to: new, meter)
  }

  /// The store as it is at this moment; its segments stay until they are unpinned.
  func pinnedSource() throws(SedimentError) -> BackupSource {
    try withSource {
      $0
    } writing: { source, writer in
      writer.space.pin(source.segments.map(\.identity.generation))
      return source
    }
  }

  /// Makes the copy segment by segment; a pinned segment is unpinned once it was copied.
  private func copy(
    _ source: BackupSource, to new: NewFile, _ meter: ProgressMeter
  ) throws(SedimentError) {
    // What the window has of the log may be laid over the file.
    let original = source.log.patched ?? volume.file
    var pinned = source.segments
    defer { unpin(pinned.map(\.identity.generation)) }
    meter.extend(by: pinned.reduce(0) { $0 + UInt64($1.range.count) })
    try meter.add(0)
    let file = try disk.openFile(new.temporaryPath, .create)
    do throws(SedimentError) {
      let copy = BackupFile(file: file, disk: disk)
      try file.truncate(to: source.byteCount)
      while let number = nextToCopy(of: pinned) {
        let segment = pinned[number]
        try copy.copy(segment.range, of: segment.identity, from: original) {
          (count) throws(SedimentError) in
          try lifetime.check()
          try meter.add(count)
        }
        unpin([segment.identity.generation])
        pinned.remove(at: number)
      }
      try copy.complete(source)
    } catch {
      try? file.close()
      throw error
    }
  }

  /// Which of some segments is copied next: one that was freed meanwhile, since somebody may wait for its slots, else
  /// the first; nil if there are none.
  private func nextToCopy(of segments: [(identity: SegmentIdentity, range: Range<UInt64>)]) -> Int? {
    let freed = Set(log.writer?.withLock { writer in writer.space.freedRuns.map(\.generation) } ?? [])
    return segments.firstIndex { freed.contains($0.identity.generation) } ?? segments.indices.first
  }

  func unpin(_ generations: [Generation]) {
    // In a fork's child a lock that another thread had would stay taken.
    guard let writer = log.writer, !generations.isEmpty, !lifetime.isForked else { return }
    let hasHeld = writer.withLock { writer in
      writer.space.unpin(generations)
      let ended = Set(generations)
      let hasHeld = writer.space.freedRuns.contains { ended.contains($0.generation) }
      // Who gives back what the backup has held, if nobody writes.
      if hasHeld { background.planMaintenance(&writer) }
      return hasHeld
    }
    // Changes that wait for room, and erasing.
    if hasHeld { reader.holdEnds.wakeWaiters() }
  }
}
