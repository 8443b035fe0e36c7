internal import SedimentDisk
internal import SedimentFormat

// Segments that are being written outside the lock: nobody knows of them until a record names them.

extension LogWriter {
  /// Makes a segment of slots that were taken just now; where that fails they are given back.
  func makeUnadopted(_ kind: SegmentKind, of run: SlotRun) throws(SedimentError) -> SegmentIdentity {
    do throws(DiskError) {
      let identity = try newIdentity(kind, run)
      unadoptedSlotCount += run.count
      return identity
    } catch {
      space.give(run.first..<run.end)
      throw SedimentError(error)
    }
  }

  /// Gives the slots of one back to which nothing will ever lead.
  func giveBack(unadopted run: SlotRun) {
    space.give(run.first..<run.end)
    unadoptedSlotCount -= run.count
  }
}
