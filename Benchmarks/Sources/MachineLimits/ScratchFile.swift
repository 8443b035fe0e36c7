internal import BenchmarkHarness
internal import CBench

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A new file that vanishes with the object; whoever uses `descriptor` keeps the object alive.
package final class ScratchFile: Sendable {
  package let descriptor: Int32
  private let path: String

  /// Creates the file, empty, under a name that must be free in `directory`.
  package init(_ name: String, in directory: String) throws {
    path = "\(directory)/\(name)"
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemFailure("creating \(path)") }
  }

  /// Creates the file in warmed memory: what is written to it gets pages that were in use a moment ago.
  ///
  /// A virtual machine takes 10 us and more for a page that it has to ask its host for, and some give free pages back
  /// within seconds. So a file of the same size is written and deleted first, each time.
  package convenience init(_ name: String, in directory: String, warmedByteCount: Int) throws {
    try ScratchFile(name, in: directory).fill(byteCount: warmedByteCount)
    try self.init(name, in: directory)
  }

  deinit {
    unsafe unlink(path)
    close(descriptor)
  }

  /// Makes the file this long with blocks that are reserved and never written.
  package func preallocate(byteCount: Int) throws {
    switch bench_preallocate(descriptor, Int64(byteCount)) {
    case 0: return
    case EOPNOTSUPP, ENOSYS: throw Unsupported("the file system cannot reserve blocks")
    case let code: throw SystemFailure("reserving blocks", code: code)
    }
  }

  /// Writes this many bytes that are not zero from the beginning, a mebibyte a call.
  package func fill(byteCount: Int) throws {
    let chunk = try Memory(byteCount: min(byteCount, 1 << 20))
    for offset in stride(from: 0, to: byteCount, by: chunk.byteCount) {
      try write(chunk, at: offset)
    }
  }

  /// Writes all the bytes in one call.
  @inline(__always)
  func write(_ source: Memory, at offset: Int) throws {
    try write(source, source.byteCount, at: offset)
  }

  /// Writes the first ones of the bytes in one call.
  @inline(__always)
  package func write(_ source: Memory, _ count: Int, at offset: Int) throws {
    precondition(count <= source.byteCount)
    guard unsafe pwrite(descriptor, source.base, count, off_t(offset)) == count else {
      throw SystemFailure("pwrite")
    }
  }

  /// Reads as many bytes as fit into `target` in one call.
  @inline(__always)
  func read(into target: Memory, at offset: Int) throws {
    guard unsafe pread(descriptor, target.base, target.byteCount, off_t(offset)) == target.byteCount else {
      throw SystemFailure("pread")
    }
  }

  /// Waits until the data are on the medium, and what is needed to find them.
  @inline(__always)
  package func syncData() throws {
    let code = bench_sync_data(descriptor)
    guard code == 0 else { throw SystemFailure("fdatasync", code: code) }
  }
}
