internal import CSediment
internal import SedimentFormat
internal import Synchronization

/// How far a walk through the records of a collection has come.
struct RecordWalk {
  fileprivate var index = IndexWalk()
  fileprivate let clearedAt: UInt64
}

extension Reader {
  /// Calls `body` with the visible records of a collection until it says stop, each key that is there the whole time
  /// just once, in no order.
  ///
  /// `body` runs in a reader's scope, without the lock, so it may read and write. A record that is damaged ends it, unless
  /// `damage` passes over its error.
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
    return RecordWalk(clearedAt: state.clearedAt.load(ordering: .acquiring))
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
      return try visit(walk.index.entries, state, damage, body)
    case .rebuilt:
      // Everything was cleared meanwhile, and what is there now is new; or else, which hardly ever happens, the
      // index was built anew, and there is no telling what was visited.
      return state.clearedAt.load(ordering: .acquiring) == walk.clearedAt
    case .ended:
      return false
    }
  }

  /// Visits the records of entries, whose memory is brought near some time before.
  private func visit(
    _ entries: [IndexEntry], _ state: CollectionState, _ damage: (SedimentError) throws -> Void,
    _ body: (FoundRecord) throws -> Bool
  ) throws -> Bool {
    let ahead = 16
    for (place, entry) in entries.enumerated() {
      if place + ahead < entries.count { prefetch(entries[place + ahead]) }
      let position = entry.position << 3
      guard let found = try record(at: position) else {
        try damage(damaged(at: position))
        continue
      }
      defer { found.release() }
      guard found.view.collection == state.number else { continue }
      if options.verifiesReads, !found.view.isIntact(at: position, seed: found.segment.seed) {
        try damage(damaged(at: position))
        continue
      }
      guard isVisible(found, state) else { continue }
      if try !body(found) { return false }
      // Whoever closes the store waits for the one closure, and not for all that would follow.
      try lifetime.check()
    }
    return true
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

  /// Notes how long records are on the average: so many bytes are brought near of one that is about to be read.
  func notePrefetch(liveByteCount: Int) {
    let average = liveByteCount / max(collections.keyCount, 1)
    prefetchByteCount.store(min(max(average, Self.prefetchByteCountMin), 2048), ordering: .relaxed)
  }

  static var prefetchByteCountMin: Int { 192 }

  /// Calls `body` with keys and values.
  @usableFromInline
  func forEach(
    _ state: CollectionState, _ body: (RawSpan, RawSpan) throws -> Bool
  ) throws {
    try forEachRecord(state) { found in
      let value = try value(of: found.borrowed)
      defer { value.release() }
      return try unsafe body(RawSpan(_unsafeBytes: found.view.key), RawSpan(_unsafeBytes: value.bytes))
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
        try failed(error)
        return true
      }
      defer { value.release() }
      try unsafe body(RawSpan(_unsafeBytes: found.view.key), RawSpan(_unsafeBytes: value.bytes))
      return true
    }
  }

  /// Calls `body` with the keys that begin with a prefix.
  @usableFromInline
  func forEachKey(
    _ state: CollectionState, prefix: RawSpan, _ body: (RawSpan) throws -> Bool
  ) throws {
    try forEachRecord(state) { found in
      try !found.view.hasPrefix(prefix) || body(unsafe RawSpan(_unsafeBytes: found.view.key))
    }
  }

  /// How many keys a collection has.
  ///
  /// Takes time in proportion to them only if some of them expire.
  @usableFromInline
  func count(_ state: CollectionState) throws(SedimentError) -> Int {
    try lifetime.check()
    if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
    if state.expiringCount == 0 { return state.keyCount }
    var count = 0
    do {
      try forEachRecord(state) { _ in
        count += 1
        return true
      }
    } catch {
      throw error as! SedimentError
    }
    return count
  }
}
