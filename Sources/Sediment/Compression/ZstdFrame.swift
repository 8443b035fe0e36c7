internal import CZstd

/// How values look once they are compressed: a frame of zstd with nothing in it that the record tells already, which
/// saves 4 to 12 bytes a value (DESIGN.md 3.4).
enum ZstdFrame {
  /// The levels that a store may be told to use.
  static let levels: ClosedRange<Int> = 1...19
  /// The largest window that is read: what a level of 19 makes of the largest value.
  static let windowLogMax: Int32 = 27

  /// Sets a compressor up to write such frames.
  static func configure(compressor: OpaquePointer, level: Int32) {
    unsafe ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, level)
    // The format without its magic number; that of the decompressor below.
    unsafe ZSTD_CCtx_setParameter(compressor, ZSTD_c_experimentalParam2, 1)
    unsafe ZSTD_CCtx_setParameter(compressor, ZSTD_c_contentSizeFlag, 0)
    unsafe ZSTD_CCtx_setParameter(compressor, ZSTD_c_dictIDFlag, 0)
    unsafe ZSTD_CCtx_setParameter(compressor, ZSTD_c_checksumFlag, 0)
  }

  /// Sets a decompressor up to read such frames.
  static func configure(decompressor: OpaquePointer) {
    unsafe ZSTD_DCtx_setParameter(decompressor, ZSTD_d_experimentalParam1, 1)
    unsafe ZSTD_DCtx_setParameter(decompressor, ZSTD_d_windowLogMax, windowLogMax)
  }

  /// Whether the library's result is an error.
  @inline(__always) static func isError(_ result: Int) -> Bool { ZSTD_isError(result) != 0 }
}
