extension RecordHeader {
  /// Writes a record, all but the key and value that the caller puts at `keyRange` and `valueRange` before `seal`
  /// completes it.
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
    transform?.encode(into: &bytes, at: offset)
    bytes.zero(valueRange.upperBound..<byteCount)
  }

  /// Stores the checksum of a record whose other bytes are complete.
  @inlinable package static func seal(_ bytes: inout MutableRawSpan, at place: RecordPlace) {
    bytes.store(place.checksum(of: bytes.bytes).rawValue, at: Field.checksum)
  }

  @inlinable var shape: UInt8 {
    kind.rawValue | (collection == 0 ? 0 : Shape.collection) | (expiry == 0 ? 0 : Shape.expiry)
      | (transform == nil ? 0 : Shape.transform) | (isBatched ? Shape.batched : 0)
  }

  /// Decodes the record that `bytes` begin with; they reach to the end of its segment or further than it.
  ///
  /// `.absent` means that no record was ever written there as far as one can tell: its kind is 0. Nothing but
  /// the lengths is believed before the checksum matched.
  @inlinable package static func decode(
    _ bytes: RawSpan, at place: RecordPlace
  ) throws(FormatError) -> RecordHeader {
    try unsafe bytes.withUnsafeBytes { (buffer) throws(FormatError) in
      try unsafe RecordView(buffer).header(at: place)
    }
  }

  /// The length that the bytes claim to have as a record, within `bytes`; not to be believed.
  @inlinable package static func claimedByteCount(_ bytes: RawSpan) throws(FormatError) -> Int {
    try unsafe bytes.withUnsafeBytes { (buffer) throws(FormatError) in try unsafe RecordView(buffer).byteCount
    }
  }
}

extension RecordView {
  /// The record that some bytes begin with.
  @inlinable init(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    guard bytes.count >= Limits.recordFixedByteCount, let start = bytes.baseAddress else {
      throw FormatError(.record, .truncated)
    }
    guard let view = unsafe RecordView(start, available: bytes.count) else {
      let shape = unsafe bytes.load(fromByteOffset: RecordHeader.Field.shape, as: UInt8.self)
      throw FormatError(.record, shape & RecordHeader.Shape.kindNumber == 0 ? .absent : .truncated)
    }
    self = view
  }

  /// All that the record says, if it is a good one of that place.
  @inlinable func header(at place: RecordPlace) throws(FormatError) -> RecordHeader {
    guard isIntact(at: place.offset.byteOffset, seed: place.seed.rawValue) else {
      throw FormatError(.record, .checksum)
    }
    guard let kind else { throw FormatError(.record, .newer(.kind)) }
    guard let sequence = place.sequence(low: sequenceLow) else {
      throw FormatError(.record, .field(.sequence))
    }
    let header = RecordHeader(
      kind: kind, isBatched: shape & RecordHeader.Shape.batched != 0, sequence: sequence,
      collection: collection, expiry: expiry, transform: transform, keyByteCount: keyByteCount,
      valueByteCount: valueByteCount)
    // Each field is there only if it says something, so that a record has one form.
    if header.shape != shape { throw FormatError(.record, .field(needlessField(of: header))) }
    if let field = header.violation { throw FormatError(.record, .field(field)) }
    guard isPaddedWithZeros else { throw FormatError(.record, .field(.padding)) }
    return header
  }

  @inlinable func needlessField(of header: RecordHeader) -> FormatError.Field {
    if shape & RecordHeader.Shape.collection != 0, header.collection == 0 { return .collection }
    return shape & RecordHeader.Shape.expiry != 0 && header.expiry == 0 ? .expiry : .transform
  }
}
