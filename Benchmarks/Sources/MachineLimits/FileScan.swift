internal import CBench

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A file that somebody else wrote, to be read from one end to the other.
package final class FileScan: Sendable {
  private static let chunkByteCount = 1 << 20

  private let descriptor: Int32

  /// Opens the file.
  package init(path: String) throws {
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure("opening \(path)") }
  }

  deinit {
    close(descriptor)
  }

  /// Reads a mebibyte after another into the same buffer, and returns how many bytes there were.
  package func read() throws -> Int {
    try forEachChunk { _, _, _ in }
  }

  /// Writes all of it to the beginning of another file, a mebibyte after another, and returns how many bytes there were.
  package func copy(to target: ScratchFile) throws -> Int {
    try forEachChunk { try target.write($0, $1, at: $2) }
  }

  private func forEachChunk(_ body: (_ buffer: Memory, _ count: Int, _ offset: Int) throws -> Void) throws
    -> Int
  {
    let buffer = try Memory(byteCount: FileScan.chunkByteCount)
    var offset = 0
    while true {
      let count = unsafe pread(descriptor, buffer.base, buffer.byteCount, off_t(offset))
      guard count >= 0 else { throw SystemFailure("pread") }
      if count == 0 { return offset }
      try body(buffer, count, offset)
      offset += count
    }
  }

  /// How long the file is.
  package func byteCount() throws -> Int {
    Int(try status().st_size)
  }

  /// What the file takes of the disk.
  package func allocatedByteCount() throws -> Int {
    Int(try status().st_blocks) * 512
  }

  /// Maps the whole file for reading, looks at its first byte, and lets go of it.
  package func touchMapped() throws {
    let byteCount = try byteCount()
    let pages = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else { throw SystemFailure("mmap") }
    bench_consume(UInt64(unsafe pages.load(as: UInt8.self)))
    unsafe munmap(pages, byteCount)
  }

  private func status() throws -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw SystemFailure("fstat") }
    return status
  }
}
