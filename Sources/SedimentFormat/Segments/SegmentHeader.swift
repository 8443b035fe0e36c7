/// The 128 bytes that a segment begins with (DESIGN.md 3.3).
///
/// The checkpoint and the log say which segments count; the header lets a segment be recognised without them.
package struct SegmentHeader: Hashable, Sendable {
  package let identity: SegmentIdentity
  /// Every record of the segment has a higher sequence; in a hot segment the first one follows it.
  package let base: SequenceNumber
  /// No record of the segment was superseded by one of this sequence or a lower one (invariant 14).
  package let floor: SequenceNumber
  /// Where the hot log stood before this segment; nil for its first segment and for other kinds.
  package let predecessor: LogPosition?

  package init(
    identity: SegmentIdentity, base: SequenceNumber, floor: SequenceNumber, predecessor: LogPosition? = nil
  ) {
    self.identity = identity
    self.base = base
    self.floor = floor
    self.predecessor = predecessor
  }

  package static let byteCount = Limits.segmentHeaderByteCount

  private enum Place {
    static let identity = 12
    static let fileLow = 40
    static let fileHigh = 48
    static let base = 56
    static let floor = 64
    static let predecessorGeneration = 72
    static let predecessorOffset = 80
    static let dataKey = 92
    static let reserved = 96
  }

  private static let magic = 0x4d47_4553_4944_4553 as UInt64  // "SEDISEGM"

  package func encode(in file: FileIdentity) -> [UInt8] {
    MagicBlock.encode(Self.magic, byteCount: Self.byteCount) { bytes in
      identity.encode(into: &bytes, at: Place.identity)
      bytes.store(file.low, at: Place.fileLow)
      bytes.store(file.high, at: Place.fileHigh)
      bytes.store(base.rawValue, at: Place.base)
      bytes.store(floor.rawValue, at: Place.floor)
      bytes.store(predecessor?.generation.rawValue ?? 0, at: Place.predecessorGeneration)
      bytes.store(predecessor?.offset.rawValue ?? 0, at: Place.predecessorOffset)
    }
  }

  /// Decodes the header of the segment that begins at `slot`; one that says another place or another file was
  /// misdirected.
  ///
  /// The magic of a freed segment is zero. Its seed is the one that the next use of the slot must differ from.
  package static func decode(
    _ bytes: RawSpan, in file: FileIdentity, at slot: UInt32, mayBeFreed: Bool = false
  ) throws(FormatError) -> SegmentHeader {
    let (found, header) = try decode(bytes, at: slot, mayBeFreed: mayBeFreed)
    guard found == file else { throw failure(.field(.identity)) }
    return header
  }

  /// Decodes the header at `slot` of a file whose identity is not known, for a salvage without superblocks.
  package static func decode(
    _ bytes: RawSpan, at slot: UInt32, mayBeFreed: Bool = false
  ) throws(FormatError) -> (file: FileIdentity, header: SegmentHeader) {
    try MagicBlock.check(bytes, magic, byteCount: byteCount, mayLackMagic: mayBeFreed, for: .segmentHeader)
    guard
      let file = FileIdentity(low: bytes.integer(at: Place.fileLow), high: bytes.integer(at: Place.fileHigh))
    else { throw failure(.field(.identity)) }
    let identity = try SegmentIdentity.decode(bytes, at: Place.identity, for: .segmentHeader)
    guard identity.run.first == slot else { throw failure(.field(.slots)) }
    guard let base = SequenceNumber(bytes.integer(at: Place.base)) else { throw failure(.field(.base)) }
    guard let floor = SequenceNumber(bytes.integer(at: Place.floor)),
      floor == base || floor > base && identity.kind != .hot
    else {
      throw failure(.field(.floor))
    }
    guard bytes.integer(UInt32.self, at: Place.dataKey) == 0 else { throw failure(.newer(.dataKey)) }
    guard bytes.isZero(Place.reserved..<byteCount) else { throw failure(.field(.reserved)) }
    let header = SegmentHeader(
      identity: identity, base: base, floor: floor, predecessor: try decodePredecessor(bytes, of: identity))
    return (file, header)
  }

  private static func decodePredecessor(
    _ bytes: RawSpan, of identity: SegmentIdentity
  ) throws(FormatError) -> LogPosition? {
    let (generation, offset): (UInt64, UInt64) =
      (bytes.integer(at: Place.predecessorGeneration), bytes.integer(at: Place.predecessorOffset))
    if generation == 0 && offset == 0 { return nil }
    guard let generation = Generation(generation), let offset = UnitOffset(offset),
      identity.kind == .hot, generation < identity.generation
    else { throw failure(.field(.predecessor)) }
    return LogPosition(generation, offset)
  }

  private static func failure(_ fault: FormatError.Fault) -> FormatError {
    FormatError(.segmentHeader, fault)
  }
}
