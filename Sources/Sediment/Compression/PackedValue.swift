internal import SedimentFormat

/// A value as it is to be stored, in memory of a codec until that compresses another.
@safe
struct PackedValue {
  let bytes: UnsafeRawBufferPointer
  let transform: Transform

  init(_ bytes: UnsafeRawBufferPointer, _ transform: Transform) {
    unsafe self.bytes = unsafe bytes
    self.transform = transform
  }
}

extension Transform {
  /// How a value of so many bytes is stored that was compressed; nil if no record can say that.
  init?(zstdOf byteCount: Int, with dictionary: CompressionDictionary? = nil) {
    self.init(
      compression: Self.zstd, dictionary: dictionary?.number ?? 0,
      originalByteCount: UInt32(truncatingIfNeeded: byteCount))
  }
}

extension SedimentCompression {
  /// The level that values are compressed at; nil if they are not.
  var level: Int32? {
    switch self {
    case .off: nil
    case .zstd(let level): Int32(level)
    case .automatic: Self.automaticLevel
    }
  }

  private static var automaticLevel: Int32 { 1 }
}
