#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Pages of memory, given back when the last reference goes; whoever uses `base` keeps the object alive.
///
/// Any number of threads may read it; writers see to it that nobody else is at the same bytes.
package final class Memory: Sendable {
  /// The address of the first byte: a number, because a pointer is not `Sendable`.
  private let address: UInt
  package let byteCount: Int

  /// Takes memory and fills it with bytes that are not zero, so that every page of it is touched.
  package convenience init(byteCount: Int) throws {
    try self.init(byteCount: byteCount, flags: MAP_PRIVATE | MAP_ANON, descriptor: -1)
    unsafe base.initializeMemory(as: UInt8.self, repeating: 0x5E, count: byteCount)
  }

  /// Takes memory of zeros, of which no page is touched.
  package convenience init(zeros byteCount: Int) throws {
    try self.init(byteCount: byteCount, flags: MAP_PRIVATE | MAP_ANON, descriptor: -1)
  }

  /// Maps the beginning of a file for reading and writing; no page is touched.
  package convenience init(mapping file: ScratchFile, byteCount: Int) throws {
    try self.init(byteCount: byteCount, flags: MAP_SHARED, descriptor: file.descriptor)
  }

  private init(byteCount: Int, flags: Int32, descriptor: Int32) throws {
    let pages = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, descriptor, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else { throw SystemFailure("mmap") }
    address = UInt(bitPattern: pages)
    self.byteCount = byteCount
  }

  deinit {
    unsafe munmap(base, byteCount)
  }

  /// The first byte.
  package var base: UnsafeMutableRawPointer {
    // The initializer took the address from a mapping, so that it is not zero.
    unsafe UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
  }
}
