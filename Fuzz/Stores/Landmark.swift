internal import SedimentFormat

/// A structure of a store's file, at which edits are aimed.
package struct Landmark {
  package enum Kind {
    case superblock
    case header
    /// A record that says nothing of a stored index or a dictionary.
    case record
    /// A record that names the parts of a stored index.
    case indexParts
    case indexPage
    /// The beginning or the end of a large value's extent.
    case extent
    /// A record that is, or names, a dictionary.
    case dictionary
    /// A record with a compressed value.
    case compressed
  }

  package let kind: Kind
  package let range: Range<Int>
  /// The bytes of its segment, or of its half of the head.
  package let home: Range<Int>

  /// Its bytes without those of a record that say where the next one begins.
  package var contents: Range<Int> {
    switch kind {
    case .superblock, .header, .indexPage, .extent: range
    case .record, .indexParts, .dictionary, .compressed: range.dropFirst(Limits.recordFixedByteCount)
    }
  }

  /// All structures of a sound file, in the order of the file; nothing of one whose head is not sound.
  package static func all(in bytes: [UInt8]) -> [Landmark] {
    guard let file = FileLayout.identity(in: bytes) else { return [] }
    var found = Superblock.Copy.allCases.map { copy in
      let start = Int(copy.byteOffset)
      // Behind these fields all is reserved.
      return Landmark(
        kind: .superblock, range: start..<start + 192, home: start..<start + Limits.slotByteCount)
    }
    for header in FileLayout.headers(in: bytes, of: file) {
      let home = FileLayout.byteRange(of: header.identity, in: bytes)
      found.append(
        Landmark(
          kind: .header, range: home.lowerBound..<home.lowerBound + SegmentHeader.byteCount, home: home))
      switch header.identity.kind {
      case .hot, .survivors: found += records(of: header, in: bytes, file, home)
      case .index: found += indexPages(in: bytes, home)
      case .extent:
        found.append(
          Landmark(
            kind: .extent,
            range: home.lowerBound + SegmentHeader.byteCount..<home.lowerBound + SegmentHeader.byteCount + 64,
            home: home))
      case .window: break
      }
    }
    return found
  }

  private static func records(
    of header: SegmentHeader, in bytes: [UInt8], _ file: FileIdentity, _ home: Range<Int>
  ) -> [Landmark] {
    RecordWalk(bytes, header.identity, home).map { range in
      let place = FileLayout.place(at: range.lowerBound, header, file)
      let record = unsafe bytes.span.bytes.extracting(range)
      let decoded = try? RecordHeader.decode(record, at: place)
      return Landmark(kind: kind(decoded, record), range: range, home: home)
    }
  }

  private static func kind(_ header: RecordHeader?, _ record: RawSpan) -> Kind {
    guard let header else { return .record }
    if header.collection == CollectionEntry.dictionaries { return .dictionary }
    if header.transform != nil { return .compressed }
    guard header.kind == .control else { return .record }
    for entry in FileLayout.entries(record.extracting(header.valueRange)) {
      switch entry.entry {
      case .indexPart: return .indexParts
      case .dictionary: return .dictionary
      default: break
      }
    }
    return .record
  }

  private static func indexPages(in bytes: [UInt8], _ home: Range<Int>) -> [Landmark] {
    let first = home.lowerBound + SegmentHeader.byteCount
    return stride(from: first, through: home.upperBound - IndexPage.byteCount, by: IndexPage.byteCount)
      .compactMap { start in
        guard let wordCount = FileLayout.wordCount(ofPageAt: start, in: bytes) else { return nil }
        let end = start + IndexPage.headByteCount + wordCount * 8
        return Landmark(kind: .indexPage, range: start..<end, home: home)
      }
  }
}
