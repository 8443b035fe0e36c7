internal import CSediment
internal import SedimentDisk
internal import SedimentFormat

/// What the store holds: the records of the log that the index leads to, and the accounts of them.
///
/// It appends records and lets the index and the accounts follow, in one go with the writer.
@safe
final class Contents: AboveReader, Sendable {
  let reader: Reader
  // Copies, as in `Log`.
  let options: SedimentOptions
  let volume: Volume
  let index: HashIndex
  let slots: SlotTable
  let log: Log
  let writer: Locked<LogWriter>?

  init(_ log: Log) {
    reader = log.reader
    options = reader.options
    volume = reader.volume
    index = reader.index
    slots = reader.slots
    self.log = log
    writer = log.writer
  }
}

extension Contents {
  /// Lets the index lead to a record that was appended, and keeps the accounts.
  ///
  /// The probe stands on the entry of the old record, if there is one.
  private func enter(
    _ probe: IndexProbe, _ old: FoundRecord?, _ state: CollectionState, _ form: RecordForm,
    at position: UInt64, byteCount: Int, _ writer: inout LogWriter
  ) {
    if let old, let place = probe.found {
      replace(old, at: place, state, form, by: position, byteCount: byteCount, &writer)
    } else {
      add(probe.hash, state, form, at: position, byteCount: byteCount, &writer)
    }
  }

  /// Lets the entry at a place lead to a record that was appended instead of an old one, and keeps the accounts.
  @inline(always)
  private func replace(
    _ old: FoundRecord, at place: IndexSlot, _ state: CollectionState, _ form: RecordForm,
    by position: UInt64, byteCount: Int, _ writer: inout LogWriter
  ) {
    let account = old.account
    writer.noteDead(account.segment, byteCount: account.byteCount)
    let wasCounted = state.counts(account.sequence)
    if let place = old.place { noteDeadExtents(place, of: wasCounted ? state : nil, &writer) }
    index.replace(place, position: position &>> 3, writer.permit)
    writer.noteLive(1, byteCount: byteCount)
    // Most changes leave the counts of keys as they are. A key that expires may have expired before.
    if wasCounted, !account.expires, form.expiry == 0 { return }
    if wasCounted { state.count(-1, expiring: account.expires, writer.permit) }
    state.count(1, expiring: form.expiry != 0, writer.permit)
  }

  /// Lets the index lead to a record that was appended of a key that had none, and keeps the accounts.
  @inline(always)
  private func add(
    _ hash: UInt64, _ state: CollectionState, _ form: RecordForm, at position: UInt64, byteCount: Int,
    _ writer: inout LogWriter
  ) {
    index.insert(hash, position: position &>> 3, writer.permit)
    writer.noteLive(1, byteCount: byteCount)
    state.count(1, expiring: form.expiry != 0, writer.permit)
  }

  /// Lets the extents of a large value be freed to which the index leads no more; `state` has counted them, if there is
  /// one.
  @inline(never)
  func noteDeadExtents(_ place: ValuePlace?, of state: CollectionState?, _ writer: inout LogWriter) {
    guard let place else { return }
    writer.noteDead(place.pieces.lazy.map(\.extent))
    state?.countExtents(-Int(place.slotCount), writer.permit)
    writer.tail.wantsUpkeep = true
    // The records of large values are short, so the log hardly ever goes on in another segment.
    writer.notePace()
  }

  /// Gives the index another seed if its keys are too much alike.
  ///
  /// Hashes that were computed before are of no use then.
  @inline(__always)
  func reseedIfCrowded(_ writer: inout LogWriter) {
    if index.isCrowded, !writer.isReseeded { reseedIndex(&writer) }
  }

  /// Places all keys anew under another seed, once: so many that are alike come of chance or of somebody who
  /// knows the seed.
  @inline(never)
  private func reseedIndex(_ writer: inout LogWriter) {
    writer.isReseeded = true
    let keyHash = KeyHash(low: disk.random(), high: disk.random())
    // Where a record cannot be read, the index stays as it is: crowded, and right.
    try? index.rebuild(keyHash: keyHash, writer.permit) { (entry) throws(SedimentError) in
      let position = entry.position << 3
      guard let found = try reader.record(at: position) else { throw .damagedRecord(path, offset: position) }
      defer { found.release() }
      return keyHash.hash(unsafe RawSpan(_unsafeBytes: found.view.key), collection: found.view.collection)
    }
  }

  /// Takes a record that the index leads to out of the accounts; whether it was among the keys that are counted.
  @inline(__always)
  @discardableResult
  func forget(_ old: RecordAccount, _ state: CollectionState, _ writer: inout LogWriter) -> Bool {
    writer.noteDead(old.segment, byteCount: old.byteCount)
    let wasCounted = state.counts(old.sequence)
    if wasCounted { state.count(-1, expiring: old.expires, writer.permit) }
    return wasCounted
  }

  // MARK: With the writer

