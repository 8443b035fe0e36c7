internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// What must hold for a change to be made.
@usableFromInline
enum WriteCondition {
  case always
  /// The key has no value.
  case absent
  /// The key has a value.
  case present
  /// The newest record of the key is still the one of this sequence, 0 for none that is visible.
  ///
  /// Its place may have changed: compaction moves records.
  case unchanged(UInt64)
}

/// How long a value is to be there, as a record says it.
@usableFromInline
enum WrittenExpiry {
  /// In milliseconds since 1970, 0 for ever.
  case at(UInt64)
  /// As long as the value before.
  case unchanged
}

/// How durable a change is to be when its call returns, as one number.
@usableFromInline
struct WrittenDurability: Equatable, Sendable {
  /// Within how many nanoseconds the background is to sync it; the two highest numbers, which no time has, ask nothing
  /// of the background.
  @usableFromInline let nanoseconds: UInt64

  static var synced: WrittenDurability { WrittenDurability(nanoseconds: .max) }
  static var unsynced: WrittenDurability { WrittenDurability(nanoseconds: .max - 1) }

  @inline(__always)
  private init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  @usableFromInline
  init(_ durability: SedimentDurability) {
    switch durability {
    case .synced: self = .synced
    case .unsynced: self = .unsynced
    case .interval(let interval): nanoseconds = min(interval.nanosecondsClamped, .max - 2)
    }
  }
}

/// Makes the changes that users ask for: of keys, of batches, of collections.
@usableFromInline
@safe
final class Changes: AboveReader, Sendable {
  let reader: Reader
  // Copies, as in `Log`.
  let options: SedimentOptions
  let index: HashIndex
  let slots: SlotTable
  let retired: RetiredList
  let lifetime: Lifetime
  let evicts: Bool
  let log: Log
  let contents: Contents
  let compressor: Compressor
  let compactor: Compactor
  let writer: Locked<LogWriter>?
  let returned: ReturnedSlots
  let pace: PaceCell
  let compresses: Bool
  /// How durable a change is that does not say so.
  @usableFromInline let durability: WrittenDurability

  init(_ opened: OpenedStore, _ compactor: Compactor) {
    contents = compactor.contents
    reader = contents.reader
    options = reader.options
    index = reader.index
    slots = reader.slots
    retired = reader.retired
    lifetime = reader.lifetime
    evicts = reader.evicts
    log = contents.log
    compressor = compactor.compressor
    self.compactor = compactor
    writer = contents.writer
    returned = opened.returned
    pace = opened.pace
    compresses = compressor.compresses
    durability = WrittenDurability(reader.options.durability)
  }

  /// How durable a change is to be; nil asks for what the store's options say.
  @inlinable @inline(__always)
  func written(_ durability: SedimentDurability?) -> WrittenDurability {
    durability.map { WrittenDurability($0) } ?? self.durability
  }
}

extension Changes {
  /// Sets a key for ever, whatever it had: the same as below, in a function of its own that need not ask.
  @usableFromInline
  func set(
    _ value: RawSpan, _ key: RawSpan, _ state: CollectionState, _ durability: WrittenDurability
  ) throws(SedimentError) {
    _ = try setByLength(value, key, state, expiry: .at(0), if: .always, durability)
  }

  /// Sets a key; false, with nothing changed, if the condition does not hold.
  @usableFromInline
  func set(
    _ value: RawSpan, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    try setByLength(value, key, state, expiry: expiry, if: condition, durability)
  }

  /// Sets a key in the way that its lengths, and the store, ask for.
  @inline(always)
  private func setByLength(
    _ value: RawSpan, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    // What fits into a slot is within all limits.
    if key.byteCount &+ value.byteCount > LogWriter.shortRecordByteCountMax {
      return try setLong(value, key, state, expiry: expiry, if: condition, durability)
    }
    if compressor.wantsPacking(value, state) {
      return try setPacked(value, key, state, expiry: expiry, if: condition, durability)
    }
    if !pace.isFree { compactor.keepPace() }
    @inline(always) func change(_ writer: inout LogWriter) throws(SedimentError) -> Bool {
      try setRecord(value, nil, key, state, expiry: expiry, if: condition, LogWriter.Way(durability), &writer)
    }
    do throws(SedimentError) {
      return try log.transact(durability, change)
    } catch {
      return try compactor.makingSpace(forStoring: value.byteCount, after: error) {
        () throws(SedimentError) in
        try setOnce(value, nil, key, state, expiry: expiry, if: condition, durability)
      }
    }
  }

