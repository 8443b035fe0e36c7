internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// Finds keys by the index and reads their records; it takes no lock.
@usableFromInline
@safe
final class Reader: @unchecked Sendable {
  // Unchecked: constants and atomics.
  let path: String
  let options: SedimentOptions
  let disk: any Disk
  let volume: Volume
  let index: HashIndex
  /// What the index lacked when the store was opened; nil if that was nothing.
  let filling: IndexFilling?
  let slots: SlotTable
  let domain: ReaderDomain
  let retired: RetiredList
  let collections: CollectionTable
  let dictionaries: DictionaryTable
  let lifetime: Lifetime
  let pins = Pins()
  let background: Background
  /// Whether what was not read lately makes room for what is new.
  let evicts: Bool
  /// Tells when holds of readers have ended that keep freed slots, or the file.
  let holdEnds: HoldEnds
  /// The batch whose changes the index is being told: the address of a `BatchChanges`, or 0.
  let publishedBatch = Atomic<UInt>(0)
  /// How often a record was read from the window.
  let windowReads = Atomic<Int>(0)
  /// How many bytes of a record to bring near before it is known how long it is.
  let prefetchByteCount = Atomic<Int>(prefetchByteCountMin)
  /// How many bytes the first call reads of a record whose length is not known.
  let callByteCount = Atomic<Int>(callByteCountMin)

  init(_ opened: OpenedStore, _ options: SedimentOptions, _ disk: any Disk, _ background: Background) {
    path = background.lifetime.path
    self.options = options
    self.disk = disk
    volume = opened.volume
    index = opened.index
    filling = opened.filling
    slots = opened.slots
    domain = opened.domain
    retired = opened.retired
    collections = opened.collections
    dictionaries = DictionaryTable()
    lifetime = background.lifetime
    self.background = background
    evicts = options.capacity.evicts
    let maintainsItself = options.compaction == .automatic
    holdEnds = HoldEnds(domain) { if maintainsItself { background.schedule(.maintain) } }
  }

  /// Begins a reader's scope, to be ended with `Readers.leave`; throws, in none, if the store cannot be read.
  ///
  /// It asks within the scope, since a close waits for those that began before it.
  @inline(__always)
  func enterReading() throws(SedimentError) {
    Readers.enter(domain)
    if !lifetime.isUsable { throw leaveUnusable() }
  }

  @inline(never)
  private func leaveUnusable() -> SedimentError {
    Readers.leave()
    return lifetime.whyUnusable
  }
}

