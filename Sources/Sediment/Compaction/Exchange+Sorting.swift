internal import SedimentFormat
internal import Synchronization

/// A record that is left out though the index leads to it.
struct LeftOut {
  enum Reason {
    case expired, evicted, cleared, removed
  }

  let reason: Reason
  let position: UInt64
  let hash: UInt64
  let byteCount: Int
  let sequence: UInt64
  let collection: UInt32
  let expires: Bool
  let extentSlotCount: Int
}

/// A collection as an exchange goes by it, however it is cleared or dropped meanwhile.
struct KnownCollection {
  let number: UInt32
  /// Up to which sequence it is dead.
  let deadUpTo: UInt64
}

/// Sorts the records of the victim begun last: what is kept, what is left out, and what is dead anyway.
///
/// It asks the index without the lock. What it finds may have changed before the index is told; so that is done only
/// for entries that are still as they were.
extension Exchange: RecordVisitor {
  func visit(_ records: UnsafeBufferPointer<ScannedRecord>) throws(SedimentError) {
    try reader.enterReading()
    defer { Readers.leave() }
    let view = reader.index.view
    try unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: records.count) {
      hashes throws(SedimentError) in
      for number in 0..<records.count {
        let record = unsafe records[number]
        let hash = record.withKey { view.hash($0, collection: record.collection) }
        unsafe hashes[number] = hash
        view.prefetch(hash)
      }
      for number in 0..<records.count {
        unsafe try take(records[number], hashes[number], view)
      }
    }
    if keyHashes.last != view.keyHash { keyHashes.append(view.keyHash) }
  }

  private func take(_ record: ScannedRecord, _ hash: UInt64, _ view: IndexView) throws(SedimentError) {
    guard record.kind != .remove else { return try takeTombstone(record, hash, view) }
    guard let (_, entry) = view.find(hash, at: record.position) else {
      // Superseded: what it leads to was noted when that happened, unless the process died before.
      if record.kind == .putLarge { supersededExtents += record.extents }
      return
    }
    if let reason = reasonToLeaveOut(record, entry) {
      leaveOut(record, hash, reason)
      if reason != .cleared, needsTombstone(record) {
        if !buffer.hasRoom(for: Int(record.byteCount), record) { try flush() }
        buffer.addTombstone(for: record)
      }
    } else {
      try keep(record, hash)
    }
  }

  /// A tombstone is needed as long as it may hide something; a put of its key hides that as well.
  private func takeTombstone(
    _ record: ScannedRecord, _ hash: UInt64, _ view: IndexView
  ) throws(SedimentError) {
    tombstoneByteCount += Int(record.byteCount)
    guard needsTombstone(record) else { return }
    if try !isHiddenByPut(record, hash, view) { try keep(record, hash) }
  }

  private func isHiddenByPut(
    _ record: ScannedRecord, _ hash: UInt64, _ view: IndexView
  ) throws(SedimentError) -> Bool {
    var probe = view.probe(hash)
    do throws(SedimentError) {
      let put = try record.withKey { (key) throws(SedimentError) in
        try reader.locate(key, in: record.collection, verifying: false, probe: &probe)
      }
      put?.release()
      return put != nil
    } catch  where error.isOfReading {
      // What cannot be read lies elsewhere, and a tombstone more does no harm.
      return false
    }
  }

  /// Why a record is left out to which the index leads; nil if it is kept.
  private func reasonToLeaveOut(_ record: ScannedRecord, _ entry: IndexEntry) -> LeftOut.Reason? {
    if record.position == terms.removedPosition { return .removed }
    if record.collection >= CollectionEntry.systemNumberMin { return nil }
    if record.sequence <= deadUpTo(record.collection) { return .cleared }
    if record.expiry != 0, record.expiry <= terms.expiredUpTo { return .expired }
    guard terms.evicts else { return nil }
    if record.kind == .putLarge, leftOutExtentSlotCount >= terms.evictedSlotCount { return nil }
    return entry.isReferenced && keptByteCount < terms.byteCountMax ? nil : .evicted
  }

  /// Up to which sequence records of a collection are dead; those of one mostly lie together.
  private func deadUpTo(_ number: UInt32) -> UInt64 {
    if let collection, collection.number == number { return collection.deadUpTo }
    let known = KnownCollection(
      number: number,
      deadUpTo: collections.numbered(number)?.clearedAt.load(ordering: .acquiring)
        ?? (number >= CollectionEntry.systemNumberMin ? 0 : .max))
    collection = known
    return known.deadUpTo
  }

  /// The state of a collection; nil if there is none of that number any more.
  private func state(_ number: UInt32) -> CollectionState? {
    if let state, state.number == number { return state }
    state = collections.numbered(number)
    return state
  }

  /// Whether a tombstone of the record's sequence has to stay (invariant 14).
  private func needsTombstone(_ record: ScannedRecord) -> Bool {
    guard let sequence = SequenceNumber(record.sequence), let victim = victims.last else { return true }
    return !guardFloor.allowsDropping(sequence, of: victim.identity.generation)
      && record.sequence > deadUpTo(record.collection)
  }

  private func leaveOut(_ record: ScannedRecord, _ hash: UInt64, _ reason: LeftOut.Reason) {
    let extents = record.kind == .putLarge ? record.extents : []
    let extentSlotCount = extents.reduce(0) { $0 + Int($1.run.count) }
    leftOutExtents.append(contentsOf: extents)
    leftOutExtentSlotCount += extentSlotCount
    leftOut.append(
      LeftOut(
        reason: reason, position: record.position, hash: hash, byteCount: Int(record.byteCount),
        sequence: record.sequence, collection: record.collection, expires: record.expiry != 0,
        extentSlotCount: extentSlotCount))
  }

  /// Keeps a record, compressed anew if that makes it smaller.
  ///
  /// In a reader's scope.
  private func keep(_ record: ScannedRecord, _ hash: UInt64) throws(SedimentError) {
    if record.collection == CollectionEntry.dictionaries, let number = record.dictionaryNumber {
      dictionaryNumbers[record.position] = number
    }
    if try dropsDictionary(of: record, hash) { return }
    let repacked = repacked(record)
    let header = repacked.map { record.header(with: $0) }
    let byteCount = header?.byteCount ?? Int(record.byteCount)
    if !buffer.hasRoom(for: byteCount, record) { try flush() }
    if let repacked, let header {
      buffer.add(record, hash, as: header, value: unsafe RawSpan(_unsafeBytes: repacked.bytes))
    } else {
      buffer.add(record, hash)
    }
    keptByteCount += byteCount
  }

  /// Whether a record was kept without the dictionary that its value was compressed with, if these are dropped.
  ///
  /// A value whose dictionary is lost stays as it is: nobody can read it.
  private func dropsDictionary(of record: ScannedRecord, _ hash: UInt64) throws(SedimentError) -> Bool {
    guard terms.dropsDictionaries, record.kind == .put, let view = record.view,
      let transform = view.transform,
      transform.dictionary != 0, let dictionary = dictionaries.dictionary(transform.dictionary),
      Int(transform.originalByteCount) <= Limits.inlineValueByteCountMax
    else { return false }
    if codec == nil { codec = ZstdCodec() }
    guard let codec else { return false }
    return try unsafe withUnsafeTemporaryAllocation(
      byteCount: Int(transform.originalByteCount), alignment: 16
    ) { (memory) throws(SedimentError) in
      guard unsafe codec.decompress(view.value, with: dictionary, into: memory) else { return false }
      let value = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(memory))
      let packed = compressor.compresses ? compressor.pack(value, with: nil, codec) : nil
      let header = record.header(
        holding: unsafe packed?.bytes.count ?? value.byteCount, transform: packed?.transform)
      if !buffer.hasRoom(for: header.byteCount, record) { try flush() }
      if let packed {
        buffer.add(record, hash, as: header, value: unsafe RawSpan(_unsafeBytes: packed.bytes))
      } else {
        buffer.add(record, hash, as: header, value: value)
      }
      keptByteCount += header.byteCount
      return true
    }
  }

  private func repacked(_ record: ScannedRecord) -> PackedValue? {
    guard compressor.compresses, record.kind == .put, record.collection < CollectionEntry.systemNumberMin
    else {
      return nil
    }
    if codec == nil { codec = ZstdCodec() }
    guard let codec, let state = state(record.collection) else { return nil }
    return compressor.repack(record, state, with: codec)
  }
}
