internal import SedimentFormat

/// What a stored index says by its accounts, summed up: no record is read for it.
struct StoredAccounts {
  /// What the parts lead to in each segment, by the segments' numbers.
  private(set) var live: [IndexBuildResult.Live]
  /// The keys of each collection.
  private(set) var collections: [UInt32: IndexBuildResult.Keys] = [:]
  /// The collections that were cleared since, and to whose records entries lead.
  private(set) var clearedCollections = CollectionTags.none
  /// The segments that hold nothing but what was cleared with everything: it need not come back to be swept out.
  private(set) var cleared: Set<Generation> = []

  /// By the head of the last part; nil if that counts more than a segment can hold.
  ///
  /// What lives in the hot and survivors segments of a catalogue is counted by their numbers in `segments`, which are in
  /// the order of their generations.
  init?(
    _ head: IndexPartHead, _ coverage: IndexCoverage, of segments: [SegmentEntry], in catalogue: Catalogue
  ) {
    live = Array(repeating: IndexBuildResult.Live(), count: segments.count)
    if catalogue.numbers.everythingClearedAt > head.sequence {
      let kept = head.accounts.filter { $0.collection >= CollectionEntry.systemNumberMin }
      cleared = Set(head.accounts.map(\.generation)).subtracting(kept.map(\.generation))
    }
    for account in head.accounts {
      let number = segments.firstIndexByHalving { $0.identity.generation >= account.generation }
      // Of a segment that is gone, or of which the parts do not know all, nothing counts.
      guard account.generation < coverage.common.generationLimit, !cleared.contains(account.generation),
        number < segments.count, segments[number].identity.generation == account.generation
      else { continue }
      let (records, isTooMany) = live[number].recordCount.addingReportingOverflow(account.recordCount)
      let (bytes, isTooLong) = live[number].byteCount.addingReportingOverflow(account.byteCount)
      if isTooMany || isTooLong || bytes > UInt64(segments[number].identity.run.byteRange.count) {
        return nil
      }
      live[number] = IndexBuildResult.Live(recordCount: records, byteCount: bytes)
      let deadUpTo = catalogue.deadUpTo(collection: account.collection)
      if let deadUpTo, deadUpTo <= head.sequence {
        collections[account.collection, default: IndexBuildResult.Keys()].add(account)
      } else {
        clearedCollections.formUnion(CollectionTags(account.collection))
      }
    }
  }

  /// How many entries of the parts count.
  var entryCount: UInt64 { live.reduce(0) { $0 + UInt64($1.recordCount) } }

  /// Whether as many entries as was said lead to each segment.
  func agree(with counts: [UInt32]) -> Bool {
    live.count == counts.count && zip(live, counts).allSatisfy { $0.recordCount == $1 }
  }
}

extension IndexBuildResult.Keys {
  fileprivate mutating func add(_ account: IndexAccount) {
    count &+= UInt64(account.recordCount)
    expiringCount &+= UInt64(account.expiringCount)
    extentSlotCount &+= UInt64(account.extentSlotCount)
  }
}
