/// The last record of a hot segment that was closed in order; it leads to the next (DESIGN.md 3.5).
package struct Seal: Hashable, Sendable {
  /// How many records the segment holds that are no control records.
  package let recordCount: UInt32
  /// The next hot segment, whose base sequence is the seal's own.
  package let next: SegmentIdentity

  package init(recordCount: UInt32, next: SegmentIdentity) {
    self.recordCount = recordCount
    self.next = next
  }

  package static let byteCount = 40
  /// The bytes of a record that holds a seal; a tail always keeps them free.
  package static let recordByteCount = Limits.recordFixedByteCount + byteCount

  private enum Place {
    static let type = 0
    static let reserved = 1
    static let recordCount = 4
    static let next = 8
    static let end = 36
  }

  package func encode() -> [UInt8] {
    encoded(byteCount: Self.byteCount) { bytes in
      bytes.store(ControlType.seal.rawValue, at: Place.type)
      bytes.store(recordCount, at: Place.recordCount)
      next.encode(into: &bytes, at: Place.next)
    }
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> Seal {
    guard bytes.byteCount == byteCount else { throw FormatError(.seal, .field(.length)) }
    guard bytes.isZero(Place.reserved..<Place.recordCount), bytes.isZero(Place.end..<byteCount) else {
      throw FormatError(.seal, .field(.reserved))
    }
    let next = try SegmentIdentity.decode(bytes, at: Place.next, for: .seal)
    guard next.kind == .hot else { throw FormatError(.seal, .field(.kind)) }
    return Seal(recordCount: bytes.integer(at: Place.recordCount), next: next)
  }
}