  /// Whether a condition holds; tells the expiry that is to stay, too.
  func mayChange(
    _ key: RawSpan, _ hash: UInt64, _ state: CollectionState, _ condition: WriteCondition,
    _ expiry: WrittenExpiry, _ time: inout UInt64, _ writer: borrowing LogWriter
  ) throws(SedimentError) -> Bool {
    let view = index.view
    var probe = view.probe(hash)
    let old = try reader.locate(
      key, in: state.number, verifying: options.verifiesReads, inWindow: writer.recordsInWindow,
      probe: &probe)
    defer { old?.release() }
    let visible = old.flatMap { reader.isVisible($0, state) ? $0 : nil }
    switch condition {
    case .always: break
    case .absent: if visible != nil { return false }
    case .present: if visible == nil { return false }
    case .unchanged(let sequence): if (visible?.sequence ?? 0) != sequence { return false }
    }
    if case .unchanged = expiry { time = visible?.view.expiry ?? 0 }
    return true
  }

  /// Appends a put and tells the index, with where the search for the key begins.
  @inline(always)
  func put(
    _ value: RawSpan, _ key: RawSpan, _ home: IndexHome, _ state: CollectionState, _ form: RecordForm,
    _ writer: inout LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) {
    let byteCount = form.byteCount(keyByteCount: key.byteCount, valueByteCount: value.byteCount)
    // What is mapped stays so, also if the file grows beyond its mapping to make room.
    guard volume.isWhollyMapped else {
      return try putSlowly(value, key, home.hash, state, form, for: .storing, &writer, way) { _ in }
    }
    try writer.makeRoom(byteCount, key, for: .storing)
    // The bucket comes near while the record is laid out, and the old record while the new one is appended.
    writer.layOut(form, byteCount: byteCount, key: key, value: value)
    let search = KeySearch(home)
    if let place = search.place {
      unsafe sediment_prefetch(volume.base + Int(truncatingIfNeeded: place.entry.position &<< 3))
    }
    let position = try writer.appendLaidOut(form, byteCount: byteCount, way)
    guard let place = search.place else {
      return add(home.hash, state, form, at: position, byteCount: byteCount, &writer)
    }
    guard
      let old = reader.keyRecordInPlace(key, place.entry, state.number, inWindow: writer.recordsInWindow)
    else {
      return enterMapped(key, home.hash, state, form, at: position, byteCount: byteCount, &writer)
    }
    replace(old, at: place.slot, state, form, by: position, byteCount: byteCount, &writer)
  }

  /// Lets the index lead to a record that was appended, where all of the file is mapped, and keeps the accounts.
  @inline(never)
  private func enterMapped(
    _ key: RawSpan, _ hash: UInt64, _ state: CollectionState, _ form: RecordForm, at position: UInt64,
    byteCount: Int, _ writer: inout LogWriter
  ) {
    var probe = index.view.probe(hash)
    // Without a call there is nothing to fail. A record that makes no sense is passed over.
    let old = try? reader.locate(
      key, in: state.number, verifying: false, inWindow: writer.recordsInWindow, probe: &probe)
    defer { old?.release() }
    enter(probe, old, state, form, at: position, byteCount: byteCount, &writer)
  }

  /// The same wherever the record lies that the key has, and for any purpose; `commit` does what follows the append at
  /// once.
  @inline(never)
  private func putSlowly(
    _ value: RawSpan, _ key: RawSpan, _ hash: UInt64, _ state: CollectionState, _ form: RecordForm,
    for purpose: SlotSpace.Purpose, _ writer: inout LogWriter, _ way: LogWriter.Way,
    commit: (inout LogWriter) -> Void
  ) throws(SedimentError) {
    let byteCount = form.byteCount(keyByteCount: key.byteCount, valueByteCount: value.byteCount)
    let isMapped = volume.isWhollyMapped
    var probe = index.view.probe(hash)
    // Where it takes a call it may fail, and nothing may be appended then: not knowing which entry of the index to replace
    // would leave the key with two of them.
    let old =
      isMapped
      ? nil : try reader.locate(key, in: state.number, verifying: false, forChange: true, probe: &probe)
    defer { old?.release() }
    try writer.makeRoom(byteCount, key, for: purpose)
    let position = try writer.append(form, byteCount: byteCount, key: key, value: value, way)
    commit(&writer)
    if isMapped {
      return enterMapped(key, hash, state, form, at: position, byteCount: byteCount, &writer)
    }
    enter(probe, old, state, form, at: position, byteCount: byteCount, &writer)
  }

  /// Appends the record that commits a large value, and tells the index.
  func putLarge(
    _ large: WrittenExtents, _ reservation: inout Reservation, _ key: RawSpan, _ hash: UInt64,
    _ state: CollectionState, _ form: RecordForm, for purpose: SlotSpace.Purpose = .storing,
    _ writer: inout LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) {
    try log.overwriteRest(of: large.place, writer)
    let record = unsafe large.record.span.bytes
    try putSlowly(record, key, hash, state, form, for: purpose, &writer, way) { writer in
      adopt(large, &reservation, &writer)
    }
    state.countExtents(Int(large.place.slotCount), writer.permit)
    reseedIfCrowded(&writer)
  }

  /// Lets a segment that cannot be read stay as it is, so that the others can be emptied all the same; the result is
  /// the error as the caller is told of it.
  func refuse(_ entry: SegmentEntry, after error: SedimentError) -> SedimentError {
    let error = lifetime.seenByCaller(error)
    if error.isOfReading { writer?.withLock { writer in writer.ledger.refuse(entry.identity.generation) } }
    return error
  }
}
