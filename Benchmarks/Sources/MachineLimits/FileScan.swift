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

  /// Reads the file as records of one length, makes an index of them, and returns how many bytes they had.
  ///
  /// Each thread has its part of the file, and an index of its own: the least that opening a log takes where all
  /// processors share the work and nothing else.
  package func index(recordByteCount: Int, threadCount: Int) throws -> Int {
    let recordCount = try byteCount() / recordByteCount / threadCount
    var entryCount = 64
    while entryCount < recordCount * 5 / 4 { entryCount *= 2 }
    let counts = try inParallel(threadCount: threadCount) { [entryCount] number in
      let entries = try Memory(zeros: entryCount * MemoryLayout<UInt64>.stride)
      let chunkRecordCount = Self.chunkByteCount / recordByteCount
      let buffer = try Memory(byteCount: chunkRecordCount * recordByteCount)
      for first in stride(from: 0, to: recordCount, by: chunkRecordCount) {
        let count = min(chunkRecordCount, recordCount - first) * recordByteCount
        let offset = (number * recordCount + first) * recordByteCount
        guard unsafe pread(self.descriptor, buffer.base, count, off_t(offset)) == count else {
          throw SystemFailure("pread")
        }
        unsafe bench_index_records(
          buffer.base, count / recordByteCount, recordByteCount,
          entries.base.assumingMemoryBound(to: UInt64.self), entryCount - 1, UInt64(first + 1))
      }
      return recordCount * recordByteCount
    }
    return counts.reduce(0, +)
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
