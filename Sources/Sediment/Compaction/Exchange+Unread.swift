internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// Segments that are freed without being read: all of their puts have expired for good, or are dead.

extension Exchange {
  /// Whether a victim can be freed as it is; the exchange is told so.
  func canFreeUnread(_ entry: SegmentEntry) -> Bool {
    guard entry.largeCount == 0, needsNoTombstones(of: entry) else { return false }
    let (isDead, isLive) = writer.withLock { writer -> (Bool, Bool) in
      guard let segment = slots.segment(at: UInt64(entry.identity.run.first)),
        segment.counts(writer.permit).liveCount > 0
      else {
        return (true, false)
      }
      let hasExpired =
        entry.latestExpiry != 0 && entry.latestExpiry <= terms.expiredUpTo
        && isAllOfOneCollection(since: entry.base, writer)
      return (hasExpired, hasExpired)
    }
    // Only what the index leads to has to be looked for there.
    if isLive { unread.append(entry) }
    return isDead
  }

  /// Whether all that the index leads to are dictionaries and keys of the collection without a name, and none was
  /// cleared in segments that begin after a sequence: then it need not be read whose keys go.
  private func isAllOfOneCollection(since base: SequenceNumber, _ writer: borrowing LogWriter) -> Bool {
    let dictionaryCount = writer.catalogue.dictionaries.count
    return collections.defaultState.clearedAt.load(ordering: .relaxed) <= base.rawValue
      && collections.defaultState.keyCount + dictionaryCount == index.count
  }

  /// Takes out of the index what leads to segments that were not read, after their change was appended.
  func forgetUnread() {
    let bounds = unread.map { entry in
      let units = entry.identity.run.unitRange
      return units.lowerBound.rawValue..<units.upperBound.rawValue
    }
    if bounds.isEmpty { return }
    let unreadPosition = { (entry: IndexEntry) in
      bounds.contains { $0.contains(entry.position) } ? entry.position : nil
    }
    contents.forgetEntries(unreadPosition, while: { true }) { position, writer in
      slots.segment(at: position / Limits.slotUnitCount)?.counts(writer.permit).liveCount -= 1
      // Cleared meanwhile, they are counted no more.
      if collections.defaultState.clearedAt.load(ordering: .relaxed) > terms.floor.rawValue {
        return
      }
      // All of the segment's puts expire, and nobody else has keys in it.
      writer.catalogue.numbers.totals.expiredCount &+= 1
      collections.defaultState.count(-1, expiring: true, writer.permit)
    }
    writer.withLock { writer in forgetBytes(unread, &writer) }
  }

  /// What is left of their bytes now is of the entries that were taken out.
  private func forgetBytes(_ entries: [SegmentEntry], _ writer: inout LogWriter) {
    for entry in entries {
      guard let segment = slots.segment(at: UInt64(entry.identity.run.first)) else { continue }
      let counts = segment.counts(writer.permit)
      writer.liveByteCount -= counts.liveByteCount
      counts.liveByteCount = 0
    }
  }
}
