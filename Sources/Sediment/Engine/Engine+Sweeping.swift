internal import SedimentFormat
internal import Synchronization

extension Engine {
  /// Takes entries out of the index that lead to records of collections that were cleared or dropped.
  ///
  /// What is dead is found without the lock; each is taken out, a few at a time, if it is still there.
  func sweep() {
    var prefix: UInt64? = 0
    var entries: [IndexEntry] = []
    var seen: KeyHash?
    while let from = prefix, !conditions.isClosed, !isForked {
      entries.removeAll(keepingCapacity: true)
      Readers.enter(domain)
      let view = index.view
      if seen != nil, seen != view.keyHash {
        // It was built anew, in another order.
        Readers.leave()
        (prefix, seen) = (0, nil)
        continue
      }
      seen = view.keyHash
      prefix = view.copyEntries(from: from, into: &entries)
      let keyHash = view.keyHash
      let dead = entries.filter { isCleared($0) }.map { (entry: $0, hash: view.hash(of: $0, from: from)) }
      Readers.leave()
      var next = dead[...]
      while !next.isEmpty {
        let some = next.prefix(256)
        lock.withLock { remove(some, ifSeedIs: keyHash) }
        next = next.dropFirst(256)
      }
    }
    lock.withLock { planMaintenance() }
  }

  /// Whether an entry leads to a record that was cleared.
  ///
  /// In a reader's scope or under the lock.
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

  /// Takes entries out that are still as they were.
  ///
  /// Under the lock.
  private func remove(_ dead: ArraySlice<(entry: IndexEntry, hash: UInt64)>, ifSeedIs keyHash: KeyHash) {
    guard let writer, writer.poison == nil, !conditions.isClosed else { return }
    guard index.view.keyHash == keyHash else { return }
    for (entry, hash) in dead {
      var probe = index.view.probe(hash)
      while let found = probe.next() {
        guard found.position == entry.position else { continue }
        if let old = try? record(at: entry.position << 3) {
          old.segment.liveByteCount -= old.view.byteCount
          old.segment.liveCount -= 1
          writer.liveByteCount -= old.view.byteCount
          noteDead(old, writer)
          old.release()
        }
        index.remove(probe)
        break
      }
    }
  }
}
