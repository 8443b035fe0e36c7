/// All of a record but its key and value (DESIGN.md 3.4).
///
///     | checksum 4 | shape 1 | value bytes 3 | key bytes 2 | sequence 6 |
///     | collection 4 | expiry 6 | transform 4 or 8 |   each only if its bit of the shape is set
///     | key | value | zeros to a multiple of 8 |
@usableFromInline package struct RecordHeader: Hashable, Sendable {
  @usableFromInline package var kind: RecordKind
  /// Whether it counts only with the commit that follows its batch.
  @usableFromInline package var isBatched: Bool
  @usableFromInline package var sequence: SequenceNumber
  /// The collection's number, 0 for the default one.
  @usableFromInline package var collection: UInt32
  /// When the value ceases to be visible, in milliseconds since 1970; 0 for never.
  @usableFromInline package var expiry: UInt64
  @usableFromInline package var transform: Transform?
  @usableFromInline package var keyByteCount: Int
  /// The bytes of the value as stored in the record.
  @usableFromInline package var valueByteCount: Int

  @inlinable package init(
    kind: RecordKind, isBatched: Bool = false, sequence: SequenceNumber, collection: UInt32 = 0,
    expiry: UInt64 = 0, transform: Transform? = nil, keyByteCount: Int, valueByteCount: Int
  ) {
    self.kind = kind
    self.isBatched = isBatched
    self.sequence = sequence
    self.collection = collection
    self.expiry = expiry
    self.transform = transform
    self.keyByteCount = keyByteCount
    self.valueByteCount = valueByteCount
  }

  /// The bytes before the key.
  @inlinable package var headByteCount: Int {
    Limits.recordFixedByteCount + (collection == 0 ? 0 : Field.collectionByteCount)
      + (expiry == 0 ? 0 : Field.expiryByteCount) + (transform?.byteCount ?? 0)
  }

  /// The bytes of the whole record, padding included.
  @inlinable package var byteCount: Int {
    (headByteCount + keyByteCount + valueByteCount + 7) & ~7
  }

  /// Where the key lies, counted from the record's beginning.
  @inlinable package var keyRange: Range<Int> {
    let start = headByteCount
    return start..<start + keyByteCount
  }

  /// Where the stored value lies, counted from the record's beginning.
  @inlinable package var valueRange: Range<Int> {
    let start = headByteCount + keyByteCount
    return start..<start + valueByteCount
  }

  /// The field that breaks a rule of the format, if any does; asked before encoding and after decoding.
  @inlinable package var violation: FormatError.Field? {
    guard keyByteCount >= 0, keyByteCount <= Limits.keyByteCountMax, valueByteCount >= 0,
      valueByteCount <= Limits.inlineValueByteCountMax
    else { return .length }
    guard sequence > .zero else { return .sequence }
    guard expiry <= Limits.clockMax else { return .expiry }
    switch kind {
    case .put:
      return nil
    case .remove:
      guard valueByteCount == 0 else { return .value }
      guard transform == nil else { return .transform }
      return expiry == 0 ? nil : .expiry
    case .putLarge:
      return valueByteCount < ValuePlace.byteCountMin ? .value : nil
    case .control:
      guard keyByteCount == 0 else { return .length }
      guard collection == 0 else { return .collection }
      guard expiry == 0 else { return .expiry }
      guard transform == nil else { return .transform }
      return valueByteCount == 0 ? .value : nil
    }
  }
}

extension RecordHeader {
  /// Where the fields of every record lie, and how long those are that only some have.
  @usableFromInline package enum Field {
    @inlinable package static var checksum: Int { 0 }
    @inlinable package static var shape: Int { 4 }
    @inlinable package static var valueByteCount: Int { 5 }
    @inlinable package static var keyByteCount: Int { 8 }
    @inlinable package static var sequence: Int { 10 }

    @inlinable package static var collectionByteCount: Int { 4 }
    @inlinable package static var expiryByteCount: Int { 6 }
  }

  /// The bits of the shape.
  @usableFromInline package enum Shape {
    /// The number of the kind, and the bit that no kind of this version has.
    @inlinable package static var kind: UInt8 { 0b0100_0111 }
    @inlinable package static var kindNumber: UInt8 { 0b0000_0111 }
    @inlinable package static var collection: UInt8 { 0b0000_1000 }
    @inlinable package static var expiry: UInt8 { 0b0001_0000 }
    @inlinable package static var transform: UInt8 { 0b0010_0000 }
    @inlinable package static var batched: UInt8 { 0b1000_0000 }
    /// What has fields of its own.
    @inlinable package static var optional: UInt8 { collection | expiry | transform }
  }
}

/// What a record says.
@usableFromInline package enum RecordKind: UInt8, Sendable, CaseIterable {
  /// A key has a value, which the record holds.
  case put = 1
  /// A key has no value.
  case remove = 2
  /// A key has a value, of which the record says where it lies.
  case putLarge = 3
  /// Something about the log or the catalogue.
  case control = 4
}

/// Where a record stands: what its checksum and its sequence depend on besides its own bytes.
@usableFromInline package struct RecordPlace: Hashable, Sendable {
  /// The seed of its segment.
  @usableFromInline package let seed: Checksum
  /// The base sequence of its segment.
  @usableFromInline package let base: SequenceNumber
  /// Its position in the file.
  @usableFromInline package let offset: UnitOffset

  @inlinable package init(seed: Checksum, base: SequenceNumber, offset: UnitOffset) {
    self.seed = seed
    self.base = base
    self.offset = offset
  }

  /// The checksum that the record's bytes, all `byteCount` of them, must carry here.
  ///
  /// The position takes the place of the checksum's own field, so that whole words are fed.
  @inlinable package func checksum(of record: RawSpan) -> Checksum {
    seed.continued(with: UInt32(truncatingIfNeeded: offset.rawValue))
      .continued(with: record.extracting(RecordHeader.Field.shape..<record.byteCount))
  }

  /// The full sequence of which a record stores the low 48 bits; nil if no record here can have them.
  @inlinable package func sequence(low: UInt64) -> SequenceNumber? {
    let distance = (low &- base.rawValue) & (Limits.sequenceSpan - 1)
    return distance == 0 ? nil : base.advanced(by: distance)
  }
}
