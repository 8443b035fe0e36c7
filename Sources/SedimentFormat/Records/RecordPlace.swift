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
