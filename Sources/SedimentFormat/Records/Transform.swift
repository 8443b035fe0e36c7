/// What was done to a value before it was stored (DESIGN.md 3.4).
///
///     short  | how 1 | dictionary 1 | bytes of the original 2 |
///     long   | how 1 | dictionary 3 | bytes of the original 4 |
///
/// The short form is used wherever both numbers fit it.
@usableFromInline package struct Transform: Hashable, Sendable {
  /// How the value was compressed, never 0; this version knows `zstd` alone.
  @usableFromInline package let compression: UInt8
  /// The dictionary of the compression, 0 for none.
  @usableFromInline package let dictionary: UInt32
  /// The bytes of the value as the user knows it.
  @usableFromInline package let originalByteCount: UInt32

  /// A transform within the limits; nil for any other.
  @inlinable package init?(compression: UInt8, dictionary: UInt32, originalByteCount: UInt32) {
    guard compression != 0, compression & How.long == 0, dictionary <= Limits.dictionaryNumberMax,
      originalByteCount <= Limits.valueByteCountMax
    else { return nil }
    self.compression = compression
    self.dictionary = dictionary
    self.originalByteCount = originalByteCount
  }

  /// Whether so many stored bytes can stand for as many as it says; a block of zstd takes 4 and stands for 128 KiB.
  package func isPlausible(storedByteCount: Int) -> Bool {
    compression != Self.zstd || Int(originalByteCount) >> 17 <= storedByteCount / 4
  }

  /// The number of zstd among the compressions.
  @usableFromInline package static let zstd: UInt8 = 1

  /// The bits of the first byte; all others are those of the compression.
  @usableFromInline enum How {
    @usableFromInline static let long: UInt8 = 0b0000_1000
  }

  @usableFromInline static let shortByteCount = 4
  @usableFromInline static let longByteCount = 8

  @inlinable var isLong: Bool {
    dictionary > UInt32(UInt8.max) || originalByteCount > UInt32(UInt16.max)
  }

  @inlinable package var byteCount: Int {
    isLong ? Self.longByteCount : Self.shortByteCount
  }

  /// The bytes of the transform that begins with `how`.
  @inlinable package static func byteCount(how: UInt8) -> Int {
    how & How.long == 0 ? shortByteCount : longByteCount
  }

  @inlinable package func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    if isLong {
      bytes.store(compression | How.long, at: offset)
      bytes.store24(dictionary, at: offset + 1)
      bytes.store(originalByteCount, at: offset + 4)
    } else {
      bytes.store(compression, at: offset)
      bytes.store(UInt8(truncatingIfNeeded: dictionary), at: offset + 1)
      bytes.store(UInt16(truncatingIfNeeded: originalByteCount), at: offset + 2)
    }
  }

  /// Decodes a transform whose length the caller has checked; nil if it is out of range or not in its shortest
  /// form.
  @inlinable package static func decode(_ bytes: RawSpan, at offset: Int) -> Transform? {
    let how: UInt8 = bytes.integer(at: offset)
    let isLong = how & How.long != 0
    let transform = Transform(
      compression: how & ~How.long,
      dictionary: isLong ? bytes.uint24(at: offset + 1) : UInt32(bytes.integer(UInt8.self, at: offset + 1)),
      originalByteCount: isLong
        ? bytes.integer(at: offset + 4) : UInt32(bytes.integer(UInt16.self, at: offset + 2)))
    return transform?.isLong == isLong ? transform : nil
  }
}