extension Reader {
  /// Finds the value of a key; if there is one, the reading goes on until `endReading`.
  @usableFromInline
  func beginReading(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> FoundValue? {
    var expiry: UInt64 = 0
    return try begin(key, state, lending: false, takingExpiry: false, &expiry)
  }

  /// Finds the value of a key, and when it expires, 0 for never; if there is one, the reading goes on until `endReading`.
  @usableFromInline
  func beginReading(
    _ key: RawSpan, _ state: CollectionState, expiry: inout UInt64
  ) throws(SedimentError) -> FoundValue? {
    try begin(key, state, lending: false, takingExpiry: true, &expiry)
  }

  /// Finds the value of a key for code of a user; if there is one, its slots are held until `endLending`.
  @usableFromInline
  func beginLending(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> FoundValue? {
    var expiry: UInt64 = 0
    return try begin(key, state, lending: true, takingExpiry: false, &expiry)
  }

  /// Finds the value of a key, and when it expires, for code of a user; if there is one, its slots are held until
  /// `endLending`.
  @usableFromInline
  func beginLending(
    _ key: RawSpan, _ state: CollectionState, expiry: inout UInt64
  ) throws(SedimentError) -> FoundValue? {
    try begin(key, state, lending: true, takingExpiry: true, &expiry)
  }

  // A part of each of these functions: a call takes 24 instructions more for each reading.
  @inline(always)
  private func begin(
    _ key: RawSpan, _ state: CollectionState, lending: Bool, takingExpiry: Bool, _ expiry: inout UInt64
  ) throws(SedimentError) -> FoundValue? {
    try enterReading()
    let view = index.view
    let search = KeySearch(view.home(key, collection: state.number))
    if let found = recordInPlace(key, search.place, state) {
      if isWhole(found) {
        if takingExpiry { expiry = found.view.expiry }
        if lending { Readers.exchangeScope(domain, forHoldOn: found.slot) }
        return unsafe FoundValue(found.view.value, owner: nil)
      }
    } else if isMissing(search, state) {
      Readers.leave()
      return nil
    }
    guard let found = try beginReadingAnew(key, state) else { return nil }
    expiry = found.expiry
    if lending { lend(found.value) }
    return found.value
  }

  /// The value of a key as bytes of its own; nil if it has none.
  @usableFromInline
  func bytes(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> [UInt8]? {
    try enterReading()
    defer { Readers.leave() }
    let view = index.view
    let search = KeySearch(view.home(key, collection: state.number))
    if let found = recordInPlace(key, search.place, state) {
      if isWhole(found) { return unsafe Self.copy(found.view.value) }
    } else if isMissing(search, state) {
      return nil
    }
    guard let found = try findRecord(key, state) else { return nil }
    if found.view.isTransformed { return try unpackedBytes(of: found) }
    let value = try value(of: found)
    defer { value.release() }
    return unsafe Self.copy(value.bytes)
  }

  @inline(__always)
  private static func copy(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](sedimentBytes: unsafe RawSpan(_unsafeBytes: bytes))
  }

  /// Searches for what no record in place answered; the reader's scope ends unless a value is returned.
  @inline(never)
  private func beginReadingAnew(
    _ key: RawSpan, _ state: CollectionState
  ) throws(SedimentError) -> (value: FoundValue, expiry: UInt64)? {
    do throws(SedimentError) {
      if let found = try findRecord(key, state) {
        let expiry = found.view.expiry
        return (try value(of: found), expiry)
      }
    } catch {
      Readers.leave()
      throw error
    }
    Readers.leave()
    return nil
  }

  /// Ends the reading of a value that `beginReading` found; the call takes what it needs of it.
  @inlinable @inline(__always)
  func endReading(_ value: FoundValue) { endReading(ofMemory: value.owner) }

  @usableFromInline
  func endReading(ofMemory owner: UInt) {
    FoundValue.release(owner)
    Readers.leave()
  }

  /// The record that a key is there by: neither removed nor cleared nor expired.
  @inline(__always)
  func findRecord(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> FoundRecord? {
    let view = index.view
    return try findRecord(key, view.hash(key, collection: state.number), in: view, state)
  }

  /// The same for a key whose hash in the view is known.
  @inline(__always)
  func findRecord(
    _ key: RawSpan, _ hash: UInt64, in view: IndexView, _ state: CollectionState
  ) throws(SedimentError) -> FoundRecord? {
    var probe = view.probe(hash)
    if probe.isUnfilled { return try findFilling(key, state) }
    let found = try locate(
      key, in: state.number, verifying: options.verifiesReads, probe: &probe)
    // Whoever sees an entry of a batch that is being told to the index sees this, too.
    SchedulePoint.reach(.reading)
    let pending = publishedBatch.load(ordering: .acquiring)
    if pending != 0 {
      return try visible(try beforeBatch(pending, key, probe.hash, state.number, found), state, probe)
    }
    return try visible(found, state, probe)
  }

  /// A record if its key is there by it.
  private func visible(
    _ found: FoundRecord?, _ state: CollectionState, _ probe: IndexProbe
  ) throws(SedimentError) -> FoundRecord? {
    if let found, isVisible(found, state) {
      if evicts { probe.setReference() }
      return found
    }
    found?.release()
    if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
    return nil
  }

  /// Whether a record was neither cleared nor has it expired.
  @inline(__always)
  func isVisible(_ found: FoundRecord, _ state: CollectionState) -> Bool {
    isVisible(found.view, in: found.segment, state)
  }

  @inline(__always)
  func isVisible(_ record: RecordView, in segment: Segment, _ state: CollectionState) -> Bool {
    let clearedAt = state.clearedAt.load(ordering: .acquiring)
    if clearedAt != 0, segment.sequence(low: record.sequenceLow) <= clearedAt { return false }
    if record.isPlainPut { return true }
    let expiry = record.expiry
    return expiry == 0 || expiry > disk.wallClock()
  }

  /// The value that a record holds or leads to; takes over the record's memory.
  @inline(__always)
  func value(of found: FoundRecord) throws(SedimentError) -> FoundValue {
    if found.view.holdsValue {
      return unsafe FoundValue(found.view.value, owner: found.owner)
    }
    return try otherValue(of: found)
  }

  @inline(never)
  private func otherValue(of found: FoundRecord) throws(SedimentError) -> FoundValue {
    defer { found.release() }
    try checkLength(of: found)
    return found.view.isTransformed
      ? try unpackedValue(of: found)
      : try largeValue(of: found, verifying: options.verifiesReads)
  }

  /// Whether a key has a value.
  @usableFromInline
  func contains(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> Bool {
    try enterReading()
    defer { Readers.leave() }
    let view = index.view
    let search = KeySearch(view.home(key, collection: state.number))
    if let found = recordInPlace(key, search.place, state) {
      if isWhole(found) { return true }
    } else if isMissing(search, state) {
      return false
    }
    guard let found = try findRecord(key, state) else { return false }
    found.release()
    return true
  }

  /// When the value of a key expires, 0 for never; nil if it has none.
  @usableFromInline
  func expiry(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> UInt64? {
    try enterReading()
    defer { Readers.leave() }
    guard let found = try findRecord(key, state) else { return nil }
    defer { found.release() }
    return found.view.expiry
  }

  /// Whether a record was cleared since it was written.
  func isCleared(_ found: FoundRecord) -> Bool {
    guard let state = collections.numbered(found.view.collection) else {
      return found.view.collection < CollectionEntry.systemNumberMin
    }
    return !state.counts(found.sequence)
  }

  @usableFromInline
  func undecodable(_ type: Any.Type) -> SedimentError {
    .undecodable(path, type)
  }
}
