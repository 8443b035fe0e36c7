internal import CZstd

/// Decompresses one frame from parts of any length, in memory that does not depend on the length of the value.
@safe
final class ZstdStream {
  private let decompressor: OpaquePointer
  /// Kept, because the decompressor refers to it.
  private let dictionary: CompressionDictionary?
  /// Whether all of the frame was taken and everything in it was given.
  private(set) var isAtEnd = false

  /// A decompressor at the beginning of a frame; nil if there is no memory for one.
  init?(_ dictionary: CompressionDictionary?) {
    guard let decompressor = unsafe ZSTD_createDCtx() else { return nil }
    unsafe self.decompressor = decompressor
    self.dictionary = dictionary
    unsafe ZstdFrame.configure(decompressor: decompressor)
    // Refused, every step fails.
    unsafe ZSTD_DCtx_refDDict(decompressor, dictionary?.decompressing)
  }

  deinit {
    unsafe ZSTD_freeDCtx(decompressor)
  }

  /// Decompresses some of `input` from `position` on, which moves past what was taken; returns how many bytes `output` has
  /// now, or nil if the input is no such frame.
  ///
  /// With no bytes given and the position at the end, it needs more input.
  func decompress(
    _ input: UnsafeRawBufferPointer, from position: inout Int, into output: UnsafeMutableRawBufferPointer
  ) -> Int? {
    var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: position)
    var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    // After the end of the frame there must be nothing.
    if isAtEnd { return input.count == position ? 0 : nil }
    let left = unsafe ZSTD_decompressStream(decompressor, &target, &source)
    if ZstdFrame.isError(left) { return nil }
    position = unsafe source.pos
    isAtEnd = left == 0
    return unsafe target.pos
  }
}
