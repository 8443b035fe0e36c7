internal import SedimentDisk
internal import SedimentFormat

// How a store comes to its window, and how that is moved (DESIGN.md 5.1).

extension Log {
  /// Sees to the window in the background: gives the store one, or lets what is read from it be read from its place.
  func updateWindow() {
    guard lifetime.isUsable, let writer else { return }
    do throws(SedimentError) {
      let isWanted = writer.withLock { writer in writer.wantsWindow }
      if isWanted { try sayWindow() }
      try withWriter { (writer) throws(SedimentError) in
        if isWanted, writer.wantsWindow { try adoptWindow(&writer) } else { try writer.flush() }
      }
    } catch {
      // What poisons is told with that, and a store without a window is only slower.
    }
  }

  /// Makes both superblocks say that there may be a window, before the first byte of one is written.
  private func sayWindow() throws(SedimentError) {
    let isSaid = head?.withLock { head in
      head.add(neededToRead: Features.window)
      return head.says(neededToRead: Features.window)
    }
    if isSaid == false { try checkpoint(both: true) }
  }

  /// Gives the store a window in free slots, those before a limit if there is one; there is none yet.
  ///
  /// Nothing is stored before the change stands in the log that names the window, so that recovery asks
  /// it for what the log has not.
  private func adoptWindow(_ writer: inout LogWriter, before limit: UInt32? = nil) throws(SedimentError) {
    writer.windowAttempt = writer.windowMark
    let count = options.windowSlotCount
    var reservation = Reservation(returned)
    let run =
      if let limit {
        try writer.takeLowRun(upTo: count, atLeast: count, before: limit, &reservation)
      } else {
        try writer.takeRun(count, for: .storing, &reservation)
      }
    guard let run, volume.mayHaveWindow(in: run) else { return writer.space.reclaim(clean: &reservation) }
    let identity = try writer.newSegment(.window, in: run)
    let header = SegmentHeader(identity: identity, base: .zero, floor: .zero).encode(in: volume.identity)
    try volume.file.write(header, at: run.byteRange.lowerBound)
    _ = try change([.segment(SegmentEntry(withoutRecords: identity))], for: .storing, &writer)
    slots.add(Segment(identity, base: .zero, in: volume.identity), run, writer.permit)
    writer.space.adopt(identity.run, from: &reservation)
    writer.enterWindow()
  }

  /// Moves the window before a limit, or gives it up where there is no room.
  func moveWindow(before limit: UInt32, _ writer: inout LogWriter) throws(SedimentError) {
    guard let window = writer.catalogue.window, window.run.end > limit else { return }
    try free([window], &writer)
    try writer.leaveWindow()
    writer.space.noteFindable(window.generation, tag: Readers.advance())
    do throws(SedimentError) {
      try adoptWindow(&writer, before: limit)
    } catch  where error.code == .outOfSpace {
      // Without one, records are written one by one.
    }
  }

  /// Lets records be stored into a window of other slots, if there is one, or into none where there is no room.
  func renewWindow(_ writer: inout LogWriter) throws(SedimentError) {
    guard let window = writer.catalogue.window else { return }
    try free([window], &writer)
    try writer.leaveWindow()
    writer.space.noteFindable(window.generation, tag: Readers.advance())
    do throws(SedimentError) {
      try adoptWindow(&writer)
    } catch  where error.code == .outOfSpace {
      // Without one, records are written one by one.
    }
  }

  /// Gives up the window of a file that is longer than its cap: what is in use has to find room before that.
  ///
  /// While not even the change that says so has room, it stays.
  func leaveWindowBeyondCap() throws(SedimentError) {
    guard let writer,
      writer.withLock({ writer in writer.space.isOverlong && writer.catalogue.window != nil })
    else { return }
    try withWriter { (writer) throws(SedimentError) in
      guard let window = writer.catalogue.window else { return }
      do throws(SedimentError) {
        try free([window], &writer)
      } catch  where error.code == .outOfSpace {
        return
      }
      try writer.leaveWindow()
      writer.space.noteFindable(window.generation, tag: Readers.advance())
    }
  }
}
