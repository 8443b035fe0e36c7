internal import CSediment
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

extension Engine {
  /// Sets a key; false, with nothing changed, if the condition does not hold.
  @usableFromInline
  func set(
    _ value: RawSpan, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    // What fits into a slot is within all limits.
    if key.byteCount &+ value.byteCount > LogWriter.shortRecordByteCountMax {
      return try setLong(value, key, state, expiry: expiry, if: condition, durability)
    }
    if wantsPacking(value, state) {
      return try setPacked(value, key, state, expiry: expiry, if: condition, durability)
    }
    return try makingSpace(forStoring: value.byteCount) { () throws(SedimentError) in
      try setOnce(value, nil, key, state, expiry: expiry, if: condition, durability)
    }
  }

  /// Sets a key to a value that does not fit into one slot with it: in a record, if that finds its slots in a row, else
  /// in slots that may lie scattered.
  @inline(never)
  private func setLong(
    _ value: RawSpan, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    try checkLengths(key, value)
    try checkReadable()
    if value.byteCount <= inlineValueByteCountMax {
      do throws(SedimentError) {
        if !pace.isFree { keepPace() }
        guard wantsPacking(value, state) else {
          return try setOnce(value, nil, key, state, expiry: expiry, if: condition, durability)
        }
        return try ZstdCodec.withCurrent { (codec) throws(SedimentError) in
          let packed = codec.flatMap { pack(value, state, with: $0) }
          return try setOnce(value, packed, key, state, expiry: expiry, if: condition, durability)
        }
      } catch  where error.code == .outOfSpace {
        // Room may be there, but not in a row.
      }
    }
    if value.byteCount <= LogWriter.heldValueByteCountMax {
      return try makingSpace(forStoring: 0, recordOf: key.byteCount) { () throws(SedimentError) in
        try setOnce(value, nil, key, state, expiry: expiry, if: condition, durability)
      }
    }
    return try setLarge(value, key, state, expiry: expiry, if: condition, durability)
  }

  /// Sets a key to a value that is worth compressing, perhaps.
  @inline(never)
  private func setPacked(
    _ value: RawSpan, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    try ZstdCodec.withCurrent { (codec) throws(SedimentError) in
      let packed = codec.flatMap { pack(value, state, with: $0) }
      return try makingSpace(forStoring: value.byteCount) { () throws(SedimentError) in
        try setOnce(value, packed, key, state, expiry: expiry, if: condition, durability)
      }
    }
  }

  /// Sets a key to a value that was compressed already.
  @inline(never)
  func set(
    _ packed: PackedValue, of value: RawSpan, _ key: RawSpan, _ state: CollectionState,
    expiry: WrittenExpiry, if condition: WriteCondition, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    try makingSpace(forStoring: unsafe packed.bytes.count, recordOf: key.byteCount) {
      () throws(SedimentError) in
      try setOnce(value, packed, key, state, expiry: expiry, if: condition, durability)
    }
  }

  @inline(__always)
  private func setOnce(
    _ value: RawSpan, _ packed: PackedValue?, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    let (sequence, isMade) = try withWriter { (writer) throws(SedimentError) in
      let isMade = try set(value, packed, key, state, expiry: expiry, if: condition, durability, &writer)
      planSync(&writer, durability)
      return (writer.tail.countedSequence, isMade)
    }
    // What refused the change may not be on the disk yet: a synced call waits for that, too.
    if durability == .synced { try waitForSync(sequence) }
    return isMade
  }

  @inline(__always)
  private func set(
    _ value: RawSpan, _ packed: PackedValue?, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: SedimentDurability, _ writer: inout LogWriter
  ) throws(SedimentError) -> Bool {
    let view = index.view
    let hash = view.hash(key, collection: state.number)
    view.prefetch(hash)
    if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
    var form = RecordForm(collection: state.number)
    if case .at(let time) = expiry { form.expiry = time }
    if case .always = condition, case .at = expiry {
    } else {
      guard try mayChange(key, hash, state, condition, expiry, &form.expiry, writer) else { return false }
    }
    let way = durability == .synced ? LogWriter.Way.written : .stored
    var storedByteCount = value.byteCount
    if let packed, mayStore(packed.transform, state, writer) {
      form.transform = packed.transform
      storedByteCount = unsafe packed.bytes.count
      try put(unsafe RawSpan(_unsafeBytes: packed.bytes), key, hash, state, form, &writer, way)
    } else {
      try put(value, key, hash, state, form, &writer, way)
    }
    writer.userByteCount &+= UInt64(key.byteCount &+ value.byteCount)
    if compresses {
      state.compression.count(
        value.byteCount, storedAs: storedByteCount, isCompressed: form.transform != nil, writer.permit)
    }
    reseedIfCrowded(&writer)
    return true
  }

  /// Removes a key; false if it had no value.
  @usableFromInline
  func remove(
    _ key: RawSpan, _ state: CollectionState, if condition: WriteCondition, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    try checkLengths(key, RawSpan())
    do throws(SedimentError) {
      return try makingSpace(forStoring: 0) { () throws(SedimentError) in
        try removeOnce(key, state, if: condition, durability)
      }
    } catch {
      guard error.code == .outOfSpace,
        let wasRemoved = try removeByExchange(key, state, if: condition, durability)
      else { throw error }
      return wasRemoved
    }
  }

