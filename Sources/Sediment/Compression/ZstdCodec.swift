internal import CSediment
internal import CZstd

/// What compresses and decompresses values, one at a time: contexts of zstd and memory, used again and again.
///
/// Every thread has one for the values that pass through its calls; who works on others beside that makes its own.
@safe
final class ZstdCodec {
  private let compressor: OpaquePointer
  private let decompressor: OpaquePointer
  /// What is set up in the compressor.
  private var level: Int32 = 0
  private var compressing: UInt64 = 0
  /// What is set up in the decompressor.
  private var decompressing: UInt64 = 0
  private var output = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var lent = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var isLent = false
  private var timedCount: UInt64 = 0

  /// A codec, unless there is no memory for one.
  init?() {
    guard let compressor = unsafe ZSTD_createCCtx() else { return nil }
    guard let decompressor = unsafe ZSTD_createDCtx() else {
      unsafe ZSTD_freeCCtx(compressor)
      return nil
    }
    unsafe self.compressor = compressor
    unsafe self.decompressor = decompressor
    unsafe ZstdFrame.configure(decompressor: decompressor)
  }

  deinit {
    unsafe ZSTD_freeCCtx(compressor)
    unsafe ZSTD_freeDCtx(decompressor)
    unsafe output.deallocate()
    unsafe lent.deallocate()
  }

  // MARK: The thread's

