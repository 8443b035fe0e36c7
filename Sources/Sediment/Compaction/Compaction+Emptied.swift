internal import SedimentFormat

// Segments that are wholly dead: they are freed at once, unread, many by one small change of the catalogue.

extension Compaction {
  /// What came of freeing the segments that are wholly dead, in slots.
  struct Emptying {
    var freedSlotCount: UInt32 = 0
    /// What a superblock still needs, so that a checkpoint has to come first.
    var neededSlotCount: UInt32 = 0
  }

  /// Frees the dead extents and the segments that are wholly dead, as far as nothing needs them and there is room for
  /// saying so.
  ///
  /// No exchange may be under way: a segment whose survivors the index does not lead to yet looks dead.
  func freeDead() throws(SedimentError) -> Emptying {
    try log.withWriter { (writer) throws(SedimentError) in
      var result = Emptying(freedSlotCount: writer.deadExtentSlotCount)
      do throws(SedimentError) {
        _ = try log.freeDeadExtents(&writer)
        try freeEmptied(&writer, &result)
      } catch  where error.code == .outOfSpace {}
      return result
    }
  }

  private func freeEmptied(_ writer: inout LogWriter, _ result: inout Emptying) throws(SedimentError) {
    var plain: [SegmentIdentity] = []
    var withTombstones: [SegmentEntry] = []
    for entry in writer.emptiedSegments() {
      if writer.ledger.refused.contains(entry.identity.generation) { continue }
      // What it says of large values must outlive these.
      if entry.largeCount > 0, !writer.deadExtents.isEmpty || !hasSoughtExtents { continue }
      if isBlocked(entry, writer) {
        if entry.identity.kind == .hot { result.neededSlotCount += entry.identity.run.count }
      } else if entry.tombstoneCount > 0 {
        withTombstones.append(entry)
      } else {
        plain.append(entry.identity)
      }
    }
    var freed = plain + droppable(withTombstones, besides: plain, writer)
    while !freed.isEmpty {
      let part = Array(freed.prefix(Log.freedCountMax))
      freed.removeFirst(part.count)
      try log.free(part, &writer)
      result.freedSlotCount += part.reduce(0) { $0 + $1.run.count }
    }
  }

  /// Those of some dead segments whose tombstones hide nothing any more once others are freed (invariant 14).
  private func droppable(
    _ entries: [SegmentEntry], besides freed: [SegmentIdentity], _ writer: borrowing LogWriter
  ) -> [SegmentIdentity] {
    if entries.isEmpty { return [] }
    var guardFloor = self.guardFloor(emptying: freed.count, writer)
    for segment in freed { guardFloor.remove(segment.generation) }
    return entries.filter { guardFloor.allowsDropping($0.highest, of: $0.identity.generation) }.map(
      \.identity)
  }
}