  @inline(__always)
  private func removeOnce(
    _ key: RawSpan, _ state: CollectionState, if condition: WriteCondition, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    var wasRemoved = false
    let sequence = try withWriter { (writer) throws(SedimentError) in
      if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
      let view = index.view
      let hash = view.hash(key, collection: state.number)
      var probe = view.probe(hash)
      let old = try locate(
        key, in: state.number, verifying: false, inWindow: writer.recordsInWindow, probe: &probe)
      defer { old?.release() }
      let wasVisible = old.map { isVisible($0, state) } ?? false
      var isMet = true
      if case .unchanged(let sequence) = condition {
        isMet = (wasVisible ? old?.sequence ?? 0 : 0) == sequence
      }
      if let old, isMet {
        let form = RecordForm(kind: .remove, collection: state.number)
        let byteCount = form.byteCount(keyByteCount: key.byteCount, valueByteCount: 0)
        let account = old.account
        let place = old.place
        try writer.makeRoom(byteCount, key, for: removingPurpose)
        let way = durability == .synced ? LogWriter.Way.written : .stored
        _ = try writer.append(form, byteCount: byteCount, key: key, value: RawSpan(), way)
        let wasCounted = forget(account, state, &writer)
        if place != nil { noteDeadExtents(place, of: wasCounted ? state : nil, &writer) }
        index.remove(probe, writer.permit)
        wasRemoved = wasVisible
      }
      planSync(&writer, durability)
      return writer.tail.countedSequence
    }
    if durability == .synced { try waitForSync(sequence) }
    return wasRemoved
  }

  /// What removals may take: some of the reserve, too, but not in a store that makes room by leaving something out.
  ///
  /// Where nothing makes room, they may take all of it.
  var removingPurpose: SlotSpace.Purpose {
    if options.compaction == .off { return .goingOn }
    return evicts ? .storing : .removing
  }

  /// The largest value that a record itself holds; larger ones get extents, written outside the lock.
  ///
  /// Compaction moves a record that finds no slots in a row to as many that lie scattered, so no record is longer than
  /// what is kept free for that.
  var inlineValueByteCountMax: Int {
    guard let writer else { return Self.inlineValueByteCountTop }
    return writer.withLock { writer in min(Self.inlineValueByteCountTop, writer.survivorByteCountMax) }
  }

  /// The same in a large file.
  static var inlineValueByteCountTop: Int { 128 << 10 }

  @inline(__always)
  func checkLengths(_ key: RawSpan, _ value: RawSpan) throws(SedimentError) {
    if key.byteCount > Limits.keyByteCountMax || value.byteCount > Limits.valueByteCountMax {
      try refuseLengths(key, value)
    }
  }

  @inline(never)
  private func refuseLengths(_ key: RawSpan, _ value: RawSpan) throws(SedimentError) {
    if key.byteCount > Limits.keyByteCountMax {
      throw .tooLarge(path, what: "key", byteCount: key.byteCount, limit: Limits.keyByteCountMax)
    }
    if value.byteCount > Limits.valueByteCountMax {
      throw .tooLarge(path, what: "value", byteCount: value.byteCount, limit: Limits.valueByteCountMax)
    }
  }

  // MARK: With the writer

  /// Whether a condition holds; tells the expiry that is to stay, too.
  func mayChange(
    _ key: RawSpan, _ hash: UInt64, _ state: CollectionState, _ condition: WriteCondition,
    _ expiry: WrittenExpiry, _ time: inout UInt64, _ writer: borrowing LogWriter
  ) throws(SedimentError) -> Bool {
    let view = index.view
    var probe = view.probe(hash)
    let old = try locate(
      key, in: state.number, verifying: options.verifiesReads, inWindow: writer.recordsInWindow,
      probe: &probe)
    defer { old?.release() }
    let visible = old.flatMap { isVisible($0, state) ? $0 : nil }
    switch condition {
    case .always: break
    case .absent: if visible != nil { return false }
    case .present: if visible == nil { return false }
    case .unchanged(let sequence): if (visible?.sequence ?? 0) != sequence { return false }
    }
    if case .unchanged = expiry { time = visible?.view.expiry ?? 0 }
    return true
  }

  /// Appends a put and tells the index.
  @inline(__always)
  func put(
    _ value: RawSpan, _ key: RawSpan, _ hash: UInt64, _ state: CollectionState, _ form: RecordForm,
    _ writer: inout LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) {
    let byteCount = form.byteCount(keyByteCount: key.byteCount, valueByteCount: value.byteCount)
    // What is mapped stays so, also if the file grows beyond its mapping to make room.
    guard log.isWhollyMapped else {
      return try putUnmapped(value, key, hash, state, form, byteCount: byteCount, &writer, way)
    }
    try writer.makeRoom(byteCount, key, for: .storing)
    let position = try writer.append(form, byteCount: byteCount, key: key, value: value, way)
    var probe = index.view.probe(hash)
    let old = mapped(key, state, &probe, writer)
    enter(hash, probe, old, state, form, at: position, byteCount: byteCount, &writer)
  }

  /// The same where it may take a call to read the record that the key has.
  @inline(never)
  private func putUnmapped(
    _ value: RawSpan, _ key: RawSpan, _ hash: UInt64, _ state: CollectionState, _ form: RecordForm,
    byteCount: Int, _ writer: inout LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) {
    var probe = index.view.probe(hash)
    let old = try readable(key, state, &probe)
    defer { old?.release() }
    try writer.makeRoom(byteCount, key, for: .storing)
    let position = try writer.append(form, byteCount: byteCount, key: key, value: value, way)
    enter(hash, probe, old, state, form, at: position, byteCount: byteCount, &writer)
  }
}
