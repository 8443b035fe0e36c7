#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A file that somebody else wrote, to be read from one end to the other.
package final class FileScan: Sendable {
  private static let chunkByteCount = 1 << 20

  private let descriptor: Int32
  private let buffer: Memory

  /// Opens the file.
  package init(path: String) throws {
    buffer = try Memory(byteCount: FileScan.chunkByteCount)
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure("opening \(path)") }
  }

  deinit {
    close(descriptor)
  }

  /// Reads a mebibyte after another into the same buffer, and returns how many bytes there were.
  package func read() throws -> Int {
    var offset = 0
    while true {
      let count = unsafe pread(descriptor, buffer.base, buffer.byteCount, off_t(offset))
      guard count >= 0 else { throw SystemFailure("pread") }
      if count == 0 { return offset }
      offset += count
    }
  }

  /// What the file takes of the disk.
  package func allocatedByteCount() throws -> Int {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw SystemFailure("fstat") }
    return Int(status.st_blocks) * 512
  }
}
