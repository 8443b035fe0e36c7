internal import SedimentDisk
internal import SedimentFormat

/// Slots that a change of the catalogue has freed.
struct ReleasedRun {
  let run: SlotRun
  let generation: Generation
  /// The sequence of the change.
  let sequence: UInt64
}

extension LogWriter {
  /// Lets slots be taken again once the change that freed them is synced (invariant 11).
  ///
  /// No reader may be able to find anything there any more.
  func release(_ run: SlotRun, generation: Generation, freedBy sequence: UInt64) {
    released.append(ReleasedRun(run: run, generation: generation, sequence: sequence))
  }

  /// Frees the slots whose freeing is on the medium, after the magic of their headers was taken away (DESIGN.md 3.3).
  func noteSynced(upTo sequence: UInt64) {
    guard poison == nil, released.contains(where: { $0.sequence <= sequence }) else { return }
    let zeros = [UInt8](repeating: 0, count: 8)
    for entry in released where entry.sequence <= sequence {
      do throws(DiskError) {
        try file.write(unsafe zeros.span.bytes, at: entry.run.byteRange.lowerBound)
      } catch {
        // Whoever syncs next is told.
        _ = fail(error)
        return
      }
      space.give(entry.run.first..<entry.run.end)
    }
    released.removeAll { $0.sequence <= sequence }
  }
}
