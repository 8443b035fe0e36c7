internal import SedimentFormat
internal import Synchronization

// Segments that are freed without being read: all of their puts have expired for good, or are dead.

extension Engine {
  /// Whether a victim can be freed as it is; the exchange is told so.
  func canFreeUnread(_ entry: SegmentEntry, _ exchange: Exchange) -> Bool {
    guard entry.largeCount == 0, exchange.needsNoTombstones(of: entry) else { return false }
    let liveCount = lock.withLock { slots.segment(at: UInt64(entry.identity.run.first))?.liveCount ?? 0 }
    if liveCount > 0 {
      guard entry.latestExpiry != 0, entry.latestExpiry <= exchange.terms.expiredUpTo,
        hasOneCollection(since: entry.base)
      else { return false }
    }
    exchange.unread.append(entry)
    return true
  }

  /// Whether all keys are in the collection without a name, and none of them was cleared, so that it need not be read
  /// whose keys go.
  private func hasOneCollection(since base: SequenceNumber) -> Bool {
    defaultState.clearedAt.load(ordering: .acquiring) <= base.rawValue
      && collections.all.allSatisfy { $0.number == 0 || $0.keyCount == 0 }
  }

  /// Takes out of the index what leads to segments that were not read, after their change was appended.
  func forgetUnread(_ exchange: Exchange, _ writer: LogWriter) {
    let bounds = exchange.unread.map { entry in
      let units = entry.identity.run.unitRange
      return units.lowerBound.rawValue..<units.upperBound.rawValue
    }
    if bounds.isEmpty { return }
    var prefix: UInt64? = 0
    var entries: [IndexEntry] = []
    while let from = prefix {
      entries.removeAll(keepingCapacity: true)
      Readers.enter(domain)
      let view = index.view
      prefix = view.copyEntries(from: from, into: &entries)
      let keyHash = view.keyHash
      let found = entries.filter { entry in bounds.contains { $0.contains(entry.position) } }
        .map { (position: $0.position, hash: view.hash(of: $0, from: from)) }
      Readers.leave()
      var rest = found[...]
      while !rest.isEmpty {
        let group = rest.prefix(64)
        rest = rest.dropFirst(64)
        let isSame = lock.withLock {
          guard index.view.keyHash == keyHash else { return false }
          for (position, hash) in group { forgetUnread(position, hash, writer) }
          return true
        }
        // Built anew meanwhile, the index is gone through again from its beginning.
        if !isSame {
          prefix = 0
          break
        }
      }
    }
    lock.withLock { forgetBytes(exchange.unread, writer) }
  }

  private func forgetUnread(_ position: UInt64, _ hash: UInt64, _ writer: LogWriter) {
    guard let (probe, _) = index.view.find(hash, at: position) else { return }
    index.remove(probe)
    slots.segment(at: position / Limits.slotUnitCount)?.liveCount -= 1
    writer.expiredCount &+= 1
    // All of the segment's puts expire, and nobody else has keys.
    defaultState.count(-1, expiring: true)
  }

  /// What is left of their bytes now is of the entries that were taken out.
  private func forgetBytes(_ entries: [SegmentEntry], _ writer: LogWriter) {
    for entry in entries {
      guard let segment = slots.segment(at: UInt64(entry.identity.run.first)) else { continue }
      writer.liveByteCount -= segment.liveByteCount
      segment.liveByteCount = 0
    }
  }
}
