internal import SedimentFormat

// The records of dictionaries: each is in the log with the change of the catalogue that it goes with.

extension Contents {
  /// Appends a dictionary's record and a change of the catalogue as a batch; the result is the record's length.
  ///
  /// `entry` says the change by the record's place and may be asked twice; with nil nothing is appended.
  func append(
    _ kind: RecordKind, _ number: UInt32, _ bytes: RawSpan, for purpose: SlotSpace.Purpose,
    _ writer: inout LogWriter, telling entry: (UnitOffset) -> CatalogueEntry?
  ) throws(SedimentError) -> Int? {
    func change(at offset: UInt64) -> CatalogueChange? {
      UnitOffset(byteOffset: offset).flatMap(entry).flatMap { CatalogueChange([$0]) }
    }
    guard let likely = change(at: writer.tail.offset) else { return nil }
    let key = DictionaryEntry.key(number)
    let form = RecordForm(kind: kind, isBatched: true, collection: CollectionEntry.dictionaries)
    let byteCount = form.byteCount(keyByteCount: key.count, valueByteCount: bytes.byteCount)
    let commitByteCount = RecordForm.byteCount(ofControl: Commit.byteCount)
    try writer.makeRoom(byteCount + Log.byteCount(of: likely) + commitByteCount, for: purpose)
    // Making room may have begun another segment.
    guard let change = change(at: writer.tail.offset) else { return nil }
    _ = try writer.appendTogether { (writer, batch) throws(SedimentError) in
      _ = try writer.append(
        form, byteCount: byteCount, key: unsafe key.span.bytes, value: bytes, .stored)
      writer.addLastRecord(to: &batch)
      try log.append(change, isBatched: true, &writer)
      writer.addLastRecord(to: &batch)
    }
    return byteCount
  }

  /// The records of the dictionaries of the catalogue, but for those that are damaged.
  ///
  /// A call that fails is an error: a dictionary that is left out is lost once compaction comes to its segment.
  func dictionaryRecords(_ writer: borrowing LogWriter) throws(SedimentError) -> [DictionaryRecord] {
    var records: [DictionaryRecord] = []
    for entry in writer.catalogue.dictionaries.values {
      do throws(SedimentError) {
        guard let found = try reader.record(at: entry.offset.byteOffset) else { continue }
        defer { found.release() }
        guard found.isDictionary(entry) else { continue }
        records.append(
          DictionaryRecord(entry: entry, segment: found.segment, byteCount: found.view.byteCount))
      } catch  where error.code == .damaged {}
    }
    return records
  }

  /// Takes the record of a dictionary into the accounts, after all were emptied.
  func count(_ dictionary: DictionaryRecord, _ writer: inout LogWriter) {
    let counts = dictionary.segment.counts(writer.permit)
    counts.liveByteCount += dictionary.byteCount
    counts.liveCount += 1
    writer.liveByteCount += dictionary.byteCount
  }
}

/// Where the record of a dictionary lies, and how long it is.
struct DictionaryRecord {
  let entry: DictionaryEntry
  let segment: Segment
  let byteCount: Int

  /// Where it lies, in units.
  var position: UInt64 { entry.offset.rawValue }

  /// The hash of its key.
  func hash(by keyHash: KeyHash) -> UInt64 {
    let key = DictionaryEntry.key(entry.number)
    return keyHash.hash(unsafe key.span.bytes, collection: CollectionEntry.dictionaries)
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
