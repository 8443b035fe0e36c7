/// All of a record but its key, value and trailer (DESIGN.md 3.4).
///
///     | checksum 4 | shape 1 | value bytes 3 | key bytes 2 | sequence 6 |
///     | collection 4 | expiry 6 | transform 4 or 8 | trailer bytes 2 |   each only if its bit of the shape is set
///     | key | value | trailer | zeros to a multiple of 8 |
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
  @usableFromInline package var trailerByteCount: Int

  @inlinable package init(
    kind: RecordKind, isBatched: Bool = false, sequence: SequenceNumber, collection: UInt32 = 0,
    expiry: UInt64 = 0, transform: Transform? = nil, keyByteCount: Int, valueByteCount: Int,
    trailerByteCount: Int = 0
  ) {
    self.kind = kind
    self.isBatched = isBatched
    self.sequence = sequence
    self.collection = collection
    self.expiry = expiry
    self.transform = transform
    self.keyByteCount = keyByteCount
    self.valueByteCount = valueByteCount
    self.trailerByteCount = trailerByteCount
  }

  /// The bytes before the key.
  @inlinable package var headByteCount: Int {
    Limits.recordFixedByteCount + (collection == 0 ? 0 : Field.collectionByteCount)
      + (expiry == 0 ? 0 : Field.expiryByteCount) + (transform?.byteCount ?? 0)
      + (trailerByteCount == 0 ? 0 : Field.trailerByteCount)
  }

  /// The bytes of the whole record, padding included.
  @inlinable package var byteCount: Int {
    (headByteCount + keyByteCount + valueByteCount + trailerByteCount + 7) & ~7
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

  /// Where the trailer lies, counted from the record's beginning.
  @inlinable package var trailerRange: Range<Int> {
    let start = headByteCount + keyByteCount + valueByteCount
    return start..<start + trailerByteCount
  }

  /// The field that breaks a rule of the format, if any does; asked before encoding and after decoding.
  @inlinable package var violation: FormatError.Field? {
    guard keyByteCount >= 0, keyByteCount <= Limits.keyByteCountMax, valueByteCount >= 0,
      valueByteCount <= Limits.inlineValueByteCountMax, trailerByteCount >= 0,
      trailerByteCount <= Limits.trailerByteCountMax
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
      guard trailerByteCount == 0 else { return .trailer }
      return valueByteCount == 0 ? .value : nil
    }
  }
}

extension RecordHeader {
  /// Where the fields of every record lie, and how long those are that only some have.
  @usableFromInline package enum Field {
    @usableFromInline package static let checksum = 0
    @usableFromInline package static let shape = 4
    @usableFromInline package static let valueByteCount = 5
    @usableFromInline package static let keyByteCount = 8
    @usableFromInline package static let sequence = 10

    @usableFromInline package static let collectionByteCount = 4
    @usableFromInline package static let expiryByteCount = 6
    @usableFromInline package static let trailerByteCount = 2
  }

  /// The bits of the shape.
  @usableFromInline package enum Shape {
    @usableFromInline package static let kind: UInt8 = 0b0000_0111
    @usableFromInline package static let collection: UInt8 = 0b0000_1000
    @usableFromInline package static let expiry: UInt8 = 0b0001_0000
    @usableFromInline package static let transform: UInt8 = 0b0010_0000
    @usableFromInline package static let trailer: UInt8 = 0b0100_0000
    @usableFromInline package static let batched: UInt8 = 0b1000_0000
  }
}
