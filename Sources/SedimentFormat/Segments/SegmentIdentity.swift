/// What a segment is used for.
package enum SegmentKind: UInt32, Sendable, CaseIterable {
  /// Written by users' calls, in their order.
  case hot = 1
  /// Records that compaction copied, in no order.
  case survivors = 2
  /// The bytes of one large value.
  case extent = 3
  /// Pages of a stored index.
  case index = 4
  /// The window that records are stored into before they go to their places in the log.
  case window = 6

  /// Whether its segments hold records of the log.
  package var holdsRecords: Bool { self == .hot || self == .survivors }
}

/// One use of some slots, told apart from every other: the identity block of DESIGN.md 3.3.
///
///     offset  0  first slot (4)
///             4  number of slots (4)
///             8  kind (4)
///            12  generation (8)
///            20  salt (8)
package struct SegmentIdentity: Hashable, Sendable {
  package let run: SlotRun
  package let kind: SegmentKind
  package let generation: Generation
  package let salt: UInt64

  package init(run: SlotRun, kind: SegmentKind, generation: Generation, salt: UInt64) {
    self.run = run
    self.kind = kind
    self.generation = generation
    self.salt = salt
  }

  package static let byteCount = 28

  private enum Place {
    static let slot = 0
    static let slotCount = 4
    static let kind = 8
    static let generation = 12
    static let salt = 20
  }

  /// The positions at which the records of the segment begin and end.
  package var recordRange: ClosedRange<UnitOffset> {
    let bounds = run.unitRange
    let headerUnitCount = UInt64(SegmentHeader.byteCount / Limits.unitByteCount)
    return UnitOffset(unchecked: bounds.lowerBound.rawValue + headerUnitCount)...bounds.upperBound
  }

  /// Whether a record of the segment may begin at a position.
  package func holdsRecord(at offset: UnitOffset) -> Bool {
    recordRange.contains(offset) && offset < recordRange.upperBound
  }

  /// Where the checksums of what the segment holds begin.
  ///
  /// Two uses of the same slots must not have the same one in succession (invariant 5).
  package func seed(in file: FileIdentity) -> Checksum {
    let block = encoded(byteCount: Self.byteCount) { encode(into: &$0, at: 0) }
    return file.checksum.continued(with: unsafe block.span.bytes)
  }

  package func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(run.first, at: offset + Place.slot)
    bytes.store(run.count, at: offset + Place.slotCount)
    bytes.store(kind.rawValue, at: offset + Place.kind)
    bytes.store(generation.rawValue, at: offset + Place.generation)
    bytes.store(salt, at: offset + Place.salt)
  }

  /// The number of the kind in an encoded identity, of which nothing was checked.
  static func kindNumber(_ bytes: RawSpan, at offset: Int) -> UInt32 {
    bytes.integer(at: offset + Place.kind)
  }

  package static func decode(
    _ bytes: RawSpan, at offset: Int, for structure: FormatError.Structure
  ) throws(FormatError) -> SegmentIdentity {
    guard offset >= 0, bytes.byteCount - byteCount >= offset else {
      throw FormatError(structure, .field(.length))
    }
    guard
      let run = SlotRun(
        first: bytes.integer(at: offset + Place.slot), count: bytes.integer(at: offset + Place.slotCount))
    else { throw FormatError(structure, .field(.slots)) }
    let kindNumber = kindNumber(bytes, at: offset)
    guard let kind = SegmentKind(rawValue: kindNumber) else {
      throw FormatError(structure, kindNumber == 0 ? .field(.kind) : .newer(.kind))
    }
    guard let generation = Generation(bytes.integer(at: offset + Place.generation)) else {
      throw FormatError(structure, .field(.generation))
    }
    return SegmentIdentity(
      run: run, kind: kind, generation: generation, salt: bytes.integer(at: offset + Place.salt))
  }
}
