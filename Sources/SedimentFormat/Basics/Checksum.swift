public import CSediment

/// A CRC32C of some bytes, which can be continued with those that follow them.
///
/// It stops accidents, not attackers.
@usableFromInline package struct Checksum: Hashable, Sendable {
  @usableFromInline package let rawValue: UInt32

  @inlinable package init(_ rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The checksum of nothing.
  @usableFromInline package static let empty = Checksum(0)

  /// The checksum of what this one covers and `bytes` behind it.
  @inlinable package func continued(with bytes: RawSpan) -> Checksum {
    unsafe bytes.withUnsafeBytes { buffer in
      // The call reads just the buffer's bytes, and none where there are none.
      unsafe Checksum(sediment_crc32c(rawValue, buffer.baseAddress, buffer.count))
    }
  }

  /// The checksum of what this one covers and of the integer's bytes, lowest first.
  @inlinable package func continued(with value: UInt32) -> Checksum {
    Checksum(sediment_crc32c_integer(rawValue, value))
  }

  /// The same for an integer of another length.
  @inlinable package func continued(with value: some FixedWidthInteger & BitwiseCopyable) -> Checksum {
    unsafe withUnsafeBytes(of: value.littleEndian) { buffer in
      unsafe Checksum(sediment_crc32c(rawValue, buffer.baseAddress, buffer.count))
    }
  }
}

/// The form of the blocks that a file is entered by: a magic number (8), the checksum (4) of all bytes behind it, and
/// fields.
enum MagicBlock {
  private static let checksumOffset = 8
  private static let coveredOffset = 12

  /// Makes a block of so many bytes, of which `fill` writes the fields.
  static func encode(_ magic: UInt64, byteCount: Int, _ fill: (inout MutableRawSpan) -> Void) -> [UInt8] {
    encoded(byteCount: byteCount) { bytes in
      bytes.store(magic, at: 0)
      fill(&bytes)
      bytes.store(checksum(bytes.bytes, byteCount).rawValue, at: checksumOffset)
    }
  }

  /// Throws unless a block of so many bytes is whole and begins with its magic number, or with 0 if it `mayLackMagic`.
  static func check(
    _ bytes: RawSpan, _ magic: UInt64, byteCount: Int, mayLackMagic: Bool = false,
    for structure: FormatError.Structure
  ) throws(FormatError) {
    guard bytes.byteCount >= byteCount else { throw FormatError(structure, .truncated) }
    let found: UInt64 = bytes.integer(at: 0)
    guard found == magic || mayLackMagic && found == 0 else { throw FormatError(structure, .absent) }
    guard bytes.integer(at: checksumOffset) == checksum(bytes, byteCount).rawValue else {
      throw FormatError(structure, .checksum)
    }
  }

  private static func checksum(_ bytes: RawSpan, _ byteCount: Int) -> Checksum {
    Checksum.empty.continued(with: bytes.extracting(coveredOffset..<byteCount))
  }
}
