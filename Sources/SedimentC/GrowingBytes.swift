#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Memory that grows, of `malloc`, so that C can have it.
@safe
struct GrowingBytes: ~Copyable, @unchecked Sendable {
  // Sendable: nobody else has the memory.
  private(set) var start: UnsafeMutableRawPointer?
  private(set) var count = 0
  private var capacity = 0

  deinit {
    unsafe free(start)
  }

  /// Appends bytes; throws, with nothing appended, if there is no memory.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(Refusal) {
    try reserve(bytes.count)
    if let from = bytes.baseAddress, let start = unsafe start {
      unsafe (start + count).copyMemory(from: from, byteCount: bytes.count)
    }
    count += bytes.count
  }

  /// Appends so many zero bytes.
  mutating func append(zeros byteCount: Int) throws(Refusal) {
    try reserve(byteCount)
    if let start = unsafe start {
      unsafe (start + count).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }
    count += byteCount
  }

  /// Leaves all bytes out, and keeps the memory.
  mutating func removeAll() {
    count = 0
  }

  /// Hands the memory over, to be freed by whoever gets it.
  mutating func take() -> UnsafeMutableRawPointer? {
    defer {
      unsafe start = nil
      count = 0
      capacity = 0
    }
    return unsafe start
  }

  private mutating func reserve(_ more: Int) throws(Refusal) {
    let (needed, overflow) = count.addingReportingOverflow(more)
    guard !overflow else { throw .noMemory }
    guard needed > capacity else { return }
    // Exactly what is needed at first: most have one value.
    let room = count == 0 ? needed : max(needed, capacity + capacity / 2)
    guard let grown = unsafe realloc(start, room) else { throw .noMemory }
    unsafe start = grown
    capacity = room
  }
}
