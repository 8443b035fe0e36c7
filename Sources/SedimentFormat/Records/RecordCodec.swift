extension RecordHeader {
  // MARK: Encoding

  /// Writes a record, all but the key, value and trailer that the caller puts at `keyRange`, `valueRange` and
  /// `trailerRange` before `seal` completes it.
  ///
  /// The header must have no `violation`, and `bytes` must be `byteCount` long.
  @inlinable package func encode(into bytes: inout MutableRawSpan) {
    assert(violation == nil && bytes.byteCount == byteCount)
    bytes.store(shape, at: Field.shape)
    bytes.store24(UInt32(truncatingIfNeeded: valueByteCount), at: Field.valueByteCount)
    bytes.store(UInt16(truncatingIfNeeded: keyByteCount), at: Field.keyByteCount)
    bytes.store48(sequence.rawValue, at: Field.sequence)
    var offset = Limits.recordFixedByteCount
    if collection != 0 {
      bytes.store(collection, at: offset)
      offset += Field.collectionByteCount
    }
    if expiry != 0 {
      bytes.store48(expiry, at: offset)
      offset += Field.expiryByteCount
    }
    if let transform {
      transform.encode(into: &bytes, at: offset)
      offset += transform.byteCount
    }
    if trailerByteCount != 0 {
      bytes.store(UInt16(truncatingIfNeeded: trailerByteCount), at: offset)
    }
    bytes.zero(trailerRange.upperBound..<byteCount)
  }

  /// Stores the checksum of a record whose other bytes are complete.
  @inlinable package static func seal(_ bytes: inout MutableRawSpan, at place: RecordPlace) {
    bytes.store(place.checksum(of: bytes.bytes).rawValue, at: Field.checksum)
  }

  @inlinable var shape: UInt8 {
    kind.rawValue | (collection == 0 ? 0 : Shape.collection) | (expiry == 0 ? 0 : Shape.expiry)
      | (transform == nil ? 0 : Shape.transform) | (trailerByteCount == 0 ? 0 : Shape.trailer)
      | (isBatched ? Shape.batched : 0)
  }

  // MARK: Decoding

  /// Decodes the record that `bytes` begin with; they reach to the end of its segment or further than it.
  ///
  /// `.absent` means that no record was ever written there as far as one can tell: its kind is 0. Nothing but
  /// the lengths is believed before the checksum matched.
  @inlinable package static func decode(
    _ bytes: RawSpan, at place: RecordPlace
  ) throws(FormatError) -> RecordHeader {
    let byteCount = try claimedByteCount(bytes)
    guard
      bytes.integer(at: Field.checksum) == place.checksum(of: bytes.extracting(0..<byteCount)).rawValue
    else { throw FormatError(.record, .checksum) }
    return try decodeFields(bytes, at: place)
  }

  /// The length that the bytes claim to have as a record, within `bytes`; not to be believed.
  @inlinable package static func claimedByteCount(_ bytes: RawSpan) throws(FormatError) -> Int {
    guard bytes.byteCount >= Limits.recordFixedByteCount else { throw FormatError(.record, .truncated) }
    let shape: UInt8 = bytes.integer(at: Field.shape)
    guard shape & Shape.kind != 0 else { throw FormatError(.record, .absent) }
    var byteCount = Limits.recordFixedByteCount
    if shape & Shape.collection != 0 { byteCount += Field.collectionByteCount }
    if shape & Shape.expiry != 0 { byteCount += Field.expiryByteCount }
    if shape & Shape.transform != 0 {
      guard bytes.byteCount > byteCount else { throw FormatError(.record, .truncated) }
      byteCount += Transform.byteCount(how: bytes.integer(at: byteCount))
    }
    if shape & Shape.trailer != 0 {
      byteCount += Field.trailerByteCount
      guard bytes.byteCount >= byteCount else { throw FormatError(.record, .truncated) }
      byteCount += Int(bytes.integer(UInt16.self, at: byteCount - Field.trailerByteCount))
    }
    byteCount += Int(bytes.integer(UInt16.self, at: Field.keyByteCount))
    byteCount += Int(bytes.uint24(at: Field.valueByteCount))
    byteCount = (byteCount + 7) & ~7
    guard byteCount <= bytes.byteCount else { throw FormatError(.record, .truncated) }
    return byteCount
  }

  /// Decodes the fields of a record whose lengths were checked.
  @inlinable static func decodeFields(
    _ bytes: RawSpan, at place: RecordPlace
  ) throws(FormatError) -> RecordHeader {
    let shape: UInt8 = bytes.integer(at: Field.shape)
    guard let kind = RecordKind(rawValue: shape & Shape.kind) else {
      throw FormatError(.record, .newer(.kind))
    }
    guard let sequence = place.sequence(low: bytes.uint48(at: Field.sequence)) else {
      throw FormatError(.record, .field(.sequence))
    }
    var header = RecordHeader(
      kind: kind, isBatched: shape & Shape.batched != 0, sequence: sequence,
      keyByteCount: Int(bytes.integer(UInt16.self, at: Field.keyByteCount)),
      valueByteCount: Int(bytes.uint24(at: Field.valueByteCount)))
    try header.decodeOptionalFields(bytes, shape)
    if let field = header.violation { throw FormatError(.record, .field(field)) }
    guard bytes.isZero(header.trailerRange.upperBound..<header.byteCount) else {
      throw FormatError(.record, .field(.padding))
    }
    return header
  }

  @inlinable mutating func decodeOptionalFields(_ bytes: RawSpan, _ shape: UInt8) throws(FormatError) {
    var offset = Limits.recordFixedByteCount
    if shape & Shape.collection != 0 {
      collection = bytes.integer(at: offset)
      guard collection != 0 else { throw FormatError(.record, .field(.collection)) }
      offset += Field.collectionByteCount
    }
    if shape & Shape.expiry != 0 {
      expiry = bytes.uint48(at: offset)
      guard expiry != 0 else { throw FormatError(.record, .field(.expiry)) }
      offset += Field.expiryByteCount
    }
    if shape & Shape.transform != 0 {
      guard let found = Transform.decode(bytes, at: offset) else {
        throw FormatError(.record, .field(.transform))
      }
      transform = found
      offset += found.byteCount
    }
    if shape & Shape.trailer != 0 {
      trailerByteCount = Int(bytes.integer(UInt16.self, at: offset))
      guard trailerByteCount != 0 else { throw FormatError(.record, .field(.trailer)) }
    }
  }
}
