internal import SedimentFormat

/// Where the structures of a store's file lie, as far as they can be told from the file alone.
enum FileLayout {
  /// The file's identity, by the first superblock that is sound.
  static func identity(in bytes: [UInt8]) -> FileIdentity? {
    for copy in Superblock.Copy.allCases {
      let start = Int(copy.byteOffset)
      guard bytes.count >= start + Superblock.byteCount else { continue }
      let block = unsafe bytes.span.bytes.extracting(start..<start + Superblock.byteCount)
      if let found = try? Superblock.decode(block, copy: copy) { return found.identity }
    }
    return nil
  }

  /// The sound headers that lie at the beginning of slots, in the order of these.
  static func headers(in bytes: [UInt8], of file: FileIdentity) -> [SegmentHeader] {
    slots(in: bytes).compactMap { slot in
      let start = Int(slot) * Limits.slotByteCount
      return try? SegmentHeader.decode(
        unsafe bytes.span.bytes.extracting(start..<bytes.count), in: file, at: slot)
    }
  }

  /// The slots behind the head of which there is at least a header.
  static func slots(in bytes: [UInt8]) -> Range<UInt32> {
    let behind = max(bytes.count - SegmentHeader.byteCount, 0) / Limits.slotByteCount + 1
    return Limits.headSlotCount..<max(UInt32(behind), Limits.headSlotCount)
  }

  /// The bytes of a segment, as far as the file reaches; the segment begins within it.
  static func byteRange(of segment: SegmentIdentity, in bytes: [UInt8]) -> Range<Int> {
    let range = segment.run.byteRange
    return Int(range.lowerBound)..<Int(min(range.upperBound, UInt64(bytes.count)))
  }

  static func place(at offset: Int, _ header: SegmentHeader, _ file: FileIdentity) -> RecordPlace {
    // Records begin at whole units within the file.
    RecordPlace(
      seed: header.identity.seed(in: file), base: header.base,
      offset: UnitOffset(byteOffset: UInt64(offset))!)
  }

  /// The words that a page of a stored index claims to have; nil for a number that none has.
  static func wordCount(ofPageAt offset: Int, in bytes: [UInt8]) -> Int? {
    // It stands behind the checksum, last in the page's head.
    let place = offset + IndexPage.headByteCount - MemoryLayout<UInt32>.size
    let count = Int(unsafe bytes.span.bytes.integer(UInt32.self, at: place))
    return (1...IndexPage.wordCountMax).contains(count) ? count : nil
  }

  /// The catalogue's entries in the value of a control record, each with its place there.
  static func entries(_ value: RawSpan) -> [(entry: CatalogueEntry, offset: Int)] {
    let entries: [CatalogueEntry]
    switch try? ControlRecord.decode(value) {
    case .catalogueChange(let change): entries = change.entries
    case .checkpointPart(let part): entries = part.entries
    default: return []
    }
    // They fill the value to its end.
    var offset = value.byteCount - entries.reduce(0) { $0 + $1.byteCount }
    return entries.map { entry in
      defer { offset += entry.byteCount }
      return (entry, offset)
    }
  }
}

/// The places of a segment's records, as their lengths lead from one to the next; whether they are sound is not asked.
struct RecordWalk: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private let end: Int
  private var offset: Int

  init(_ bytes: [UInt8], _ segment: SegmentIdentity, _ home: Range<Int>) {
    self.bytes = bytes
    end = home.upperBound
    offset = Int(segment.recordRange.lowerBound.byteOffset)
  }

  mutating func next() -> Range<Int>? {
    guard let range = Self.record(in: bytes, at: offset, before: end) else { return nil }
    offset = range.upperBound
    return range
  }

  /// The bytes that claim to be a record at an offset; nil where there is none, or it would reach beyond the end.
  static func record(in bytes: [UInt8], at offset: Int, before end: Int) -> Range<Int>? {
    guard offset < end else { return nil }
    let rest = unsafe bytes.span.bytes.extracting(offset..<end)
    guard let count = try? RecordHeader.claimedByteCount(rest) else { return nil }
    return offset..<offset + count
  }
}
