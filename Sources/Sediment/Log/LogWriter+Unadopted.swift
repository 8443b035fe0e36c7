internal import SedimentDisk
internal import SedimentFormat

// Segments that are being written outside the lock: nobody knows of them until a record names them.

extension LogWriter {
  /// Makes a segment of slots that were taken just now; where that fails they are given back.
  func makeUnadopted(_ kind: SegmentKind, of run: SlotRun) throws(SedimentError) -> SegmentIdentity {
    do throws(SedimentError) {
      let identity = try newIdentity(kind, run)
      unadoptedSlotCount += run.count
      return identity
    } catch {
      space.give(run.first..<run.end)
      throw error
    }
  }

  /// Gives the slots of one back to which nothing will ever lead.
  func giveBack(unadopted run: SlotRun) {
    space.give(run.first..<run.end)
    unadoptedSlotCount -= run.count
  }

  // MARK: Extents

  /// Takes a run of slots for a large value's bytes or, where that is not to be had, several if `mayScatter`, the
  /// longest first.
  func takeRuns(
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
      guard let runs = takeScattered(forExtentsOf: byteCount, for: purpose) else { throw error }
      return runs
    }
  }

  /// Sees to it that slots are free for so many in several runs: the headers of all take less than one slot more.
  private func provideScattered(_ slotCount: UInt32, for purpose: SlotSpace.Purpose) throws(SedimentError) {
    let wanted = space.reserve.slotCount(leftBy: purpose) + slotCount
    do throws(SedimentError) {
      try provide(wanted + 1)
    } catch  where error.code == .outOfSpace {
      try provide(wanted)
    }
  }

  private func takeScattered(forExtentsOf byteCount: Int, for purpose: SlotSpace.Purpose) -> [SlotRun]? {
    var runs: [SlotRun] = []
    var left = UInt64(byteCount)
    repeat {
      let wanted = ExtentLayout(storedByteCount: left).slotCount
      let count = min(space.largestRunCount(for: purpose), wanted)
      guard runs.count < Self.scatteredRunCountMax, let run = space.take(count, for: purpose) else {
        for run in runs { space.give(run.first..<run.end) }
        return nil
      }
      runs.append(run)
      left -= min(left, ExtentLayout.storedByteCountMax(slotCount: run.count))
    } while left > 0
    return runs
  }

  /// A value of more pieces would take longer to put together than it is worth.
  static let scatteredRunCountMax = 64
}
