/// Where the bytes of a large value lie: the value of a `putLarge` record (DESIGN.md 3.7).
///
///     | stored bytes 8 | pieces 4 | zeros 4 | a piece 40 | ... | the bytes behind the last piece |
///
/// Each piece lies in an extent of its own; what would waste most of a slot stands in the record itself.
@usableFromInline package struct ValuePlace: Hashable, Sendable {
  package let pieces: [Piece]
  /// The stored bytes of the value that the record holds behind the pieces.
  package let tailByteCount: Int

  /// A run of the value's stored bytes in one extent.
  package struct Piece: Hashable, Sendable {
    package let extent: SegmentIdentity
    /// The checksum of the extent's chunk table.
    package let checksum: Checksum
    package let storedByteCount: UInt64

    /// A piece in an extent of just the slots that it takes; nil for any other.
    package init?(extent: SegmentIdentity, checksum: Checksum, storedByteCount: UInt64) {
      guard extent.kind == .extent, storedByteCount >= 1,
        storedByteCount <= UInt64(Limits.valueByteCountMax),
        extent.run.count == ExtentLayout(storedByteCount: storedByteCount).slotCount
      else { return nil }
      self.extent = extent
      self.checksum = checksum
      self.storedByteCount = storedByteCount
    }

    fileprivate static let byteCount = 40

    fileprivate enum Place {
      static let extent = 0
      static let checksum = 28
      static let storedByteCount = 32
    }
  }

  /// A place of at least one piece and at most a value's bytes; nil for any other.
  package init?(pieces: [Piece], tailByteCount: Int) {
    guard pieces.count >= 1, pieces.count <= Limits.extentPieceCountMax, tailByteCount >= 0,
      tailByteCount <= Limits.inlineValueByteCountMax - Place.pieces - pieces.count * Piece.byteCount
    else { return nil }
    self.pieces = pieces
    self.tailByteCount = tailByteCount
    guard storedByteCount <= UInt64(Limits.valueByteCountMax) else { return nil }
  }

  /// The stored bytes of the whole value; each piece has at most 2^30, so that their sum cannot overflow.
  package var storedByteCount: UInt64 {
    pieces.reduce(UInt64(tailByteCount)) { $0 + $1.storedByteCount }
  }

  /// The slots of its extents.
  package var slotCount: UInt32 {
    pieces.reduce(0) { $0 &+ $1.extent.run.count }
  }

  /// Where the bytes behind the last piece begin, counted from the beginning of the record's value.
  package var tailOffset: Int {
    Place.pieces + pieces.count * Piece.byteCount
  }

  /// The fewest bytes that a place takes.
  @usableFromInline package static let byteCountMin = 56

  private enum Place {
    static let storedByteCount = 0
    static let pieceCount = 8
    static let reserved = 12
    static let pieces = 16
  }

  /// Encodes the place without the tail, which the caller puts behind it.
  package func encode() -> [UInt8] {
    encoded(byteCount: tailOffset) { bytes in
      bytes.store(storedByteCount, at: Place.storedByteCount)
      bytes.store(UInt32(truncatingIfNeeded: pieces.count), at: Place.pieceCount)
      for (number, piece) in pieces.enumerated() {
        let offset = Place.pieces + number * Piece.byteCount
        piece.extent.encode(into: &bytes, at: offset + Piece.Place.extent)
        bytes.store(piece.checksum.rawValue, at: offset + Piece.Place.checksum)
        bytes.store(piece.storedByteCount, at: offset + Piece.Place.storedByteCount)
      }
    }
  }

  /// Decodes the place at the beginning of a record's value; what is behind the pieces is the tail.
  package static func decode(_ value: RawSpan) throws(FormatError) -> ValuePlace {
    guard value.byteCount >= byteCountMin else { throw failure(.field(.length)) }
    let pieceCount: UInt32 = value.integer(at: Place.pieceCount)
    guard pieceCount >= 1, pieceCount <= Limits.extentPieceCountMax,
      Int(pieceCount) <= (value.byteCount - Place.pieces) / Piece.byteCount
    else { throw failure(.field(.pieces)) }
    guard value.isZero(Place.reserved..<Place.pieces) else { throw failure(.field(.reserved)) }
    var pieces: [Piece] = []
    pieces.reserveCapacity(Int(pieceCount))
    for number in 0..<Int(pieceCount) {
      pieces.append(try decodePiece(value, at: Place.pieces + number * Piece.byteCount))
    }
    let tailByteCount = value.byteCount - Place.pieces - pieces.count * Piece.byteCount
    guard let place = ValuePlace(pieces: pieces, tailByteCount: tailByteCount),
      value.integer(at: Place.storedByteCount) == place.storedByteCount
    else { throw failure(.field(.length)) }
    return place
  }

  private static func decodePiece(_ value: RawSpan, at offset: Int) throws(FormatError) -> Piece {
    let extent = try SegmentIdentity.decode(value, at: offset + Piece.Place.extent, for: .valuePlace)
    guard
      let piece = Piece(
        extent: extent, checksum: Checksum(value.integer(at: offset + Piece.Place.checksum)),
        storedByteCount: value.integer(at: offset + Piece.Place.storedByteCount))
    else { throw failure(.field(.pieces)) }
    return piece
  }

  private static func failure(_ fault: FormatError.Fault) -> FormatError {
    FormatError(.valuePlace, fault)
  }
}
