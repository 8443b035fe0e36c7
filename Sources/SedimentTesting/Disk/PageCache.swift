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
/// Memory is used only for pages that were touched. Bytes beyond the file's end are zero. All calls happen under the
/// disk's lock; readers of mappings read without it, as they do on a real machine. What is concealed from them ends
/// the process when it is touched, as there; calls of this type reach it all the same.
@safe
final class PageCache: Sendable {
  /// The address of the file's first byte.
  nonisolated(unsafe) let base: UnsafeMutableRawPointer
  /// The largest file that fits.
  let byteCount: Int
  /// What readers must not touch, in pages of this machine; under the disk's lock.
  private nonisolated(unsafe) var concealed = BlockSet()
  private static let pageByteCount = max(Int(sysconf(Int32(_SC_PAGESIZE))), Geometry.blockByteCount)

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
    reaching(offset..<offset + source.count) {
      unsafe (base + offset).copyMemory(from: start, byteCount: source.count)
    }
  }

  func write(_ bytes: [UInt8], at offset: Int) {
    unsafe bytes.withUnsafeBytes { unsafe write($0, at: offset) }
  }

  /// Copies the first bytes to another cache.
  func copy(byteCount: Int, to other: PageCache) {
    precondition(byteCount <= self.byteCount)
    reaching(0..<byteCount) {
      unsafe other.write(UnsafeRawBufferPointer(start: base, count: byteCount), at: 0)
    }
  }

  /// Fills the first bytes with what no file is made of.
  func spoil(byteCount: Int) {
    let count = min(byteCount, self.byteCount)
    reaching(0..<count) { _ = unsafe memset(base, 0xDB, count) }
  }

  func zero(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    guard !range.isEmpty else { return }
    reaching(range) { _ = unsafe memset(base + range.lowerBound, 0, range.count) }
  }

  func read(_ range: Range<Int>, into target: UnsafeMutableRawBufferPointer) {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount && range.count <= target.count)
    reaching(range) {
      unsafe target.copyMemory(
        from: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }
  }

  func bytes(in range: Range<Int>) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return reaching(range) {
      unsafe [UInt8](UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }
  }

  // MARK: What readers may touch

  /// Ends the process of whoever touches bytes at their addresses, as far as they are whole pages of this machine.
  func conceal(_ range: Range<Int>) {
    let page = Self.pageByteCount
    let pages =
      (range.lowerBound + page - 1)
      / page..<max((range.lowerBound + page - 1) / page, range.upperBound / page)
    guard unsafe concealed.missingCount(in: pages) > 0 else { return }
    unsafe concealed.insert(pages)
    protect(pages, PROT_NONE)
  }

  /// Lets bytes be touched at their addresses again.
  func reveal(_ range: Range<Int>) {
    let pages = pages(touching: range)
    guard unsafe concealed.missingCount(in: pages) < pages.count else { return }
    unsafe concealed.remove(pages)
    protect(pages, PROT_READ | PROT_WRITE)
  }

  /// Reveals the bytes for as long as something is done with them.
  private func reaching<Result>(_ range: Range<Int>, _ body: () -> Result) -> Result {
    guard unsafe concealed.count > 0 else { return body() }
    let hidden = pages(touching: range).filter { unsafe concealed.contains($0) }
    for page in hidden { protect(page..<page + 1, PROT_READ | PROT_WRITE) }
    defer { for page in hidden { protect(page..<page + 1, PROT_NONE) } }
    return body()
  }

  private func pages(touching range: Range<Int>) -> Range<Int> {
    let page = Self.pageByteCount
    return range.isEmpty ? 0..<0 : range.lowerBound / page..<(range.upperBound + page - 1) / page
  }

  private func protect(_ pages: Range<Int>, _ protection: Int32) {
    let bytes = pages.lowerBound * Self.pageByteCount..<min(pages.upperBound * Self.pageByteCount, byteCount)
    let code = unsafe mprotect(base + bytes.lowerBound, bytes.count, protection)
    precondition(code == 0, "the system has no more mappings for a simulated file")
  }
}
