internal import SedimentDisk

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The bytes of one file as every reader sees them, at addresses that never change.
///
/// Memory is used only for pages that were touched. Bytes beyond the file's end are zero. All writing happens
/// under the disk's lock; readers of mappings read without it, as they do on a real machine.
@safe
final class PageCache: Sendable {
  /// The address of the file's first byte.
  nonisolated(unsafe) let base: UnsafeMutableRawPointer
  /// The largest file that fits.
  let byteCount: Int

  init(byteCount: Int) throws(CallFailure) {
    #if canImport(Darwin)
      let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    #else
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    #endif
    let start = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { throw CallFailure(.noMemory) }
    unsafe base = start
    self.byteCount = byteCount
  }

  deinit {
    unsafe munmap(base, byteCount)
  }

  /// Fetches the memory for the first bytes at once, which takes a third of the time of doing it page by page.
  func populate(byteCount: Int) {
    #if !canImport(Darwin)
      // MADV_POPULATE_WRITE, of Linux 5.14; it is only a hint here, so older systems may ignore it.
      unsafe madvise(base, min(byteCount, self.byteCount), 23)
    #endif
  }

  /// Copies `source` to `offset`; both lie within the cache by the caller's checks.
  func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
    precondition(offset >= 0 && source.count <= byteCount - offset)
    guard let start = source.baseAddress else { return }
    unsafe (base + offset).copyMemory(from: start, byteCount: source.count)
  }

  func write(_ bytes: [UInt8], at offset: Int) {
    unsafe bytes.withUnsafeBytes { unsafe write($0, at: offset) }
  }

  func zero(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    guard !range.isEmpty else { return }
    unsafe memset(base + range.lowerBound, 0, range.count)
  }

  func read(_ range: Range<Int>, into target: UnsafeMutableRawBufferPointer) {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount && range.count <= target.count)
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
  }

  func bytes(in range: Range<Int>) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return unsafe [UInt8](UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
  }
}
