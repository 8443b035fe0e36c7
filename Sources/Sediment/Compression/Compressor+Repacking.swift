internal import SedimentFormat

extension Compressor {
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
    guard let transform = view.transform, transform.compression == Transform.zstd,
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

  /// The header of such a record in no batch, if its value is replaced.
  func header(with value: PackedValue) -> RecordHeader {
    RecordHeader(
      kind: kind, sequence: SequenceNumber(sequence)!, collection: collection, expiry: expiry,
      transform: value.transform, keyByteCount: Int(keyByteCount), valueByteCount: unsafe value.bytes.count)
  }
}
