internal import SedimentDisk
internal import SedimentFormat

// How records reach the file: through the window, many at a time, or by a call of their own (DESIGN.md 5.1).

extension LogWriter {
  /// Brings bytes of the log into the file that belong behind all others.
  ///
  /// What fits into the window is stored there. Anything else is written, behind what the window has.
  @inline(__always)
  mutating func store(_ records: RawSpan, at offset: UInt64, _ way: Way) throws(SedimentError) {
    if let place = windowPlace(forBytes: records.byteCount, at: offset, way) {
      volume.store(records, atPlace: place)
    } else {
      try write(records, at: offset, way)
    }
  }

  /// The place in the window where so many bytes of the log are stored; nil if they are to be written to their own.
  @inline(__always)
  func windowPlace(forBytes byteCount: Int, at offset: UInt64, _ way: Way) -> UInt64? {
    guard way == .stored, offset &+ UInt64(byteCount) <= tail.storeEnd, byteCount <= Self.storedByteCountMax
    else { return nil }
    return offset &+ tail.windowShift
  }

  /// More bytes than these are written by a call of their own, since copying them twice would take longer.
  static var storedByteCountMax: Int { 12 << 10 }

  /// Writes bytes of the log to their place, behind what the window has.
  @inline(never)
  mutating func write(_ records: RawSpan, at offset: UInt64, _ way: Way) throws(SedimentError) {
    try flush(upTo: offset)
    let end = offset + UInt64(records.byteCount)
    do throws(SedimentError) {
      try volume.file.write(records, at: offset)
    } catch {
      throw failWriting(error, at: offset)
    }
    if way == .synced && end > tail.aheadEnd { try writeAhead(from: offset, behind: end) }
    noteFlushed(upTo: end)
  }

  /// The error of a write of the log to its place, which poisons unless the disk refused its first byte for want of space.
  ///
  /// After a refusal the place is as it was, and the next change may be written there (invariant 6).
  private mutating func failWriting(_ error: SedimentError, at offset: UInt64) -> SedimentError {
    volume.file.isRefusal(error, at: offset) ? error : fail(error)
  }

  /// Writes zeros behind a record that is to be synced, if the last such lies not far before it.
  ///
  /// The sync that first writes a block waits for the file system's journal, too, so records that are synced one by one
  /// find blocks that were written with one of them.
  @inline(never)
  private mutating func writeAhead(from offset: UInt64, behind end: UInt64) throws(SedimentError) {
    tail.aheadEnd = tail.isOftenSynced(at: offset) ? min(end + Self.aheadByteCount, tail.segment.end) : end
    do throws(SedimentError) {
      try writeZeros(end..<tail.aheadEnd)
    } catch  where error.code == .outOfSpace {
      // Nothing depends on them, and the record is written.
      tail.aheadEnd = end
    } catch {
      throw fail(error)
    }
  }

  private static var aheadByteCount: UInt64 { 256 << 10 }

  @inline(never)
  private func writeZeros(_ range: Range<UInt64>) throws(SedimentError) {
    var start = range.lowerBound
    while start < range.upperBound {
      let count = min(Int(range.upperBound - start), Self.zeros.count)
      try volume.file.write(unsafe Self.zeros.span.bytes.extracting(first: count), at: start)
      start += UInt64(count)
    }
  }

  private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

  /// Writes what is in the window alone to its place, so that a sync would cover it.
  ///
  /// A failure poisons. If the disk refuses the first byte for want of space, all stays in the window, and every change
  /// tries again: nothing more is stored before a flush succeeded.
  mutating func flush() throws(SedimentError) {
    try flush(upTo: tail.offset)
  }

  @inline(__always)
  mutating func flush(upTo end: UInt64) throws(SedimentError) {
    if tail.flushedEnd < end { try flushWindow(upTo: end) }
  }