  /// Calls `body` with the codec of this thread, nil if there is no memory for one.
  @inline(__always)
  static func withCurrent<Result, Failure: Error>(
    _ body: (ZstdCodec?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let object = unsafe sediment_thread_object_get() else { return try body(makeCurrent()) }
    // Only the thread itself lets go of it, when it ends.
    return try body(unsafe Unmanaged<ZstdCodec>.fromOpaque(object).takeUnretainedValue())
  }

  @inline(never)
  private static func makeCurrent() -> ZstdCodec? {
    guard let codec = ZstdCodec() else { return nil }
    unsafe sediment_thread_object_set(Unmanaged.passRetained(codec).toOpaque()) { object in
      guard let object = unsafe object else { return }
      unsafe Unmanaged<ZstdCodec>.fromOpaque(object).release()
    }
    return codec
  }

  /// Whether the next call is one of those that are timed.
  @inline(__always)
  func isTimed() -> Bool {
    timedCount &+= 1
    return timedCount % Self.timedOneOf == 0
  }

  static let timedOneOf: UInt64 = 64

  // MARK: Compressing

  /// Compresses a value to at most so many bytes; nil if it takes more.
  ///
  /// The result is valid until the codec compresses again.
  func compress(
    _ value: RawSpan, level: Int32, with dictionary: CompressionDictionary?, toAtMost limit: Int
  ) -> UnsafeRawBufferPointer? {
    guard limit > 0, prepare(level: level, dictionary) else { return nil }
    growOutput(limit)
    let count = unsafe value.withUnsafeBytes { bytes in
      unsafe ZSTD_compress2(compressor, output.baseAddress, limit, bytes.baseAddress, bytes.count)
    }
    if ZstdFrame.isError(count) {
      // What was begun would refuse another dictionary.
      unsafe ZSTD_CCtx_reset(compressor, ZSTD_reset_session_only)
      return nil
    }
    return unsafe UnsafeRawBufferPointer(rebasing: output[..<count])
  }

  private func prepare(level: Int32, _ dictionary: CompressionDictionary?) -> Bool {
    if self.level != level {
      unsafe ZstdFrame.configure(compressor: compressor, level: level)
      self.level = level
    }
    let identifier = dictionary?.identifier ?? 0
    if compressing == identifier { return true }
    compressing = .max
    guard !ZstdFrame.isError(unsafe ZSTD_CCtx_refCDict(compressor, dictionary?.compressing)) else {
      return false
    }
    compressing = identifier
    return true
  }

  /// Compresses a value however long, a piece of at most so many bytes at a time; false if the library fails.
  ///
  /// `take` gets each piece, of which all but the last are full.
  func compress(
    _ value: RawSpan, level: Int32, inPiecesOf pieceByteCount: Int,
    _ take: (UnsafeRawBufferPointer) throws(SedimentError) -> Void
  ) throws(SedimentError) -> Bool {
    guard prepare(level: level, nil) else { return false }
    growOutput(pieceByteCount)
    unsafe ZSTD_CCtx_reset(compressor, ZSTD_reset_session_only)
    unsafe ZSTD_CCtx_setPledgedSrcSize(compressor, UInt64(value.byteCount))
    defer { unsafe ZSTD_CCtx_reset(compressor, ZSTD_reset_session_only) }
    var position = 0
    while true {
      var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: pieceByteCount, pos: 0)
      var left = 1
      while left > 0, unsafe target.pos < target.size {
        left = unsafe value.withUnsafeBytes { bytes in
          var source = unsafe ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: position)
          defer { position = unsafe source.pos }
          return unsafe ZSTD_compressStream2(compressor, &target, &source, ZSTD_e_end)
        }
        if ZstdFrame.isError(left) { return false }
      }
      if unsafe target.pos > 0 { unsafe try take(UnsafeRawBufferPointer(rebasing: output[..<target.pos])) }
      if left == 0 { return true }
    }
  }

  private func growOutput(_ byteCount: Int) {
    if unsafe output.count >= byteCount { return }
    unsafe output.deallocate()
    unsafe output = .allocate(byteCount: byteCount + byteCount / 4 + 1024, alignment: 16)
  }

  // MARK: Decompressing

  /// Decompresses a frame that comes in parts, to just as many bytes as there is memory; `feed` hands one part
  /// after the other to a closure, which returns false once that makes no sense.
  func decompress(
    into target: UnsafeMutableRawBufferPointer,
    partsFrom feed: ((UnsafeRawBufferPointer) -> Bool) throws(SedimentError) -> Void
  ) throws(SedimentError) -> Bool {
    unsafe ZSTD_DCtx_reset(decompressor, ZSTD_reset_session_only)
    decompressing = .max
    guard !ZstdFrame.isError(unsafe ZSTD_DCtx_refDDict(decompressor, nil)) else { return false }
    decompressing = 0
    // The result stays where it is, so the window needs no memory of its own.
    unsafe ZSTD_DCtx_setParameter(decompressor, ZSTD_d_experimentalParam2, 1)
    defer {
      unsafe ZSTD_DCtx_reset(decompressor, ZSTD_reset_session_only)
      unsafe ZSTD_DCtx_setParameter(decompressor, ZSTD_d_experimentalParam2, 0)
    }
    var output = unsafe ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
    var left = 1
    unsafe try feed { part in
      var input = unsafe ZSTD_inBuffer(src: part.baseAddress, size: part.count, pos: 0)
      while unsafe input.pos < input.size {
        let before = unsafe (input.pos, output.pos)
        // Behind the end of the frame there must be nothing.
        if left == 0 { return false }
        left = unsafe ZSTD_decompressStream(decompressor, &output, &input)
        let isStuck = unsafe (input.pos, output.pos) == before
        if isStuck || ZstdFrame.isError(left) { return false }
      }
      return true
    }
    return unsafe left == 0 && output.pos == target.count
  }

  /// Decompresses a frame to just so many bytes; false if it is none of that length.
  func decompress(
    _ frame: UnsafeRawBufferPointer, with dictionary: CompressionDictionary?,
    into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let identifier = dictionary?.identifier ?? 0
    if decompressing != identifier {
      decompressing = .max
      guard !ZstdFrame.isError(unsafe ZSTD_DCtx_refDDict(decompressor, dictionary?.decompressing)) else {
        return false
      }
      decompressing = identifier
    }
    let count = unsafe ZSTD_decompressDCtx(
      decompressor, target.baseAddress, target.count, frame.baseAddress, frame.count)
    return count == target.count
  }

  /// Lends memory of so many bytes until `takeBack`; nil if it is lent already, or that would be much to keep.
  func lend(_ byteCount: Int) -> UnsafeMutableRawBufferPointer? {
    guard !isLent, byteCount <= Self.lentByteCountMax else { return nil }
    if unsafe lent.count < max(byteCount, 1) {
      unsafe lent.deallocate()
      unsafe lent = .allocate(
        byteCount: max(4096, min(byteCount + byteCount / 4, Self.lentByteCountMax)), alignment: 16)
    }
    isLent = true
    return unsafe UnsafeMutableRawBufferPointer(rebasing: lent[..<byteCount])
  }

  private static let lentByteCountMax = 1 << 20

  /// Ends the lending of memory.
  func takeBack() { isLent = false }
}

/// How values look once they are compressed: a frame of zstd with nothing in it that the record tells already, which
/// saves 4 to 12 bytes a value (DESIGN.md 3.4).
enum ZstdFrame {
  /// The levels that a store may be told to use.
  static let levels: ClosedRange<Int> = 1...19
  /// The largest window of a frame that is read in parts, 8 MiB: what a level of 19 makes of the largest value.
  ///
  /// So much memory takes a frame whose value is not kept.
  static let windowLogMax: Int32 = 23

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
