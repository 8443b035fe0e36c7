internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// Makes values smaller before they are stored, and again when compaction moves them.
///
/// It works without the writer's lock, so that writers do it side by side.
@safe
final class Compressor: AboveReader, Sendable {
  let reader: Reader
  let log: Log
  /// The level that values are compressed at, nil if they are not, and whether dictionaries are trained for them.
  let level: Int32?
  let compresses: Bool
  let trainsDictionaries: Bool

  init(_ log: Log) {
    reader = log.reader
    self.log = log
    level = log.writer == nil ? nil : log.options.compression.level
    compresses = level != nil
    trainsDictionaries = compresses && log.options.compression == .automatic
  }
}

extension Compressor {
  /// Values shorter than this are stored as they are: the record itself takes more.
  static var packedByteCountMin: Int { 16 }

  /// Whether a value that is about to be stored may become smaller; it is a sample for a dictionary in any case.
  @inline(__always)
  func wantsPacking(_ value: RawSpan, _ state: CollectionState) -> Bool {
    guard compresses, value.byteCount >= Self.packedByteCountMin else { return false }
    if trainsDictionaries, state.compressionCells.isSample() { takeSample(value, state) }
    return wantsTrial(of: value.byteCount, state)
  }

  /// Whether it is to be tried to compress a value of so many bytes.
  @inline(__always)
  func wantsTrial(of byteCount: Int, _ state: CollectionState) -> Bool {
    let cells = state.compressionCells
    let hasDictionary = byteCount <= CollectionCompression.dictionaryByteCountMax && cells.hasDictionary
    if !hasDictionary, byteCount < CollectionCompression.plainByteCountMin { return false }
    return cells.wantsTrial(of: byteCount, withDictionary: hasDictionary)
  }

  /// Takes a value as a sample; enough of them begin a training.
  @inline(never)
  func takeSample(_ value: RawSpan, _ state: CollectionState) {
    if state.compression.samples.take(value) { background.planTraining() }
  }

  /// Compresses a value that `wantsPacking` was asked of, if that saves at least an eighth.
  func pack(_ value: RawSpan, _ state: CollectionState, with codec: ZstdCodec) -> PackedValue? {
    let compression = state.compression
    let byteCount = value.byteCount
    Readers.enter(domain)
    defer { Readers.leave() }
    return compression.withDictionary(for: byteCount) { dictionary in
      // Looking at the clock takes a tenth of compressing a small value.
      let began = codec.isTimed() ? disk.monotonicClock() : nil
      let packed = pack(value, with: dictionary, codec)
      if let began {
        let taken = (disk.monotonicClock() &- began) &* ZstdCodec.timedOneOf
        compression.nanoseconds.add(taken, ordering: .relaxed)
      }
      state.compressionCells.noteTrial(
        byteCount, withDictionary: dictionary != nil, isCompressible: packed != nil)
      return packed
    }
  }

  /// Compresses a value, if that saves at least an eighth and takes at most so many bytes.
  ///
  /// In a reader's scope if there is a dictionary.
  func pack(
    _ value: RawSpan, with dictionary: CompressionDictionary?, atMost byteCountMax: Int = .max,
    _ codec: ZstdCodec
  ) -> PackedValue? {
    guard let transform = Transform(zstdOf: value.byteCount, with: dictionary), let level = level
    else { return nil }
    let limit = min(Self.packedByteCountMax(of: value.byteCount), byteCountMax) - transform.byteCount
    let bytes = unsafe codec.compress(value, level: level, with: dictionary, toAtMost: limit)
    return unsafe bytes.map { unsafe PackedValue(bytes: $0, transform: transform) }
  }

  /// What a value of so many bytes may take at most to be stored compressed.
  static func packedByteCountMax(of byteCount: Int) -> Int { byteCount - byteCount / 8 }

  /// Whether a value may still be stored as it was compressed; not if its dictionary has been retired since.
  @inline(__always)
  func mayStore(_ transform: Transform, _ state: CollectionState, _ writer: borrowing LogWriter) -> Bool {
    transform.dictionary == 0 || transform.dictionary == state.compression.dictionaryNumber(writer.permit)
  }
}

// MARK: Compressing anew

extension Compressor {
  /// Compresses the value of a record anew, if it was not compressed or not with its collection's present dictionary;
  /// nil if it had better stay as it is.
  ///
  /// In a reader's scope.
  func repack(_ record: ScannedRecord, _ state: CollectionState, with codec: ZstdCodec) -> PackedValue? {
    guard let view = record.view else { return nil }
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
    header(holding: unsafe value.bytes.count, transform: value.transform)
  }

  /// The header of such a record in no batch, if it holds so many bytes that were made in a way.
  func header(holding valueByteCount: Int, transform: Transform?) -> RecordHeader {
    RecordHeader(
      kind: kind, sequence: SequenceNumber(sequence)!, collection: collection, expiry: expiry,
      transform: transform, keyByteCount: Int(keyByteCount), valueByteCount: valueByteCount)
  }
}

extension SedimentCompression {
  /// The level that values are compressed at; nil if they are not.
  var level: Int32? {
    switch self {
    case .off: nil
    case .zstd(let level): Int32(level)
    case .automatic: Self.automaticLevel
    }
  }

  private static var automaticLevel: Int32 { 1 }
}
