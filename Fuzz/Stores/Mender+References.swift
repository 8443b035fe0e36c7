internal import SedimentFormat

// Checksums in records of what lies elsewhere in the file: extents, dictionaries, pages of a stored index.

extension Mender {
  /// Mends the chunk tables of a large value's extents, and what its record says of them.
  mutating func mendPlace(_ range: Range<Int>) {
    guard let place = try? ValuePlace.decode(unsafe bytes.span.bytes.extracting(range)) else { return }
    let pieces = place.pieces.compactMap { piece in
      ValuePlace.Piece(
        extent: piece.extent, checksum: mendTable(of: piece) ?? piece.checksum,
        storedByteCount: piece.storedByteCount)
    }
    guard let mended = ValuePlace(pieces: pieces, tailByteCount: place.tailByteCount) else { return }
    bytes.replaceSubrange(range.prefix(mended.tailOffset), with: mended.encode())
  }

  /// The checksum of an extent's chunk table once it is mended; nil for one that reaches beyond the file.
  private mutating func mendTable(of piece: ValuePlace.Piece) -> Checksum? {
    let layout = ExtentLayout(storedByteCount: piece.storedByteCount)
    let start = piece.extent.run.byteRange.lowerBound
    guard start + layout.tableOffset + UInt64(layout.tableByteCount) <= UInt64(bytes.count) else {
      return nil
    }
    let seed = piece.extent.seed(in: file)
    let table = Int(start + layout.tableOffset)
    for number in 0..<layout.chunkCount {
      let chunk = layout.chunk(number)
      let first = Int(start + ExtentLayout.bytesOffset + chunk.lowerBound)
      let checksum = checksum(ofChunk: number, first..<first + chunk.count, seed)
      Self.store(checksum.rawValue, at: table + number * 4, in: &bytes)
    }
    return Self.checksum(of: bytes, in: table..<table + layout.tableByteCount, behind: seed)
  }

  private func checksum(ofChunk number: Int, _ range: Range<Int>, _ seed: Checksum) -> Checksum {
    ExtentLayout.checksum(ofChunk: number, unsafe bytes.span.bytes.extracting(range), seed: seed)
  }

  /// Mends the checksums in the entries of a catalogue change or checkpoint part, which lies at a range of the file.
  mutating func mendEntries(_ range: Range<Int>) {
    for (entry, offset) in FileLayout.entries(unsafe bytes.span.bytes.extracting(range)) {
      guard let mended = mended(entry) else { continue }
      var elements = bytes.mutableSpan
      var span = unsafe elements.mutableBytes
      mended.encode(into: &span, at: range.lowerBound + offset)
    }
  }

  private mutating func mended(_ entry: CatalogueEntry) -> CatalogueEntry? {
    switch entry {
    case .indexPart(let part) where rule.mendsIndex: mended(part).map { .indexPart($0) }
    case .dictionary(let entry): mended(entry).map { .dictionary($0) }
    default: nil
    }
  }

  private mutating func mended(_ part: IndexPartEntry) -> IndexPartEntry? {
    let start = part.segment.run.byteRange.lowerBound + UInt64(SegmentHeader.byteCount)
    let byteCount = UInt64(part.pageCount) * UInt64(IndexPage.byteCount)
    guard start + byteCount <= UInt64(bytes.count) else { return nil }
    let seed = part.segment.seed(in: file)
    var sum = Checksum.empty
    for number in 0..<part.pageCount {
      let offset = Int(start) + Int(number) * IndexPage.byteCount
      guard let wordCount = FileLayout.wordCount(ofPageAt: offset, in: bytes) else { return nil }
      var elements = bytes.mutableSpan
      var span = unsafe elements.mutableBytes
      let checksum = IndexPage.seal(
        &span, at: offset, number: number, wordCount: wordCount, seed: seed)
      sum = sum.continued(with: checksum.rawValue)
    }
    return IndexPartEntry(
      partitions: part.partitions, of: part.partitionTotal, splitBy: part.splitBitCount,
      pageCount: part.pageCount,
      segment: part.segment, checksum: sum, replayFrom: part.replayFrom,
      generationLimit: part.generationLimit, entryCount: part.entryCount, keyHash: part.keyHash,
      hashVersion: part.hashVersion, build: part.build)
  }

  /// The entry of a dictionary with the checksum of the bytes that its record has.
  private func mended(_ entry: DictionaryEntry) -> DictionaryEntry? {
    let offset = entry.offset.byteOffset
    guard offset < UInt64(bytes.count),
      let range = RecordWalk.record(in: bytes, at: Int(offset), before: bytes.count)
    else { return nil }
    let record = unsafe bytes.span.bytes.extracting(range)
    // A dictionary's record has nothing but its collection between the fixed fields and the key.
    let value =
      Limits.recordFixedByteCount + RecordHeader.Field.collectionByteCount
      + DictionaryEntry.keyByteCount
    let end = value + Int(record.uint24(at: RecordHeader.Field.valueByteCount))
    guard end <= record.byteCount else { return nil }
    return DictionaryEntry(
      number: entry.number, collection: entry.collection,
      checksum: Checksum.empty.continued(with: record.extracting(value..<end)), offset: entry.offset)
  }
}
