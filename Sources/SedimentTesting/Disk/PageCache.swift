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
  private let memory: PageMemory
  /// What readers must not touch, in pages of this machine; under the disk's lock.
  private nonisolated(unsafe) var concealed = BlockSet()
  /// How many of the first bytes were ever changed; under the disk's lock.
  private nonisolated(unsafe) var touchedByteCount = 0
  private static let pageByteCount = max(Int(sysconf(Int32(_SC_PAGESIZE))), Geometry.blockByteCount)

  /// The address of the file's first byte.
  var base: UnsafeMutableRawPointer { unsafe memory.base }
  /// The largest file that fits.
  var byteCount: Int { memory.byteCount }
  /// Where the disk itself has the bytes.
  private var own: UnsafeMutableRawPointer { unsafe memory.own }

  init(byteCount: Int) throws(CallFailure) {
    guard let memory = PageMemory.take(byteCount: byteCount) else { throw CallFailure(.noMemory) }
    self.memory = memory
    if memory.isTwice { unsafe concealed.insert(pages(touching: 0..<byteCount)) }
  }

  deinit {
    forgetReaders()
    memory.giveBack(touchedByteCount: unsafe touchedByteCount)
  }

  /// Fetches the memory for the first bytes at once, which takes a third of the time of doing it page by page.
  func populate(byteCount: Int) {
    #if !canImport(Darwin)
      // MADV_POPULATE_WRITE, of Linux 5.14; it is only a hint here, so older systems may ignore it.
      unsafe madvise(own, min(byteCount, self.byteCount), 23)
    #endif
  }

  /// Copies `source` to `offset`; both lie within the cache by the caller's checks.
  func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
    precondition(offset >= 0 && source.count <= byteCount - offset)
    guard let start = source.baseAddress else { return }
    unsafe touchedByteCount = max(touchedByteCount, offset + source.count)
    reaching(offset..<offset + source.count) {
      unsafe (own + offset).copyMemory(from: start, byteCount: source.count)
    }
  }

  func write(_ bytes: [UInt8], at offset: Int) {
    unsafe bytes.withUnsafeBytes { unsafe write($0, at: offset) }
  }

  /// Copies the first bytes to another cache.
  func copy(byteCount: Int, to other: PageCache) {
    precondition(byteCount <= self.byteCount)
    reaching(0..<byteCount) {
      unsafe other.write(UnsafeRawBufferPointer(start: own, count: byteCount), at: 0)
    }
  }

  /// Fills the first bytes with what no file is made of.
  func spoil(byteCount: Int) {
    let count = min(byteCount, self.byteCount)
    unsafe touchedByteCount = max(touchedByteCount, count)
    reaching(0..<count) { _ = unsafe memset(own, 0xDB, count) }
  }

  func zero(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    guard !range.isEmpty else { return }
    reaching(range) { _ = unsafe memset(own + range.lowerBound, 0, range.count) }
  }

  func read(_ range: Range<Int>, into target: UnsafeMutableRawBufferPointer) {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount && range.count <= target.count)
    reaching(range) {
      unsafe target.copyMemory(
        from: UnsafeRawBufferPointer(start: own + range.lowerBound, count: range.count))
    }
  }

  func bytes(in range: Range<Int>) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return reaching(range) {
      unsafe [UInt8](UnsafeRawBufferPointer(start: own + range.lowerBound, count: range.count))
    }
  }

  // MARK: What readers may touch

  /// Ends the process of whoever touches bytes at their addresses, as far as they are whole pages of this machine.
  func conceal(_ range: Range<Int>) {
    let page = Self.pageByteCount
    let pages =
      (range.lowerBound + page - 1)
      / page..<max((range.lowerBound + page - 1) / page, range.upperBound / page)
    // Mostly few of them are not concealed.
    var rest = pages
    while let run = unsafe concealed.firstRun(in: rest, contained: false) {
      protect(run, PROT_NONE)
      rest = run.upperBound..<rest.upperBound
    }
    unsafe concealed.insert(pages)
  }

  /// Lets bytes be touched at their addresses again.
  func reveal(_ range: Range<Int>) {
    let pages = pages(touching: range)
    guard unsafe concealed.missingCount(in: pages) < pages.count else { return }
    unsafe concealed.remove(pages)
    protect(pages, PROT_READ | PROT_WRITE)
  }

  /// Nobody reads at their addresses any more.
  func forgetReaders() {
    if memory.isTwice { conceal(0..<byteCount) } else { reveal(0..<byteCount) }
  }

  /// Reveals the bytes for as long as something is done with them.
  private func reaching<Result>(_ range: Range<Int>, _ body: () -> Result) -> Result {
    let pages = pages(touching: range)
    guard !memory.isTwice, unsafe concealed.count > 0, unsafe concealed.missingCount(in: pages) < pages.count
    else { return body() }
    forEachConcealedRun(of: pages) { protect($0, PROT_READ | PROT_WRITE) }
    defer { forEachConcealedRun(of: pages) { protect($0, PROT_NONE) } }
    return body()
  }

  private func forEachConcealedRun(of pages: Range<Int>, _ body: (Range<Int>) -> Void) {
    var rest = pages
    while let run = unsafe concealed.firstRun(in: rest) {
      body(run)
      rest = run.upperBound..<rest.upperBound
    }
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
