internal import SedimentDisk
internal import SedimentFormat

// Slots for the bytes of large values.

extension LogWriter {
  /// Takes a run of slots for a large value's bytes or, where that is not to be had, several if `mayScatter`, the
  /// longest first.
  mutating func takeRuns(
    forExtentsOf byteCount: Int, for purpose: SlotSpace.Purpose, mayScatter: Bool
  ) throws(SedimentError) -> [SlotRun] {
    let slotCount = ExtentLayout(storedByteCount: UInt64(byteCount)).slotCount
    if isOverlong, purpose == .storing {
      if mayScatter { return try takeStorableRuns(forExtentsOf: byteCount) }
      return [try takeStorableRun(upTo: slotCount, atLeast: slotCount)]
    }
    do throws(SedimentError) {
      return [try takeRun(slotCount, for: purpose)]
    } catch  where error.code == .outOfSpace && mayScatter {
      try provideScattered(slotCount, for: purpose)
      guard let runs = try takeScattered(forExtentsOf: byteCount, for: purpose) else { throw error }
      return runs
    }
  }

  /// Sees to it that slots are free for so many in several runs: the headers of all take less than one slot more.
  private mutating func provideScattered(_ slotCount: UInt32, for purpose: SlotSpace.Purpose)
    throws(SedimentError)
  {
    let wanted = space.reserve.slotCount(leftBy: purpose) + slotCount
    do throws(SedimentError) {
      try provide(wanted + 1)
    } catch  where error.code == .outOfSpace {
      try provide(wanted)
    }
  }

  private mutating func takeScattered(
    forExtentsOf byteCount: Int, for purpose: SlotSpace.Purpose
  ) throws(SedimentError) -> [SlotRun]? {
    try takeRuns(forExtentsOf: byteCount) { (writer, wanted) throws(SedimentError) in
      writer.space.take(min(writer.space.largestRunCount(for: purpose), wanted), for: purpose)
    }
  }

  /// Takes slots for a large value's bytes run by run, each of so many slots at the most as `take` is asked for; nil if
  /// there are not enough.
  ///
  /// What was taken is free again unless all is there.
  mutating func takeRuns(
    forExtentsOf byteCount: Int,
    by take: (inout LogWriter, _ wanted: UInt32) throws(SedimentError) -> SlotRun?
  ) throws(SedimentError) -> [SlotRun]? {
    var runs: [SlotRun] = []
    var left = UInt64(byteCount)
    var isWhole = false
    defer {
      if !isWhole { for run in runs { space.give(run.first..<run.end) } }
    }
    repeat {
      let wanted = ExtentLayout(storedByteCount: left).slotCount
      guard runs.count < Self.scatteredRunCountMax, let run = try take(&self, wanted) else { return nil }
      runs.append(run)
      left -= min(left, ExtentLayout.storedByteCountMax(slotCount: run.count))
    } while left > 0
    isWhole = true
    return runs
  }

  /// A value of more pieces would take longer to put together than it is worth.
  static let scatteredRunCountMax = 64
}
