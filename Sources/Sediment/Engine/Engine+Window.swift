internal import SedimentDisk
internal import SedimentFormat

// How a store comes to its window, and how that is moved (DESIGN.md 5.1).

extension Engine {
  /// Sees to the window in the background: gives the store one, or lets what is read from it be read from its place.
  func seeToWindow() {
    guard !isForked, !conditions.isClosed, writer != nil else { return }
    do throws(SedimentError) {
      let isWanted = lock.withLock { writer?.wantsWindow ?? false }
      if isWanted { try sayWindow() }
      try lock.withLock { () throws(SedimentError) in
        let writer = try checkWritable()
        if isWanted, writer.wantsWindow { try adoptWindow(writer) } else { try writer.flush() }
      }
    } catch {
      // What poisons is told with that, and a store without a window is only slower.
    }
  }

  /// Makes both superblocks say that there may be a window, before the first byte of one is written.
  private func sayWindow() throws(SedimentError) {
    let isSaid = headLock.withLock {
      head?.add(neededToRead: Features.window)
      return head?.says(neededToRead: Features.window) ?? false
    }
    if !isSaid { try checkpoint(both: true) }
  }

  /// Gives the store a window in free slots, those before a limit if there is one; there is none yet.
  ///
  /// Under the lock. Nothing is stored before the change stands in the log that names the window, so that recovery asks
  /// it for what the log has not.
  private func adoptWindow(_ writer: LogWriter, before limit: UInt32? = nil) throws(SedimentError) {
    writer.windowAttempt = .init(writer)
    let count = options.windowSlotCount
    let run =
      if let limit {
        try writer.takeLowRun(upTo: count, atLeast: count, before: limit)
      } else {
        try writer.takeRun(count, for: .storing)
      }
    guard let run else { return }
    guard log.mayHaveWindow(in: run) else { return writer.space.give(run.first..<run.end) }
    let identity = try writer.makeUnadopted(.window, of: run)
    do throws(SedimentError) {
      let header = SegmentHeader(identity: identity, base: .zero, floor: .zero).encode(in: log.identity)
      try log.file.write(header, at: run.byteRange.lowerBound)
    } catch {
      writer.giveBack(unadopted: run)
      throw error
    }
    do throws(SedimentError) {
      _ = try change([.segment(SegmentEntry(withoutRecords: identity))], for: .storing, writer)
    } catch {
      if writer.poison == nil { writer.giveBack(unadopted: run) }
      throw error
    }
    slots.add(Segment(identity, base: .zero, in: log.identity), run)
    writer.unadoptedSlotCount -= run.count
    writer.enterWindow()
  }

  /// Moves the window before a limit, or gives it up where there is no room.
  ///
  /// Under the lock.
  func moveWindow(before limit: UInt32, _ writer: LogWriter) throws(SedimentError) {
    guard let window = writer.catalogue.window, window.run.end > limit else { return }
    try free([window], writer)
    try writer.leaveWindow()
    do throws(SedimentError) {
      try adoptWindow(writer, before: limit)
    } catch  where error.code == .outOfSpace {
      // Without one, records are written one by one.
    }
  }

  /// Gives up the window of a file that is longer than its cap: what is in use has to find room before that.
  ///
  /// While not even the change that says so has room, it stays.
  func leaveWindowBeyondCap(_ writer: LogWriter) throws(SedimentError) {
    try lock.withLock { () throws(SedimentError) in
      guard writer.isOverlong, let window = writer.catalogue.window else { return }
      let writer = try checkWritable()
      do throws(SedimentError) {
        try free([window], writer)
      } catch  where error.code == .outOfSpace {
        return
      }
      try writer.leaveWindow()
    }
  }
}
