internal import SedimentFormat

extension Contents {
  /// Takes entries out of the index that lead to records of collections that were cleared or dropped, once it has all; it
  /// comes anew then.
  ///
  /// Looks at the index, and reads the records of which entries do not tell that they belong to others.
  func sweep() {
    guard let writer, reader.isIndexComplete else { return }
    let goesOn = { [lifetime] in lifetime.isUsable }
    let (clearingCount, collections) = writer.withLock { writer in
      (writer.plans.clearingCount, writer.plans.unsweptCollections)
    }
    var hasReadAll = true
    forgetEntries(of: collections, { clearedRecord($0, &hasReadAll) }, while: goesOn) { record, writer in
      writer.noteDead(record.segment, byteCount: record.byteCount)
      noteDeadExtents(record.place, of: nil, &writer)
    }
    writer.withLock { writer in
      // What a failed call has hidden is left to the next sweep.
      if goesOn(), hasReadAll {
        writer.plans.sweptClearingCount = max(writer.plans.sweptClearingCount, clearingCount)
        if !writer.plans.isToBeSwept { writer.plans.unsweptCollections = .none }
      }
      background.planMaintenance(&writer)
    }
  }

  /// Sweeps at once if there is anything to sweep, for those who cannot wait until the background has.
  func sweepAtOnce() {
    if writer?.withLock({ writer in writer.plans.isToBeSwept }) ?? false { sweep() }
  }

  /// What the accounts need to know of the record that an entry leads to, with the place of a large value, if it was
  /// cleared; it is told if that cannot be read.
  ///
  /// In a reader's scope.
  private func clearedRecord(
    _ entry: IndexEntry, _ hasReadAll: inout Bool
  ) -> (segment: Segment, byteCount: Int, place: ValuePlace?)? {
    let found: FoundRecord?
    do throws(SedimentError) {
      found = try reader.record(at: entry.position << 3)
    } catch {
      hasReadAll = false
      return nil
    }
    guard let found else { return nil }
    defer { found.release() }
    guard reader.isCleared(found),
      found.view.isIntact(at: found.position, seed: found.segment.seed)
        || isClearedThoughDamaged(found, entry)
    else { return nil }
    return (found.segment, found.view.byteCount, found.place)
  }

  /// Whether a damaged record certainly was cleared, so that a clearing ends the damage as a set of its key does.
  ///
  /// Its entry has bits of the hash of its key and collection, which tell that these are as they were written. Its
  /// sequence may not be, but is none above the highest of its segment.
  private func isClearedThoughDamaged(_ found: FoundRecord, _ entry: IndexEntry) -> Bool {
    let (view, collection) = (index.view, found.view.collection)
    let hash = view.hash(unsafe RawSpan(_unsafeBytes: found.view.key), collection: collection)
    guard view.hashBits(of: hash) == entry.hashBits else { return false }
    guard let state = reader.collections.numbered(collection) else { return true }
    let segment = writer?.withLock { writer in
      Generation(found.segment.generation).flatMap { writer.catalogue.segments[$0] }
    }
    guard let segment, segment.end != nil else { return false }
    return !state.counts(segment.highest.rawValue)
  }

  // MARK: Any entries

  /// How many entries go while the lock is held once.
  private static var forgottenCountMax: Int { 64 }

  /// Takes the entries of collections out of the index that a test tells to be dead, however many there are, while others
  /// use it.
  ///
  /// The test is made without the lock; nil from it says that an entry stays. With the writer, a few at a time, those
  /// entries go that are still there, after `account` has been called with what the test told of each. All of this is
  /// in one reader's scope, in which no position is given to another record: an entry that is still there is the one
  /// that was tested. It ends early when `goesOn` says so, which is asked with and without the lock.
  func forgetEntries<Dead>(
    of collections: CollectionTags, _ test: (IndexEntry) -> Dead?, while goesOn: () -> Bool,
    _ account: (Dead, inout LogWriter) -> Void
  ) {
    guard let writer else { return }
    var walk = IndexWalk(of: collections)
    while goesOn() {
      let hasEnded = Readers.reading(domain) {
        let view = index.view
        switch walk.advance(in: view) {
        case .ended: return true
        case .rebuilt: return false
        case .entries:
          let dead = walk.entries.compactMap { entry in
            test(entry).map {
              (position: entry.position, hash: view.hash(of: entry, from: walk.from), dead: $0)
            }
          }
          forget(dead, of: walk.keyHash, writer, while: goesOn, account)
          return false
        }
      }
      if hasEnded { return }
    }
  }

  private func forget<Dead>(
    _ dead: [(position: UInt64, hash: UInt64, dead: Dead)], of keyHash: KeyHash?, _ writer: Locked<LogWriter>,
    while goesOn: () -> Bool, _ account: (Dead, inout LogWriter) -> Void
  ) {
    var rest = dead[...]
    while !rest.isEmpty {
      let group = rest.prefix(Self.forgottenCountMax)
      rest = rest.dropFirst(Self.forgottenCountMax)
      let isSame = writer.withLock { writer in
        guard index.view.keyHash == keyHash else { return false }
        guard goesOn() else { return true }
        for (position, hash, dead) in group {
          guard let (probe, _) = index.view.find(hash, at: position) else { continue }
          account(dead, &writer)
          index.remove(probe, writer.permit)
        }
        return true
      }
      // The next step finds that it was built anew.
      if !isSame { return }
    }
  }
}
