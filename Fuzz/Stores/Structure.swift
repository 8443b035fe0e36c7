internal import SedimentFormat

/// A structure of a store's file, and where its integers lie.
struct Structure {
  enum Kind: Hashable {
    case superblock, header, record, frame, place, indexPage
    case control(type: UInt8)
    case entry(tag: UInt8)
  }

  let kind: Kind
  /// The bytes of the file that each integer has, in the same order for all structures of a kind.
  let fields: [Range<Int>]

  /// The fields from `start` on; each is its distance from there and its number of bytes.
  private init(_ kind: Kind, at start: Int, _ fields: [(Int, Int)]) {
    self.kind = kind
    self.fields = fields.map { start + $0.0..<start + $0.0 + $0.1 }
  }

  /// Slot, number of slots, kind, generation, salt.
  private static func identity(at place: Int) -> [(Int, Int)] {
    [(0, 4), (4, 4), (8, 4), (12, 8), (20, 8)].map { ($0.0 + place, $0.1) }
  }

  private static let superblock =
    [(16, 8), (24, 8), (40, 8), (56, 8), (69, 1), (104, 8), (120, 8)] + identity(at: 128)
    + [(160, 8), (168, 8), (176, 8)]
  private static let header = identity(at: 12) + [(56, 8), (64, 8), (72, 8), (80, 8)]

  /// All structures of a file, in its order, as far as its bytes lead from one to the next.
  static func all(in bytes: [UInt8]) -> [Structure] {
    guard let file = FileLayout.identity(in: bytes) else { return [] }
    var found = Superblock.Copy.allCases.map { Structure(.superblock, at: Int($0.byteOffset), superblock) }
    for header in FileLayout.headers(in: bytes, of: file) {
      let home = FileLayout.byteRange(of: header.identity, in: bytes)
      found.append(Structure(.header, at: home.lowerBound, Self.header))
      switch header.identity.kind {
      case .hot, .survivors:
        for range in RecordWalk(bytes, header.identity, home) {
          found += record(range, FileLayout.place(at: range.lowerBound, header, file), in: bytes)
        }
      case .index: found += pages(in: bytes, home)
      case .extent, .window: break
      }
    }
    return found
  }

  private static func pages(in bytes: [UInt8], _ home: Range<Int>) -> [Structure] {
    let first = home.lowerBound + SegmentHeader.byteCount
    return stride(from: first, through: home.upperBound - IndexPage.byteCount, by: IndexPage.byteCount)
      .compactMap { start in
        guard let count = FileLayout.wordCount(ofPageAt: start, in: bytes) else { return nil }
        return Structure(
          .indexPage, at: start, [(4, 4)] + (0..<count).map { (IndexPage.headByteCount + $0 * 8, 8) })
      }
  }

  // MARK: Records

  private static func record(_ range: Range<Int>, _ place: RecordPlace, in bytes: [UInt8]) -> [Structure] {
    let start = range.lowerBound
    let record = unsafe bytes.span.bytes.extracting(range)
    guard let header = try? RecordHeader.decode(record, at: place) else { return [] }
    let value = header.valueRange
    // Shape, bytes of the value and of the key, sequence; then what only some have.
    var fields = [(4, 1), (5, 3), (8, 2), (10, 6)]
    var offset = Limits.recordFixedByteCount
    if header.collection != 0 {
      fields.append((offset, 4))
      offset += 4
    }
    if header.expiry != 0 {
      fields.append((offset, 6))
      offset += 6
    }
    var found = [Structure(.record, at: start, fields)]
    if let transform = header.transform {
      let numbers = transform.byteCount == 8 ? [(0, 1), (1, 3), (4, 4)] : [(0, 1), (1, 1), (2, 2)]
      let bytes = (0..<min(value.count, 24)).map { (value.lowerBound - offset + $0, 1) }
      found.append(Structure(.frame, at: start + offset, numbers + bytes))
    }
    switch header.kind {
    case .put, .remove: break
    case .putLarge: found += self.place(at: start + value.lowerBound, record.extracting(value))
    case .control: found += control(at: start + value.lowerBound, record.extracting(value))
    }
    return found
  }

  private static func place(at start: Int, _ value: RawSpan) -> [Structure] {
    guard let place = try? ValuePlace.decode(value) else { return [] }
    let pieces = place.pieces.indices.flatMap { number in
      identity(at: 16 + number * 40) + [(16 + number * 40 + 32, 8)]
    }
    return [Structure(.place, at: start, [(0, 8), (8, 4)] + pieces)]
  }

  private static func control(at start: Int, _ value: RawSpan) -> [Structure] {
    let type: UInt8 = value.integer(at: 0)
    let fields: [(Int, Int)] =
      switch try? ControlRecord.decode(value) {
      case .mark: [(2, 6), (8, 8), (16, 8), (24, 8)]
      case .seal: [(4, 4)] + identity(at: 8)
      case .commit: [(4, 4)]
      case .catalogueChange: [(4, 4)]
      case .checkpointPart: [(2, 2), (4, 2), (6, 2)]
      case .ignorable, nil: []
      }
    return [Structure(.control(type: type), at: start, fields)]
      + FileLayout.entries(value).map { entry(at: start + $0.offset, value, $0.offset) }
  }

  private static func entry(at start: Int, _ value: RawSpan, _ offset: Int) -> Structure {
    let tag: UInt8 = value.integer(at: offset)
    return Structure(.entry(tag: tag), at: start, entryFields(tag, value.integer(UInt8.self, at: offset + 1)))
  }

  /// The integers of an entry, by its tag and its length in units.
  static func entryFields(_ tag: UInt8, _ unitCount: UInt8) -> [(Int, Int)] {
    switch tag {
    case 1: [(4, 4), (8, 8), (16, 4), (20, 4)] + stride(from: 40, to: 128, by: 8).map { ($0, 8) }
    case 2:
      identity(at: 4) + [(32, 8), (40, 8), (48, 8), (56, 8), (64, 8), (72, 4), (76, 4), (84, 4)]
        + (unitCount < 16 ? [] : stride(from: 88, to: 120, by: 4).map { ($0, 4) })
    case 3: [(4, 4), (8, 8)]
    case 4: [(4, 4), (8, 8), (16, 1)]
    case 5, 6, 8: [(4, 4)]
    case 7: [(4, 4), (8, 4), (12, 4), (16, 8)]
    case 9:
      [(4, 4), (8, 4), (12, 4)] + identity(at: 16)
        + [(48, 8), (56, 8), (64, 8), (72, 8), (80, 8), (96, 8), (104, 4), (108, 1), (109, 1)]
    default: []
    }
  }
}
