/// A control record that states up to where the log is on the medium (DESIGN.md 3.5).
package struct Mark: Hashable, Sendable {
  /// The wall clock when it was written, in milliseconds since 1970; at most `Limits.clockMax`.
  package let clock: UInt64
  /// Everything below it had been synced before the mark was written (invariant 3).
  package let watermark: LogPosition
  /// The salt of the segment that the mark stands in, so that bytes which a user once stored cannot pass for it.
  package let salt: UInt64

  /// A mark; a clock beyond the limit, which only a wrong clock can show, becomes the limit.
  package init(clock: UInt64, watermark: LogPosition, salt: UInt64) {
    self.clock = min(clock, Limits.clockMax)
    self.watermark = watermark
    self.salt = salt
  }

  package static let byteCount = 32
  /// The bytes of a record that holds a mark.
  package static let recordByteCount = Limits.recordFixedByteCount + byteCount

  private enum Place {
    static let type = 0
    static let reserved = 1
    static let clock = 2
    static let watermark = 8
    static let salt = 24
  }

  package func encode() -> [UInt8] { unsafe withUnsafeBytes(of: words) { unsafe [UInt8]($0) } }

  /// The value of its record as words in their order, for who writes one with every sync and needs no array for it.
  package var words: (UInt64, UInt64, UInt64, UInt64) {
    let first = UInt64(ControlType.mark.rawValue) | clock &<< UInt64(8 * Place.clock)
    return (
      first.littleEndian, watermark.generation.rawValue.littleEndian, watermark.offset.rawValue.littleEndian,
      salt.littleEndian
    )
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> Mark {
    guard bytes.byteCount == byteCount else { throw FormatError(.mark, .field(.length)) }
    guard bytes.isZero(Place.reserved..<Place.clock) else { throw FormatError(.mark, .field(.reserved)) }
    guard let watermark = LogPosition.decode(bytes, at: Place.watermark) else {
      throw FormatError(.mark, .field(.watermark))
    }
    return Mark(
      clock: bytes.uint48(at: Place.clock), watermark: watermark,
      salt: bytes.integer(at: Place.salt))
  }
}
