internal import SedimentFormat

// The records of dictionaries: each is in the log with the change of the catalogue that it goes with.

extension Engine {
  /// Appends a dictionary's record and a change of the catalogue as a batch; the result is the record's length.
  ///
  /// `entry` says the change by the record's place and may be asked twice; with nil nothing is appended. Under the
  /// lock.
  func append(
    _ kind: RecordKind, _ number: UInt32, _ bytes: RawSpan, for purpose: SlotSpace.Purpose,
    _ writer: LogWriter, telling entry: (UnitOffset) -> CatalogueEntry?
  ) throws(SedimentError) -> Int? {
    func change() -> CatalogueChange? {
      let offset = unsafe UnitOffset(byteOffset: writer.tail.pointee.offset)
      return offset.flatMap(entry).flatMap { CatalogueChange([$0]) }
    }
    guard let likely = change() else { return nil }
    let key = DictionaryEntry.key(number)
    let form = RecordForm(kind: kind, isBatched: true, collection: CollectionEntry.dictionaries)
    let byteCount = form.byteCount(keyByteCount: key.count, valueByteCount: bytes.byteCount)
    let commitByteCount = Limits.recordFixedByteCount + Commit.byteCount
    try writer.makeRoom(byteCount + Self.byteCount(of: likely) + commitByteCount, for: purpose)
    // Making room may have begun another segment.
    guard let change = change() else { return nil }
    var batch = BatchChecksum()
    _ = try writer.append(form, key: unsafe key.span.bytes, value: bytes, .stored)
    _ = writer.addLastRecord(to: &batch)
    try append(change, isBatched: true, writer)
    _ = writer.addLastRecord(to: &batch)
    try writer.append(.commit(batch.commit!), .stored)
    return byteCount
  }

  /// Lets the index lead to the records of dictionaries, after it was emptied.
  ///
  /// Under the lock.
  func indexDictionaries(_ writer: LogWriter) {
    for entry in writer.catalogue.dictionaries.values {
      guard let found = try? record(at: entry.offset.byteOffset) else { continue }
      defer { found.release() }
      guard found.isDictionary(entry) else { continue }
      index.insert(
        index.view.hash(
          unsafe DictionaryEntry.key(entry.number).span.bytes, collection: CollectionEntry.dictionaries),
        position: entry.offset.rawValue)
      found.segment.liveByteCount += found.view.byteCount
      found.segment.liveCount += 1
      writer.liveByteCount += found.view.byteCount
    }
  }
}

extension FoundRecord {
  /// Whether it looks like the record of a dictionary of the catalogue.
  func isDictionary(_ entry: DictionaryEntry) -> Bool {
    view.kind == .put && !view.isTransformed && view.collection == CollectionEntry.dictionaries
      && view.hasKey(unsafe DictionaryEntry.key(entry.number).span.bytes)
  }
}

extension RecordHeader {
  /// The number of the dictionary that the record in `bytes` holds, if it is one's.
  func dictionaryNumber(in bytes: RawSpan) -> UInt32? {
    guard kind == .put, transform == nil, collection == CollectionEntry.dictionaries,
      keyByteCount == DictionaryEntry.keyByteCount
    else { return nil }
    return bytes.integer(at: keyRange.lowerBound)
  }
}
