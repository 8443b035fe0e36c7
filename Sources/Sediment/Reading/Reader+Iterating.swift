internal import CSediment
internal import SedimentFormat
internal import Synchronization

/// How far a walk through the records of a collection has come.
struct RecordWalk {
  fileprivate var index: IndexWalk
  fileprivate let clearedAt: UInt64
  /// Whether records come, too, that have expired.
  var includesExpired = false
  /// Whether the index was built anew meanwhile, so that some may have come twice.
  fileprivate(set) var wasRebuilt = false
}

extension Reader {
  /// Calls `body` with the visible records of a collection until it says stop, each key that is there the whole time
  /// just once, in no order.
  ///
  /// `body` runs in a reader's scope, without the lock, and calls code of a user only by `lend`. A record that is damaged
  /// ends the walk, unless `damage`, which runs outside the scope, passes over its error.
  func forEachRecord(
    _ state: CollectionState, damage: (SedimentError) throws -> Void = { throw $0 },
    _ body: (FoundRecord) throws -> Bool
  ) throws {
    var walk = try beginWalk(state)
    while try visitNext(&walk, state, damage: damage, body) {}
  }

  /// Begins what `visitNext` goes on with.
  func beginWalk(_ state: CollectionState) throws(SedimentError) -> RecordWalk {
    try lifetime.check()
    if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
    try completeIndex()
    return RecordWalk(
      index: IndexWalk(of: CollectionTags(state.number)),
      clearedAt: state.clearedAt.load(ordering: .acquiring))
  }

  /// Calls `body` with the visible records of a few neighbours in the index; false at the end, or if it said stop.
  func visitNext(
    _ walk: inout RecordWalk, _ state: CollectionState,
    damage: (SedimentError) throws -> Void = { throw $0 }, _ body: (FoundRecord) throws -> Bool
  ) throws -> Bool {
    try enterReading()
    defer { Readers.leave() }
    switch walk.index.advance(in: index.view) {
    case .entries:
      return try visit(walk, state, damage, body)
    case .rebuilt:
      // Everything was cleared meanwhile, and what is there now is new; or else, which hardly ever happens, the
      // index was built anew, and there is no telling what was visited.
      walk.wasRebuilt = true
      return state.clearedAt.load(ordering: .acquiring) == walk.clearedAt
    case .ended:
      return false
    }
  }

  /// Visits the records of a walk's entries, whose memory is brought near some time before.
  ///
  /// Once something was unlinked while code of a user ran, records may have been moved or freed: from then on the index is
  /// asked for each entry anew.
  private func visit(
    _ walk: RecordWalk, _ state: CollectionState, _ damage: (SedimentError) throws -> Void,
    _ body: (FoundRecord) throws -> Bool
  ) throws -> Bool {
    let entries = walk.index.entries
    let ahead = 16
    let epoch = Readers.epoch(in: domain)
    var isStale = false
    // Records that were visited elsewhere than where their entry said.
    var others: Set<UInt64> = []
    for (place, entry) in entries.enumerated() {
      if place + ahead < entries.count { prefetch(entries[place + ahead]) }
      isStale = isStale || Readers.epoch(in: domain) != epoch
      if !isStale || isCurrent(entry, of: walk.index) {
        guard try visit(entry.position << 3, of: walk, state, damage, body) else { return false }
        continue
      }
      for position in otherPositions(for: entry, of: walk.index) where others.insert(position).inserted {
        guard try visit(position << 3, of: walk, state, damage, body) else { return false }
      }
    }
    return true
  }

  /// Visits the record at a position that the index named in this scope.
  @inline(__always)
  private func visit(
    _ position: UInt64, of walk: RecordWalk, _ state: CollectionState,
    _ damage: (SedimentError) throws -> Void, _ body: (FoundRecord) throws -> Bool
  ) throws -> Bool {
    guard let found = try record(at: position) else { return try pass(position, damage) }
    defer { found.release() }
    guard found.view.collection == state.number else { return true }
    if options.verifiesReads, !found.view.isIntact(at: position, seed: found.segment.seed) {
      return try pass(position, damage)
    }
    guard walk.includesExpired ? state.counts(found.sequence) : isVisible(found, state) else { return true }
    if try !body(found) { return false }
    // Whoever closes the store waits for the one closure, and not for all that would follow.
    try lifetime.check()
    return true
  }

  /// Tells of a damaged record, and passes over it.
  private func pass(_ position: UInt64, _ damage: (SedimentError) throws -> Void) throws -> Bool {
    try lend { try damage(damaged(at: position)) }
    try lifetime.check()
    return true
  }

