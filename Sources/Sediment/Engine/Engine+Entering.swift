internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// How the index and the accounts follow what was appended.

extension Engine {
  /// The record that a key has now, where that takes a call that can fail; nothing may be appended then.
  ///
  /// Not knowing which entry of the index to replace would leave the key with two of them.
  @inline(never)
  func readable(
    _ key: RawSpan, _ state: CollectionState, _ probe: inout IndexProbe
  ) throws(SedimentError) -> FoundRecord? {
    try locate(key, in: state.number, verifying: false, probe: &probe)
  }

  /// The record that a key has now, where it is mapped: looked up after the append, while its bucket comes near.
  @inline(always)
  func mapped(
    _ key: RawSpan, _ state: CollectionState, _ probe: inout IndexProbe, _ writer: borrowing LogWriter
  ) -> FoundRecord? {
    // Without a call there is nothing to fail. A record that makes no sense is passed over.
    try? locate(key, in: state.number, verifying: false, inWindow: writer.recordsInWindow, probe: &probe)
  }

  /// Lets the index lead to a record that was appended, and keeps the accounts.
  ///
  /// The probe stands on the entry of the old record, if there is one.
  @inline(always)
  func enter(
    _ hash: UInt64, _ probe: IndexProbe, _ old: FoundRecord?, _ state: CollectionState, _ form: RecordForm,
    at position: UInt64, byteCount: Int, _ writer: inout LogWriter
  ) {
    if let old {
      let account = old.account
      let wasCounted = forgetBytes(account, state, &writer)
      noteDead(old, of: wasCounted ? state : nil, &writer)
      index.replace(probe, position: position &>> 3, writer.permit)
      writer.noteLive(1, byteCount: byteCount)
      // Most changes leave the counts of keys as they are.
      if wasCounted, account.expires == (form.expiry != 0) { return }
      if wasCounted { state.count(-1, expiring: account.expires, writer.permit) }
    } else {
      index.insert(hash, position: position &>> 3, writer.permit)
      writer.noteLive(1, byteCount: byteCount)
    }
    state.count(1, expiring: form.expiry != 0, writer.permit)
  }

  /// Lets the extents of a large value be freed to which the index leads no more; `state` has counted them, if there is
  /// one.
  @inline(__always)
  func noteDead(_ old: FoundRecord, of state: CollectionState?, _ writer: inout LogWriter) {
    if let place = old.place { noteDeadExtents(place, of: state, &writer) }
  }

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
      guard let found = try record(at: position) else { throw .damagedRecord(path, offset: position) }
      defer { found.release() }
      return keyHash.hash(unsafe RawSpan(_unsafeBytes: found.view.key), collection: found.view.collection)
    }
  }

  /// Takes a record that the index leads to out of the accounts; whether it was among the keys that are counted.
  @inline(__always)
  @discardableResult
  func forget(_ old: RecordAccount, _ state: CollectionState, _ writer: inout LogWriter) -> Bool {
    let wasCounted = forgetBytes(old, state, &writer)
    if wasCounted { state.count(-1, expiring: old.expires, writer.permit) }
    return wasCounted
  }

  /// The same, but for the counts of keys; whether it was in these.
  @inline(__always)
  private func forgetBytes(_ old: RecordAccount, _ state: CollectionState, _ writer: inout LogWriter) -> Bool
  {
    writer.noteDead(old.segment, byteCount: old.byteCount)
    return state.counts(old.sequence)
  }
}
