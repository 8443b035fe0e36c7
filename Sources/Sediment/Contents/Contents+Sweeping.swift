internal import SedimentFormat

extension Contents {
  /// A record that was cleared, with all that the accounts need to know of it.
  private struct ClearedRecord {
    let segment: Segment
    let byteCount: Int
    /// Where its value lies, if that is a large one.
    let place: ValuePlace?
  }

  /// Takes entries out of the index that lead to records of collections that were cleared or dropped.
  func sweep() {
    guard let writer else { return }
    let goesOn = { [lifetime] in lifetime.isUsable }
    let clearingCount = writer.withLock { writer in writer.plans.clearingCount }
    var hasReadAll = true
    forgetEntries({ clearedRecord($0, &hasReadAll) }, while: goesOn) { record, writer in
      writer.noteDead(record.segment, byteCount: record.byteCount)
      noteDeadExtents(record.place, of: nil, &writer)
    }
    writer.withLock { writer in
      // What a failed call has hidden is left to the next sweep.
      if goesOn(), hasReadAll {
        writer.plans.sweptClearingCount = max(writer.plans.sweptClearingCount, clearingCount)
      }
      background.planMaintenance(&writer)
    }
  }

  /// Sweeps at once if there is anything to sweep, for those who cannot wait until the background has.
  func sweepAtOnce() {
    if writer?.withLock({ writer in writer.plans.isToBeSwept }) ?? false { sweep() }
  }

  /// The record that an entry leads to if it was cleared; it is told if that cannot be read.
  ///
  /// In a reader's scope.
  private func clearedRecord(_ entry: IndexEntry, _ hasReadAll: inout Bool) -> ClearedRecord? {
    let found: FoundRecord?
    do throws(SedimentError) {
      found = try reader.record(at: entry.position << 3)
    } catch {
      hasReadAll = false
      return nil
    }
    guard let found else { return nil }
    defer { found.release() }
    guard reader.isCleared(found), found.view.isIntact(at: found.position, seed: found.segment.seed) else {
      return nil
    }
    return ClearedRecord(segment: found.segment, byteCount: found.view.byteCount, place: found.place)
  }
}