  /// Whether the index still leads to the record of an entry, by an entry that was copied in another scope.
  private func isCurrent(_ entry: IndexEntry, of walk: IndexWalk) -> Bool {
    let view = index.view
    return view.keyHash == walk.keyHash
      && view.find(view.hash(of: entry, from: walk.from), at: entry.position) != nil
  }

  /// Where records lie that may be of the key of an entry which is no longer in the index, because the key was set again or
  /// its record was moved: all that agree with the hash, but for those that the walk has entries of.
  ///
  /// None if the index was built anew, since the walk begins again then. Two keys of one hash, as far as the index keeps it,
  /// whose records are both moved while the walk is at them may come twice.
  private func otherPositions(for entry: IndexEntry, of walk: IndexWalk) -> [UInt64] {
    let view = index.view
    guard view.keyHash == walk.keyHash else { return [] }
    var positions: [UInt64] = []
    var probe = view.probe(view.hash(of: entry, from: walk.from))
    while let found = probe.next() {
      if !walk.entries.contains(where: { $0.position == found.position }) { positions.append(found.position) }
    }
    return positions
  }

  /// Begins to bring a record near that an entry leads to, as far as records are long on the average.
  @inline(__always)
  func prefetch(_ entry: IndexEntry) {
    let position = entry.position &<< 3
    if position < volume.mappedByteCount {
      unsafe prefetch(from: volume.base + Int(truncatingIfNeeded: position))
    }
  }

  /// The same for a record that begins at an address.
  @inline(__always)
  func prefetch(from start: UnsafeRawPointer) {
    unsafe sediment_prefetch(start)
    unsafe sediment_prefetch(start + 64)
    unsafe sediment_prefetch(start + 128)
    let count = prefetchByteCount.load(ordering: .relaxed)
    var offset = Self.prefetchByteCountMin
    while offset < count {
      unsafe sediment_prefetch(start + offset)
      offset &+= 64
    }
  }

  /// Begins to bring near what a record says of itself before its key.
  @inline(__always)
  func prefetchHead(_ entry: IndexEntry) {
    let position = entry.position &<< 3
    if position < volume.mappedByteCount { unsafe sediment_prefetch(volume.base + Int(position)) }
  }

  /// Notes the average length of records, by which is chosen how many bytes of a record are prefetched, and how many are
  /// read by the first call where records are read by calls.
  func noteRecordLength(liveByteCount: Int) {
    let average = liveByteCount / max(collections.keyCount, 1)
    prefetchByteCount.store(min(max(average, Self.prefetchByteCountMin), 2048), ordering: .relaxed)
    // Most records are not longer than half as much again.
    let guessed = (average + average / 2 + 255) / 256 * 256
    callByteCount.store(min(max(guessed, Self.callByteCountMin), 64 << 10), ordering: .relaxed)
  }

  static var callByteCountMin: Int { 512 }
  /// The most bytes that the first call reads for a change: a page, which the system reads in any case.
  static var changeByteCountMax: Int { 4096 }

  static var prefetchByteCountMin: Int { 192 }

  /// Calls `body` with keys and values.
  @usableFromInline
  func forEach(
    _ state: CollectionState, _ body: (RawSpan, RawSpan) throws -> Bool
  ) throws {
    try forEachRecord(state) { found in
      let value = try value(of: found.borrowed)
      defer { value.release() }
      return try lend(found, value) {
        try unsafe body(RawSpan(_unsafeBytes: found.view.key), RawSpan(_unsafeBytes: value.bytes))
      }
    }
  }

  /// Calls `body` with the keys and values that can be read, and `failed` with the error of each record that cannot.
  func forEachReadable(
    _ state: CollectionState, _ body: (RawSpan, RawSpan) throws -> Void,
    _ failed: (SedimentError) throws -> Void
  ) throws {
    try forEachRecord(state, damage: failed) { found in
      let value: FoundValue
      do throws(SedimentError) {
        value = try self.value(of: found.borrowed)
      } catch {
        guard error.code == .damaged || error.isOfUnreadable else { throw error }
        try lend { try failed(error) }
        return true
      }
      defer { value.release() }
      try lend(found, value) {
        try unsafe body(RawSpan(_unsafeBytes: found.view.key), RawSpan(_unsafeBytes: value.bytes))
      }
      return true
    }
  }

  /// Calls `body` with the keys that begin with a prefix.
  @usableFromInline
  func forEachKey(
    _ state: CollectionState, prefix: RawSpan, _ body: (RawSpan) throws -> Bool
  ) throws {
    try forEachRecord(state) { found in
      guard found.view.hasPrefix(prefix) else { return true }
      return try lend(found) { try body(unsafe RawSpan(_unsafeBytes: found.view.key)) }
    }
  }
}
