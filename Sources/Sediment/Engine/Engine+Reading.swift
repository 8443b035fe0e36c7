internal import CSediment
internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// A value that was found: bytes in the mapped file or in memory of its own, until the reading ends.
@usableFromInline
@safe struct FoundValue {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  private let owner: UnsafeMutableRawPointer?
  /// Whether that is the thread's codec's.
  private let isLent: Bool

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, owner: UnsafeMutableRawPointer?, isLent: Bool = false) {
    unsafe self.bytes = unsafe bytes
    unsafe self.owner = unsafe owner
    self.isLent = isLent
  }

  /// Gives back the memory that it has.
  @inline(__always)
  func release() {
    if unsafe owner != nil { giveBack() }
  }

  @inline(never)
  private func giveBack() {
    guard let owner = unsafe owner else { return }
    if isLent {
      ZstdCodec.withCurrent { $0?.takeBack() }
    } else {
      unsafe owner.deallocate()
    }
  }
}

extension Engine {
  /// Finds the value of a key; if there is one, the reading goes on until `endReading`.
  @usableFromInline
  func beginReading(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> FoundValue? {
    try checkReadable()
    Readers.enter(domain)
    do throws(SedimentError) {
      if let found = try findRecord(key, state) { return try value(of: found) }
    } catch {
      Readers.leave()
      throw error
    }
    Readers.leave()
    return nil
  }

  /// The same, with when the value expires: 0 for never.
  @usableFromInline
  func beginReading(
    _ key: RawSpan, _ state: CollectionState, expiry: inout UInt64
  ) throws(SedimentError) -> FoundValue? {
    try checkReadable()
    Readers.enter(domain)
    do throws(SedimentError) {
      if let found = try findRecord(key, state) {
        expiry = found.view.expiry
        return try value(of: found)
      }
    } catch {
      Readers.leave()
      throw error
    }
    Readers.leave()
    return nil
  }

  /// The value of a key as bytes of its own; nil if it has none.
  @usableFromInline
  func bytes(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> [UInt8]? {
    try checkReadable()
    Readers.enter(domain)
    defer { Readers.leave() }
    guard let found = try findRecord(key, state) else { return nil }
    if found.view.isTransformed { return try unpackedBytes(of: found) }
    let value = try value(of: found)
    defer { value.release() }
    return [UInt8](sedimentBytes: unsafe RawSpan(_unsafeBytes: value.bytes))
  }

  /// Ends the reading of a value that `beginReading` found.
  @usableFromInline
  func endReading(_ value: FoundValue) {
    value.release()
    Readers.leave()
  }

  /// The record that a key is there by: neither removed nor cleared nor expired.
  ///
  /// In a reader's scope.
  @inline(__always)
  func findRecord(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> FoundRecord? {
    let view = index.view
    return try findRecord(key, view.hash(key, collection: state.number), view, state)
  }

  /// The same for a key whose hash in the view is known.
  @inline(__always)
  func findRecord(
    _ key: RawSpan, _ hash: UInt64, _ view: IndexView, _ state: CollectionState
  ) throws(SedimentError) -> FoundRecord? {
    var probe = view.probe(hash)
    return try findRecord(key, hash, view, state, from: nil, &probe)
  }

  /// The same for a search that has begun and come to an entry, or has not begun where that is nil.
  @inline(__always)
  func findRecord(
    _ key: RawSpan, _ hash: UInt64, _ view: IndexView, _ state: CollectionState, from first: IndexEntry?,
    _ probe: inout IndexProbe
  ) throws(SedimentError) -> FoundRecord? {
    let found = try locate(
      key, hash, in: state.number, view, verifying: options.verifiesReads, from: first, probe: &probe)
    // Whoever sees an entry of a batch that is being told to the index sees this, too.
    let pending = publishedBatch.load(ordering: .acquiring)
    if pending != 0 {
      return try visible(try beforeBatch(pending, key, hash, state.number, found), state, probe)
    }
    // The same once more, in place: most readings come by here.
    guard let found, isVisible(found, state) else { return try visible(found, state, probe) }
    if evicts { probe.setReference() }
    return found
  }

  /// A record if its key is there by it.
  @inline(never)
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
    let clearedAt = state.clearedAt.load(ordering: .acquiring)
    if clearedAt != 0, found.sequence <= clearedAt { return false }
    if found.view.isPlainPut { return true }
    let expiry = found.view.expiry
    return expiry == 0 || expiry > disk.wallClock()
  }

  /// The value that a record holds or leads to; takes over the record's memory.
  @inline(__always)
  func value(of found: FoundRecord) throws(SedimentError) -> FoundValue {
    if found.view.shape & 0b0010_0111 == RecordKind.put.rawValue {
      return unsafe FoundValue(found.view.value, owner: found.owner)
    }
    return try otherValue(of: found)
  }

  @inline(never)
  private func otherValue(of found: FoundRecord) throws(SedimentError) -> FoundValue {
    defer { found.release() }
    return found.view.isTransformed ? try unpackedValue(of: found) : try largeValue(of: found)
  }

  /// Whether a key has a value.
  @usableFromInline
  func contains(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> Bool {
    try checkReadable()
    Readers.enter(domain)
    defer { Readers.leave() }
    guard let found = try findRecord(key, state) else { return false }
    found.release()
    return true
  }

  /// When the value of a key expires, 0 for never; nil if it has none.
  @usableFromInline
  func expiry(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> UInt64? {
    try checkReadable()
    Readers.enter(domain)
    defer { Readers.leave() }
    guard let found = try findRecord(key, state) else { return nil }
    defer { found.release() }
    return found.view.expiry
  }
}
