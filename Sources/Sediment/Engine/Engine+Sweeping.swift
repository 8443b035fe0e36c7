internal import SedimentFormat
internal import Synchronization

extension Engine {
  /// Takes entries out of the index that lead to records of collections that were cleared or dropped.
  func sweep() {
    guard let writer else { return }
    forgetEntries(where: isCleared, while: { !conditions.isClosed && !isForked }) { entry in
      guard let old = try? record(at: entry.position << 3) else { return }
      defer { old.release() }
      old.segment.liveByteCount -= old.view.byteCount
      old.segment.liveCount -= 1
      writer.liveByteCount -= old.view.byteCount
      noteDead(old, writer)
    }
    lock.withLock { planMaintenance() }
  }

  /// Whether an entry leads to a record that was cleared.
  ///
  /// In a reader's scope.
  private func isCleared(_ entry: IndexEntry) -> Bool {
    guard let found = try? record(at: entry.position << 3) else { return false }
    defer { found.release() }
    guard let state = collections.numbered(found.view.collection) else {
      return found.view.collection < CollectionEntry.systemNumberMin
        && found.view.isIntact(at: found.position, seed: found.segment.seed)
    }
    let clearedAt = state.clearedAt.load(ordering: .acquiring)
    return clearedAt != 0 && found.sequence <= clearedAt
      && found.view.isIntact(at: found.position, seed: found.segment.seed)
  }
}
