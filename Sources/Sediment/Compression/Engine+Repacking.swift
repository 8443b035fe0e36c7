internal import CSediment
internal import SedimentFormat

// What compaction makes of the values that it moves, and of dictionaries.

extension Engine {
  /// Compresses the value of a record anew, if it was not compressed or not with its collection's present dictionary;
  /// nil if it had better stay as it is.
  ///
  /// In a reader's scope.
  func repack(_ record: ScannedRecord, with codec: ZstdCodec) -> PackedValue? {
    guard let state = collections.numbered(record.collection), let view = record.view else { return nil }
    guard view.isTransformed else {
      let value = unsafe RawSpan(_unsafeBytes: view.value)
      return wantsPacking(value, state) ? pack(value, state, with: codec) : nil
    }
    guard let transform = view.transform, transform.compression == Transform.zstd, transform.encryption == 0,
      Int(transform.originalByteCount) <= CollectionCompression.dictionaryByteCountMax
    else { return nil }
    return state.compression.withDictionary(for: Int(transform.originalByteCount)) { present in
      guard let present, present.number != transform.dictionary else { return nil }
      let before = dictionaries.dictionary(transform.dictionary)
      if transform.dictionary != 0, before == nil { return nil }
      return unsafe withUnsafeTemporaryAllocation(
        byteCount: Int(transform.originalByteCount), alignment: 16
      ) { memory in
        guard unsafe codec.decompress(view.value, with: before, into: memory) else { return nil }
        let value = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(memory))
        if trainsDictionaries, state.compressionCells.isSample() { takeSample(value, state) }
        guard let packed = pack(value, with: present, codec) else { return nil }
        // A retired dictionary is to be needed no more some day.
        let limit = view.valueByteCount + (before == nil ? 0 : view.valueByteCount / 8)
        return unsafe packed.bytes.count < limit ? packed : nil
      }
    }
  }

  /// What the catalogue is told of dictionaries that were moved to a segment.
  ///
  /// Under the lock.
  func movedDictionaries(
    _ segment: SurvivorSegment, _ exchange: Exchange, _ writer: LogWriter
  ) -> [CatalogueEntry] {
    if exchange.dictionaries.isEmpty { return [] }
    return segment.survivors.flatMap { survivor -> [CatalogueEntry] in
      guard let number = exchange.dictionaries[survivor.oldPosition],
        let entry = writer.catalogue.dictionaries[number],
        entry.offset.rawValue == survivor.oldPosition,
        let offset = UnitOffset(segment.position(of: survivor)),
        let moved = DictionaryEntry(
          number: number, collection: entry.collection, checksum: entry.checksum, offset: offset)
      else { return [] }
      return [.dictionaryGone(number: number), .dictionary(moved)]
    }
  }

  /// Lets the index lead to the records of dictionaries, after it was emptied.
  ///
  /// Under the lock.
  func indexDictionaries(_ writer: LogWriter) {
    for entry in writer.catalogue.dictionaries.values {
      guard let found = try? record(at: entry.offset.byteOffset) else { continue }
      defer { found.release() }
      let key = DictionaryEntry.key(entry.number)
      guard found.view.collection == CollectionEntry.dictionaries,
        unsafe found.view.hasKey(key.span.bytes)
      else { continue }
      index.insert(
        index.view.hash(unsafe key.span.bytes, collection: CollectionEntry.dictionaries),
        position: entry.offset.rawValue)
      found.segment.liveByteCount += found.view.byteCount
      found.segment.liveCount += 1
      writer.liveByteCount += found.view.byteCount
    }
  }
}

extension ScannedRecord {
  /// The record where the scan keeps it.
  var view: RecordView? {
    unsafe RecordView(keyStart - Int(headByteCount), available: Int(byteCount))
  }

  /// The number of the dictionary that it holds, if it is one's.
  var dictionaryNumber: UInt32? {
    guard kind == .put, Int(keyByteCount) == DictionaryEntry.keyByteCount else { return nil }
    return withKey { $0.integer(UInt32.self, at: 0) }
  }

  /// The bytes before its key, and of all of it, if its value is replaced.
  func headByteCount(with value: PackedValue) -> Int {
    Limits.recordFixedByteCount + (collection == 0 ? 0 : 4) + (expiry == 0 ? 0 : 6)
      + value.transform.byteCount
  }

  func byteCount(with value: PackedValue) -> Int {
    let valueByteCount = unsafe value.bytes.count
    return (headByteCount(with: value) + Int(keyByteCount) + valueByteCount + 7) & ~7
  }
}
