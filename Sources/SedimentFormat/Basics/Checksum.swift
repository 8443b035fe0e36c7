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
  @inlinable package func continued(with value: some FixedWidthInteger & BitwiseCopyable) -> Checksum {
    unsafe withUnsafeBytes(of: value.littleEndian) { buffer in
      unsafe Checksum(sediment_crc32c(rawValue, buffer.baseAddress, buffer.count))
    }
  }
}