  /// Sets a key to a value that does not fit into one slot with it: in a record, if that finds its slots in a row, else
  /// in slots that may lie scattered.
  @inline(never)
  private func setLong(
    _ value: RawSpan, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    try checkLengths(key, value)
    try lifetime.check()
    if value.byteCount <= log.inlineValueByteCountMax {
      do throws(SedimentError) {
        if !pace.isFree { compactor.keepPace() }
        guard compressor.wantsPacking(value, state) else {
          return try setOnce(value, nil, key, state, expiry: expiry, if: condition, durability)
        }
        return try ZstdCodec.withCurrent { (codec) throws(SedimentError) in
          let packed = codec.flatMap { compressor.pack(value, state, with: $0) }
          return try setOnce(value, packed, key, state, expiry: expiry, if: condition, durability)
        }
      } catch  where error.code == .outOfSpace {
        // Room may be there, but not in a row.
      }
    }
    if value.byteCount <= LogWriter.heldValueByteCountMax {
      return try compactor.makingSpace(forStoring: 0, recordOf: key.byteCount) { () throws(SedimentError) in
        try setOnce(value, nil, key, state, expiry: expiry, if: condition, durability)
      }
    }
    return try setLarge(value, key, state, expiry: expiry, if: condition, durability)
  }

  /// Sets a key to a value that is worth compressing, perhaps.
  @inline(never)
  private func setPacked(
    _ value: RawSpan, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    try ZstdCodec.withCurrent { (codec) throws(SedimentError) in
      let packed = codec.flatMap { compressor.pack(value, state, with: $0) }
      return try compactor.makingSpace(forStoring: value.byteCount) { () throws(SedimentError) in
        try setOnce(value, packed, key, state, expiry: expiry, if: condition, durability)
      }
    }
  }

  /// Makes the change; `packed` is the value as it was compressed, if it was.
  @inline(never)
  func setOnce(
    _ value: RawSpan, _ packed: PackedValue?, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    try log.transact(durability) { (writer) throws(SedimentError) in
      try setRecord(
        value, packed, key, state, expiry: expiry, if: condition, LogWriter.Way(durability), &writer)
    }
  }

  /// Sets a key to a value that its record holds, if the condition holds.
  @inline(always)
  private func setRecord(
    _ value: RawSpan, _ packed: PackedValue?, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ way: LogWriter.Way, _ writer: inout LogWriter
  ) throws(SedimentError) -> Bool {
    // With the writer, so that the index stays as it is until this is used.
    let home = index.view.home(key, collection: state.number)
    home.prefetch()
    if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
    // What of a form is known here is known to the compiler as long as no call can change it.
    var time: UInt64 = 0
    if case .at(let given) = expiry { time = given }
    if case .always = condition, case .at = expiry {
    } else {
      guard try contents.mayChange(key, home.hash, state, condition, expiry, &time, writer) else {
        return false
      }
    }
    var form = RecordForm(collection: state.number, expiry: time)
    var storedByteCount = value.byteCount
    if let packed, compressor.mayStore(packed.transform, state, writer) {
      form.transform = packed.transform
      storedByteCount = unsafe packed.bytes.count
      try contents.put(unsafe RawSpan(_unsafeBytes: packed.bytes), key, home, state, form, &writer, way)
    } else {
      try contents.put(value, key, home, state, form, &writer, way)
    }
    writer.catalogue.numbers.totals.userByteCount &+= UInt64(
      truncatingIfNeeded: key.byteCount &+ value.byteCount)
    if compresses {
      state.compression.count(
        value.byteCount, storedAs: storedByteCount, isCompressed: form.transform != nil, writer.permit)
    }
    contents.reseedIfCrowded(&writer)
    return true
  }

  /// Removes a key; false if it had no value.
  @usableFromInline
  func remove(
    _ key: RawSpan, _ state: CollectionState, if condition: WriteCondition, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    try checkLengths(key, RawSpan())
    if !pace.isFree { compactor.keepPace(isRemoval: true) }
    do throws(SedimentError) {
      return try removeOnce(key, state, if: condition, durability)
    } catch {
      return try remove(key, state, if: condition, durability, after: error)
    }
  }