  @inline(never)
  private mutating func flushWindow(upTo end: UInt64) throws(SedimentError) {
    guard let window = volume.window else { return }
    if let poison { throw poison }
    // Whole pages: the system would read the rest of one that it has to change in part.
    let pageEnd = (end + Window.pageByteCount - 1) / Window.pageByteCount * Window.pageByteCount
    let padding = unsafe Self.zeros.span.bytes.extracting(first: Int(pageEnd - end))
    volume.store(padding, atPlace: window.place(of: end))
    do throws(SedimentError) {
      try volume.flush(tail.flushedEnd..<pageEnd, of: window)
    } catch {
      tail.storeEnd = 0
      throw failWriting(error, at: tail.flushedEnd)
    }
    noteFlushed(upTo: end)
  }

  /// Lets readers read the log in its place up to an offset, and records be stored into the window from there on.
  @inline(__always)
  mutating func noteFlushed(upTo end: UInt64) {
    tail.flushedEnd = end
    // Without a window the whole segment is read in its place.
    guard volume.hasWindow else { return }
    tail.segment.setReadableEnd(end, permit)
    SchedulePoint.reach(.published)
    if end >= tail.storeEnd { beginLap(at: end) }
  }

  /// Finds the place in the window from which on records are stored, up to the end of the ring or of the segment.
  @inline(never)
  private mutating func beginLap(at offset: UInt64) {
    guard let window = volume.window else { return }
    tail.storeEnd = min(window.end(from: offset), tail.segment.end)
    tail.windowShift = window.place(of: offset) &- offset
  }

  /// The records that are in the window alone, for whoever has the writer.
  @inline(__always) var recordsInWindow: RecordsInWindow {
    RecordsInWindow(end: tail.offset, shift: tail.windowShift)
  }

  // MARK: Which window

  /// Whether the file should have a window, and slots for it may be found: it grew, or slots came back, since none were.
  var wantsWindow: Bool {
    volume.mayHaveWindow && space.end >= options.windowedSlotCount && catalogue.window == nil
      && !space.isOverlong
      && windowAttempt != windowMark
  }

  /// Another number once the file got another length or slots came back: nothing else can make room for a window.
  var windowMark: UInt64 { space.reclaimedSlotCount &<< 32 | UInt64(space.end) }

  /// Begins to store into the window that the catalogue names, if there is one and this may be.
  ///
  /// All that was appended is in its place. Where something is refused records are written one by one, which is slower.
  mutating func enterWindow() {
    guard volume.mayHaveWindow, let identity = catalogue.window else { return }
    let window = Window(identity.run)
    do throws(SedimentError) {
      try volume.file.allocate(window.run.byteRange)
      // So that it has blocks of its own, in memory, into which a store cannot fail.
      try writeZeros(window.ring)
      try volume.enter(window)
    } catch {
      // The records of this opening are written one by one.
    }
    noteFlushed(upTo: tail.flushedEnd)
  }

  /// Writes records one by one from now on.
  mutating func leaveWindow() throws(SedimentError) {
    try flush()
    endStoring()
  }

  /// Stores nothing into the window any more, which is empty.
  private mutating func endStoring() {
    volume.leaveWindow()
    tail.storeEnd = 0
    tail.segment.setReadableEnd(tail.segment.end, permit)
    SchedulePoint.reach(.published)
  }

  /// Notes that the file shares its blocks with a copy: whatever is stored next gets blocks of its own first.
  ///
  /// What the log still has of its segment gets them at once, and the window, which is empty. Where there are none, records
  /// are written one by one from now on: that can be refused, while a store into a shared block would end the process.
  mutating func noteCloned() {
    blockLossCount += 1
    space.makeFreeBare()
    setWantedFreeCount()
    if poison != nil { return }
    do throws(SedimentError) {
      try allocateTail()
      if let window = volume.window { try writeZeros(window.ring) }
    } catch {
      endStoring()
    }
  }
}

/// Where records lie that are in the window alone: until something is appended they stay there, so that whoever has the
/// writer may read them in place.
struct RecordsInWindow {
  /// Behind the last of them.
  let end: UInt64
  /// What is added to the place of one in the log to get its place in the window.
  let shift: UInt64
}
