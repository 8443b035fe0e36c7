internal import SedimentFormat

/// Counts what lives in each segment, from good records that are shown to it in the order of generations.
final class LiveCounting {
  private var visitor: IndexVisitor
  private let index: HashIndex
  private let catalogue: Catalogue
  /// What opening would take from a stored index; nil if there is none that counts.
  private var stored: StoredIndexCheck?
  private let batch = ScannedBatch()
  /// Whether all that was shown was counted; not so if the disk cannot read again what it read before.
  private(set) var isWhole = true
  /// The large values, each with its key's hash and where its record lies.
  private var larges: [(hash: UInt64, position: UInt64, place: ValuePlace)] = []

  /// Counts the records of these segments, which are in the order of their generations.
  init(
    _ segments: [SegmentEntry], of catalogue: Catalogue, _ surveyed: SurveyedFile, keyHash: KeyHash,
    _ stored: StoredIndexCheck?
  ) {
    (self.catalogue, self.stored) = (catalogue, stored)
    index = HashIndex(keyHash: keyHash) { $0.free() }
    let source = RecordSource(surveyed.file, byteCount: surveyed.byteCount)
    visitor = IndexVisitor(index, source, catalogue, segments)
  }

  /// The records that follow are of the segment of that number.
  func begin(_ number: Int) {
    if batch.count > 0 {
      do throws(SedimentError) {
        try visitor.take(batch)
      } catch {
        isWhole = false
      }
    }
    batch.begin(number)
  }

  /// Takes a good record of a user; `bytes` are all of it.
  func take(_ header: RecordHeader, _ place: ValuePlace?, _ bytes: RawSpan, at offset: UInt64) {
    stored?.take(
      bytes.extracting(header.keyRange), header.collection, at: offset / UInt64(Limits.unitByteCount),
      isCleared: catalogue.deadUpTo(collection: header.collection).map { header.sequence <= $0 } ?? true)
    if let place {
      let hash = index.view.hash(bytes.extracting(header.keyRange), collection: header.collection)
      larges.append((hash, offset / UInt64(Limits.unitByteCount), place))
    }
    unsafe bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      let record = unsafe ScannedRecord(header, at: offset, in: start)
      if batch.add(record, index.view.keyHash) { return }
      begin(batch.segment)
      _ = batch.add(record, index.view.keyHash)
    }
  }

  /// Whether the stored index, if there is one, says what the records say; asked after `finish`.
  var isStoredIndexTrue: Bool { stored?.agrees(with: index, visitor.live, visitor.collections) ?? true }

  /// The bytes that live in each segment, by its number; and of all large values, whether they do.
  func finish() -> (byteCounts: [UInt64], larges: [(place: ValuePlace, position: UInt64, isLive: Bool)]) {
    begin(batch.segment)
    visitor.removeTombstones()
    let found = larges.map { large in
      var probe = index.view.probe(large.hash)
      while let entry = probe.next() {
        if entry.position == large.position { return (large.place, large.position, true) }
      }
      return (large.place, large.position, false)
    }
    return (visitor.live.map(\.byteCount), found)
  }
}