  /// Removes a key for which there was no room.
  @inline(never)
  private func remove(
    _ key: RawSpan, _ state: CollectionState, if condition: WriteCondition, _ durability: WrittenDurability,
    after error: SedimentError
  ) throws(SedimentError) -> Bool {
    do throws(SedimentError) {
      return try compactor.makingSpace(forStoring: 0, after: error) { () throws(SedimentError) in
        try removeOnce(key, state, if: condition, durability)
      }
    } catch {
      guard error.code == .outOfSpace,
        let wasRemoved = try compactor.removeByExchange(key, state, if: condition, durability)
      else { throw error }
      return wasRemoved
    }
  }

  @inline(__always)
  private func removeOnce(
    _ key: RawSpan, _ state: CollectionState, if condition: WriteCondition, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    try log.transact(durability) { (writer) throws(SedimentError) in
      if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
      let home = index.view.home(key, collection: state.number)
      guard let place = KeySearch(home).place else { return false }
      let way = LogWriter.Way(durability)
      if let old = reader.keyRecordInPlace(
        key, place.entry, state.number, inWindow: writer.recordsInWindow)
      {
        return try remove(old, at: place, key, home.hash, state, if: condition, &writer, way)
      }
      return try removeElsewhere(key, home.hash, state, if: condition, &writer, way)
    }
  }

  /// Removes a key whose record is not where most are.
  @inline(never)
  private func removeElsewhere(
    _ key: RawSpan, _ hash: UInt64, _ state: CollectionState, if condition: WriteCondition,
    _ writer: inout LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) -> Bool {
    var probe = index.view.probe(hash)
    let old = try reader.locate(
      key, in: state.number, verifying: false, forChange: true, inWindow: writer.recordsInWindow,
      probe: &probe)
    guard let old else {
      // Where a damaged record may be the key's, that it has none would be a lie.
      var other = index.view.probe(hash)
      let found = try reader.locate(
        key, in: state.number, verifying: true, inWindow: writer.recordsInWindow, probe: &other)
      found?.release()
      return false
    }
    defer { old.release() }
    return try remove(old, at: probe.place, key, hash, state, if: condition, &writer, way)
  }

  /// Removes a key that has a record.
  @inline(always)
  private func remove(
    _ old: FoundRecord, at place: IndexPlace, _ key: RawSpan, _ hash: UInt64, _ state: CollectionState,
    if condition: WriteCondition, _ writer: inout LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) -> Bool {
    let wasVisible = reader.isVisible(old, state)
    if case .unchanged(let sequence) = condition, (wasVisible ? old.sequence : 0) != sequence { return false }
    let form = RecordForm(kind: .remove, collection: state.number)
    let byteCount = form.byteCount(keyByteCount: key.byteCount, valueByteCount: 0)
    let (account, large) = (old.account, old.place)
    try writer.makeRoom(byteCount, key, for: removingPurpose)
    writer.layOut(form, byteCount: byteCount, key: key, value: RawSpan())
    _ = try writer.appendLaidOut(form, byteCount: byteCount, way)
    index.remove(place, of: hash, writer.permit)
    let wasCounted = contents.forget(account, state, &writer)
    if let large { contents.noteDeadExtents(large, of: wasCounted ? state : nil, &writer) }
    return wasVisible
  }

  /// What removals may take: some of the reserve, too, but not in a store that makes room by leaving something out.
  ///
  /// Where nothing makes room, they may take all of it.
  var removingPurpose: SlotSpace.Purpose {
    if options.compaction == .off { return .goingOn }
    return evicts ? .storing : .removing
  }

  @inline(__always)
  func checkLengths(_ key: RawSpan, _ value: RawSpan) throws(SedimentError) {
    if key.byteCount > Limits.keyByteCountMax || value.byteCount > Limits.valueByteCountMax {
      throw .tooLong(key, value, path)
    }
  }
}

extension SedimentError {
  /// The error for a key or, if that is within its limit, a value that is too long.
  @inline(never)
  static func tooLong(_ key: RawSpan, _ value: RawSpan, _ path: String) -> SedimentError {
    key.byteCount > Limits.keyByteCountMax
      ? .tooLarge(path, what: "key", byteCount: key.byteCount, limit: Limits.keyByteCountMax)
      : .tooLarge(path, what: "value", byteCount: value.byteCount, limit: Limits.valueByteCountMax)
  }
}
