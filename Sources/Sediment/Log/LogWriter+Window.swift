internal import SedimentDisk
internal import SedimentFormat

// How records reach the file: through the window, many at a time, or by a call of their own (DESIGN.md 5.1).

extension LogWriter {
  /// Brings bytes of the log into the file that belong behind all others.
  ///
  /// What fits into the window is stored there. Anything else is written, behind what the window has.
  @inline(__always)
  func store(_ records: RawSpan, at offset: UInt64, _ way: Way) throws(SedimentError) {
    let end = offset &+ UInt64(records.byteCount)
    if unsafe way == .stored && end <= tail.pointee.storeEnd && records.byteCount <= Self.storedByteCountMax {
      file.store(records, atPlace: unsafe offset &+ tail.pointee.windowShift)
    } else {
      try write(records, at: offset, way)
    }
  }

  /// More bytes than these are written by a call of their own, since copying them twice would take longer.
  static var storedByteCountMax: Int { 12 << 10 }

  @inline(never)
  private func write(_ records: RawSpan, at offset: UInt64, _ way: Way) throws(SedimentError) {
    try flush(upTo: offset)
    let end = offset + UInt64(records.byteCount)
    do throws(SedimentError) {
      try file.file.write(records, at: offset)
      if unsafe way == .written && end > tail.pointee.aheadEnd { try writeAhead(from: offset, behind: end) }
    } catch {
      throw fail(error)
    }
    noteFlushed(upTo: end)
  }

  /// Writes zeros behind a record that is to be synced, if the last such lies not far before it.
  ///
  /// The sync that first writes a block waits for the file system's journal, too, so records that are synced one by one
  /// find blocks that were written with one of them.
  @inline(never)
  private func writeAhead(from offset: UInt64, behind end: UInt64) throws(SedimentError) {
    let isOftenSynced = unsafe tail.pointee.isOftenSynced(at: offset)
    unsafe tail.pointee.aheadEnd =
      isOftenSynced ? min(end + Self.aheadByteCount, tail.pointee.segment.end) : end
    try writeZeros(unsafe end..<tail.pointee.aheadEnd)
  }

  private static var aheadByteCount: UInt64 { 256 << 10 }

  @inline(never)
  private func writeZeros(_ range: Range<UInt64>) throws(SedimentError) {
    var start = range.lowerBound
    while start < range.upperBound {
      let count = min(Int(range.upperBound - start), Self.zeros.count)
      try file.file.write(unsafe Self.zeros.span.bytes.extracting(first: count), at: start)
      start += UInt64(count)
    }
  }

  private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

  /// Writes what is in the window alone to its place, so that a sync would cover it; what fails poisons.
  func flush() throws(SedimentError) {
    try flush(upTo: unsafe tail.pointee.offset)
  }

  @inline(__always)
  private func flush(upTo end: UInt64) throws(SedimentError) {
    if unsafe tail.pointee.flushedEnd < end { try flushWindow(upTo: end) }
  }

  @inline(never)
  private func flushWindow(upTo end: UInt64) throws(SedimentError) {
    guard let window = file.window else { return }
    if let poison { throw poison }
    // Whole pages: the system would read the rest of one that it has to change in part.
    let pageEnd = (end + Window.pageByteCount - 1) / Window.pageByteCount * Window.pageByteCount
    let padding = unsafe Self.zeros.span.bytes.extracting(first: Int(pageEnd - end))
    file.store(padding, atPlace: window.place(of: end))
    do throws(SedimentError) {
      try file.flush(unsafe tail.pointee.flushedEnd..<pageEnd, of: window)
    } catch {
      throw fail(error)
    }
    noteFlushed(upTo: end)
  }

  /// Lets readers read the log in its place up to an offset, and records be stored into the window from there on.
  @inline(__always)
  func noteFlushed(upTo end: UInt64) {
    unsafe tail.pointee.flushedEnd = end
    // Without a window the whole segment is read in its place.
    guard file.hasWindow else { return }
    unsafe tail.pointee.segment.setReadableEnd(end)
    SchedulePoint.reach(.published)
    if unsafe end >= tail.pointee.storeEnd { beginLap(at: end) }
  }

  /// Finds the place in the window from which on records are stored, up to the end of the ring or of the segment.
  @inline(never)
  private func beginLap(at offset: UInt64) {
    guard let window = file.window else { return }
    unsafe tail.pointee.storeEnd = min(window.end(from: offset), tail.pointee.segment.end)
    unsafe tail.pointee.windowShift = window.place(of: offset) &- offset
  }

  // MARK: Which window

  /// Whether the file should have a window, and slots for it may be found: it grew, or slots came back, since none were.
  var wantsWindow: Bool {
    file.mayHaveWindow && space.end >= windowedSlotCount && catalogue.window == nil && !isOverlong
      && windowAttempt != WindowAttempt(self)
  }

  /// The state of a file in which slots for a window were looked for.
  struct WindowAttempt: Equatable {
    private let slotCount: UInt32
    private let reclaimedSlotCount: UInt64

    init(_ writer: LogWriter) {
      slotCount = writer.space.end
      reclaimedSlotCount = writer.reclaimedSlotCount
    }
  }

  /// Begins to store into the window that the catalogue names, if there is one and this may be.
  ///
  /// All that was appended is in its place. Where something is refused records are written one by one, which is slower.
  func enterWindow() {
    guard file.mayHaveWindow, let identity = catalogue.window else { return }
    let window = Window(identity.run)
    do throws(SedimentError) {
      try file.file.allocate(window.run.byteRange)
      try empty(window)
      try file.enter(window)
    } catch {
      // The records of this opening are written one by one.
    }
    noteFlushed(upTo: unsafe tail.pointee.flushedEnd)
  }

  /// Writes records one by one from now on.
  func leaveWindow() throws(SedimentError) {
    try flush()
    endStoring()
  }

  /// Stores nothing into the window any more, which is empty.
  private func endStoring() {
    file.leaveWindow()
    unsafe tail.pointee.storeEnd = 0
    unsafe tail.pointee.segment.setReadableEnd(tail.pointee.segment.end)
    SchedulePoint.reach(.published)
  }

  /// Writes over all of a ring, so that it has blocks of its own, in memory, into which a store cannot fail.
  private func empty(_ window: Window) throws(SedimentError) {
    try writeZeros(window.ring)
  }

  /// Gives what the log still has of its segment, and the window, which is empty, blocks of their own, of which the file
  /// shares those that it had with a copy.
  ///
  /// Where there are none, records are written one by one from now on: that can be refused, while a store into a shared
  /// block would end the process.
  func renewBlocks() {
    if poison != nil { return }
    do throws(SedimentError) {
      try file.file.allocate(unsafe tail.pointee.identity.run.byteRange)
      if let window = file.window { try empty(window) }
    } catch {
      endStoring()
    }
  }
}
