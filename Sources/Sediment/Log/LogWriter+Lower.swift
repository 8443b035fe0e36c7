internal import SedimentDisk
internal import SedimentFormat

// Slots near the file's beginning, for what is moved there so that the file can end sooner.

extension LogWriter {
  /// Takes slots before a limit, as near to the file's beginning as there are any; nil if there are not so many in a
  /// row.
  mutating func takeLowRun(
    upTo count: UInt32, atLeast least: UInt32, before limit: UInt32
  ) throws(SedimentError) -> SlotRun? {
    takeBackReserved()
    var isDiskFull = false
    while let (run, isBare) = space.lowRun(
      upTo: count, atLeast: least, before: limit, isDiskFull: isDiskFull)
    {
      if !isBare { return space.take(run) }
      isDiskFull = try giveBlocks(to: run) == 0
    }
    return nil
  }

  /// Takes slots before a limit for a large value's bytes, in several runs where they lie scattered; nil if there are
  /// not enough.
  mutating func takeLowRuns(
    forExtentsOf byteCount: Int, before limit: UInt32
  ) throws(SedimentError) -> [SlotRun]? {
    try takeRuns(forExtentsOf: byteCount) { (writer, wanted) throws(SedimentError) in
      try writer.takeLongLowRun(upTo: wanted, before: limit)
    }
  }

  /// Takes slots before a limit: so many if there is such a row, else of a row that is at least half as long, and so on.
  private mutating func takeLongLowRun(upTo count: UInt32, before limit: UInt32) throws(SedimentError)
    -> SlotRun?
  {
    var least = count
    while least > 0 {
      if let run = try takeLowRun(upTo: count, atLeast: least, before: limit) { return run }
      least /= 2
    }
    return nil
  }

  /// Takes free slots behind a limit, or lets the file grow by as many.
  mutating func takeHighRun(_ count: UInt32, behind limit: UInt32) throws(SedimentError) -> SlotRun {
    if let run = space.highRun(count, behind: limit), let taken = space.take(run) { return taken }
    try extend(by: count)
    return space.take(space.end - count..<space.end)!
  }

  /// Lets the log go on before a limit, if it ends behind that; whether it does.
  mutating func goOn(before limit: UInt32) throws(SedimentError) -> Bool {
    guard tail.identity.run.end > limit else { return true }
    guard let run = try takeLowRun(upTo: segmentSlotCount, atLeast: 1, before: limit) else { return false }
    var reservation = Reservation(returned)
    try goOn(in: NextSegment(identity: reserve(.hot, run, &reservation)), &reservation)
    return true
  }
}
