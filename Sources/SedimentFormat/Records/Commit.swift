/// The control record that makes the batched records before it count (DESIGN.md 3.5).
package struct Commit: Hashable, Sendable {
  /// How many records the batch has.
  package let memberCount: UInt32
  /// The checksum of the checksum fields of its members, in their order.
  package let checksum: Checksum

  package init?(memberCount: UInt32, checksum: Checksum) {
    guard memberCount >= 1, memberCount <= Limits.batchRecordCountMax else { return nil }
    self.memberCount = memberCount
    self.checksum = checksum
  }

  package static let byteCount = 16

  private enum Place {
    static let type = 0
    static let memberCount = 4
    static let checksum = 8
    static let end = 12
  }

  package func encode() -> [UInt8] {
    encoded(byteCount: Self.byteCount) { bytes in
      bytes.store(ControlType.commit.rawValue, at: Place.type)
      bytes.store(memberCount, at: Place.memberCount)
      bytes.store(checksum.rawValue, at: Place.checksum)
    }
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> Commit {
    guard bytes.byteCount == byteCount else { throw FormatError(.commit, .field(.length)) }
    guard bytes.isZero(Place.type + 1..<Place.memberCount), bytes.isZero(Place.end..<byteCount) else {
      throw FormatError(.commit, .field(.reserved))
    }
    guard
      let commit = Commit(
        memberCount: bytes.integer(at: Place.memberCount),
        checksum: Checksum(bytes.integer(at: Place.checksum)))
    else { throw FormatError(.commit, .field(.count)) }
    return commit
  }
}

/// Collects the members of a batch for its commit, or to compare with one.
@usableFromInline package struct BatchChecksum: Sendable {
  @usableFromInline package internal(set) var memberCount: UInt32 = 0
  @usableFromInline package internal(set) var checksum = Checksum.empty

  package init() {}

  /// Adds a complete record by its checksum field; false beyond the limit of a batch.
  @inlinable @inline(__always) package mutating func add(_ record: RawSpan) -> Bool {
    guard memberCount < Limits.batchRecordCountMax else { return false }
    memberCount += 1
    checksum = checksum.continued(with: record.integer(UInt32.self, at: RecordHeader.Field.checksum))
    return true
  }

  /// The commit of what was added; nil for nothing.
  package var commit: Commit? {
    Commit(memberCount: memberCount, checksum: checksum)
  }
}
