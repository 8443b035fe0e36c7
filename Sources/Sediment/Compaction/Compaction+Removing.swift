internal import SedimentFormat
internal import Synchronization

// How a key is removed from a store that has no room for a tombstone.

extension Compaction {
  /// Removes a key by moving all other records of its segment away; nil if its record is another one meanwhile, or
  /// there is no room even for that.
  mutating func remove(
    _ key: RawSpan, _ state: CollectionState, if condition: WriteCondition
  ) throws(SedimentError) -> Bool? {
    try log.syncAndReclaim()
    guard let found = try find(key, state, condition) else { return nil }
    if found.isNeeded { try log.checkpoint(both: true) }
    if LogWriter.isLong(keyOf: key.byteCount) {
      try emptyGuards(below: found.sequence, but: found.generation)
    }
    let exchanged = try exchange(
      [found.generation], in: try surveySpace(), winning: 0, evenForNothing: true,
      removing: found.position >> 3)
    return exchanged.hasRemoved ? found.isVisible : nil
  }

  /// The record of a key for which a condition holds, and whether a superblock needs its segment; nil if there is none.
  private func find(
    _ key: RawSpan, _ state: CollectionState, _ condition: WriteCondition
  ) throws(SedimentError)
    -> (position: UInt64, generation: Generation, sequence: UInt64, isVisible: Bool, isNeeded: Bool)?
  {
    try log.withWriter { (writer) throws(SedimentError) in
      if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
      var probe = index.view.probe(index.view.hash(key, collection: state.number))
      guard let old = try reader.locate(key, in: state.number, verifying: false, probe: &probe),
        let generation = Generation(old.segment.generation)
      else { return nil }
      defer { old.release() }
      let isVisible = reader.isVisible(old, state)
      if case .unchanged(let sequence) = condition, (isVisible ? old.sequence : 0) != sequence { return nil }
      if writer.tail.identity.generation == generation { try writer.goOnInAnotherSegment() }
      guard let entry = writer.catalogue.segments[generation] else { return nil }
      return (old.position, generation, old.sequence, isVisible, isBlocked(entry, writer))
    }
  }

  /// Empties all segments that may hold something which the tombstone of a sequence would have to hide, so that its
  /// record can go without one.
  func emptyGuards(below sequence: UInt64, but generation: Generation) throws(SedimentError) {
    while true {
      _ = try freeDead()
      try log.syncAndReclaim()
      let owner = writer.withLock { writer -> SegmentEntry? in
        let guardFloor = self.guardFloor(emptying: 1, writer)
        guard !guardFloor.allowsDropping(SequenceNumber(sequence)!, of: generation) else { return nil }
        return guardFloor.owner(besides: generation).flatMap { writer.catalogue.segments[$0] }
      }
      guard let owner else { return }
      if writer.withLock({ writer in isBlocked(owner, writer) }) { try log.checkpoint(both: true) }
      let won = try exchange(
        [owner.identity.generation], in: try surveySpace(), winning: 0, evenForNothing: true
      ).won
      if won <= 0 { return }
    }
  }
}
