internal import CSediment

// Integers in little-endian order at any place of a span. The caller has compared the span's length with what
// it is about to read; a place outside is a mistake of the program and traps.

extension RawSpan {
  @inlinable package func integer<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type = T.self, at offset: Int
  ) -> T {
    // Any bytes make an integer; the bounds are checked by the load itself.
    T(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: T.self))
  }

  @inlinable package func uint24(at offset: Int) -> UInt32 {
    UInt32(integer(UInt16.self, at: offset)) | UInt32(integer(UInt8.self, at: offset + 2)) << 16
  }

  @inlinable package func uint48(at offset: Int) -> UInt64 {
    UInt64(integer(UInt32.self, at: offset)) | UInt64(integer(UInt16.self, at: offset + 4)) << 32
  }

  /// Whether all bytes of the range are zero.
  @inlinable package func isZero(_ range: Range<Int>) -> Bool {
    var (bits, offset): (UInt64, Int) = (0, range.lowerBound)
    while offset <= range.upperBound - 8 {
      bits |= integer(UInt64.self, at: offset)
      offset += 8
    }
    while offset < range.upperBound {
      bits |= UInt64(integer(UInt8.self, at: offset))
      offset += 1
    }
    return bits == 0
  }

  /// The bytes of the range as an array.
  package func array(_ range: Range<Int>) -> [UInt8] {
    unsafe extracting(range).withUnsafeBytes { bytes in unsafe Array(bytes) }
  }
}

extension MutableRawSpan {
  @inlinable package mutating func store<T: FixedWidthInteger & BitwiseCopyable>(
    _ value: T, at offset: Int
  ) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
  }

  /// Stores the low three bytes.
  @inlinable package mutating func store24(_ value: UInt32, at offset: Int) {
    store(UInt16(truncatingIfNeeded: value), at: offset)
    store(UInt8(truncatingIfNeeded: value >> 16), at: offset + 2)
  }

  /// Stores the low six bytes.
  @inlinable package mutating func store48(_ value: UInt64, at offset: Int) {
    store(UInt32(truncatingIfNeeded: value), at: offset)
    store(UInt16(truncatingIfNeeded: value >> 32), at: offset + 4)
  }

  @inlinable package mutating func zero(_ range: Range<Int>) {
    for offset in range { store(0 as UInt8, at: offset) }
  }

  @inlinable package mutating func copy(_ bytes: RawSpan, at offset: Int) {
    precondition(offset >= 0 && offset <= byteCount && bytes.byteCount <= byteCount - offset)
    unsafe withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { source in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        // Both ranges were checked above, and a mutable span shares its bytes with no other.
        unsafe (to + offset).copyMemory(from: from, byteCount: source.count)
      }
    }
  }
}

extension RawSpan {
  /// Whether these are the bytes that `fill` makes of as many zeros.
  func isMade(by fill: (inout MutableRawSpan) -> Void) -> Bool {
    unsafe withZeros(byteCount: byteCount, fill) { made in
      unsafe withUnsafeBytes { given in
        unsafe sediment_bytes_equal(given.baseAddress, made.baseAddress, made.count) != 0
      }
    }
  }
}

/// Makes an array of `byteCount` bytes that `fill` writes into; it begins as zeros.
package func encoded(byteCount: Int, _ fill: (inout MutableRawSpan) -> Void) -> [UInt8] {
  // Not in the array's own memory: an array of zeros looks its storage's type up, which takes longer than all the rest.
  unsafe withZeros(byteCount: byteCount, fill) { made in unsafe [UInt8](made) }
}

/// Passes bytes on that `fill` writes into, which begin as zeros.
private func withZeros<Result>(
  byteCount: Int, _ fill: (inout MutableRawSpan) -> Void, _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
  unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { buffer in
    unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
    var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
    fill(&span)
    return unsafe body(UnsafeRawBufferPointer(buffer))
  }
}
