/// How an extent of so many bytes is laid out: its header, the bytes, then the checksum of each chunk of them.
///
///     | header 128 | bytes | zeros to a multiple of 4 | chunk table: 4 bytes for each MiB begun |
package struct ExtentLayout: Hashable, Sendable {
  /// The bytes of the value that it holds; at most `Limits.valueByteCountMax`.
  package let storedByteCount: UInt64

  package init(storedByteCount: UInt64) {
    precondition(storedByteCount <= UInt64(Limits.valueByteCountMax))
    self.storedByteCount = storedByteCount
  }

  /// Where the bytes begin, counted from the extent's beginning.
  package static let bytesOffset = UInt64(SegmentHeader.byteCount)

  package var chunkCount: Int {
    Int((storedByteCount + UInt64(Limits.chunkByteCount) - 1) / UInt64(Limits.chunkByteCount))
  }

  /// Where the chunk table begins, counted from the extent's beginning.
  package var tableOffset: UInt64 {
    (Self.bytesOffset + storedByteCount + 3) & ~3
  }

  package var tableByteCount: Int {
    chunkCount * 4
  }

  /// The slots that the extent takes.
  package var slotCount: UInt32 {
    let byteCount = tableOffset + UInt64(tableByteCount)
    let slotByteCount = UInt64(Limits.slotByteCount)
    return UInt32(truncatingIfNeeded: (byteCount + slotByteCount - 1) / slotByteCount)
  }

  /// The bytes that an extent of so many slots can hold.
  package static func storedByteCountMax(slotCount: UInt32) -> UInt64 {
    let byteCount = UInt64(slotCount) * UInt64(Limits.slotByteCount)
    let chunkCount = (byteCount + UInt64(Limits.chunkByteCount) - 1) / UInt64(Limits.chunkByteCount)
    return byteCount - bytesOffset - 4 * chunkCount
  }

  /// The bytes of a chunk, counted from the beginning of the value's bytes.
  package func chunk(_ number: Int) -> Range<UInt64> {
    precondition(number >= 0 && number < chunkCount)
    let start = UInt64(number) * UInt64(Limits.chunkByteCount)
    return start..<min(start + UInt64(Limits.chunkByteCount), storedByteCount)
  }

  /// The checksum of a chunk in an extent of that seed.
  package static func checksum(ofChunk number: Int, _ bytes: RawSpan, seed: Checksum) -> Checksum {
    seed.continued(with: UInt32(truncatingIfNeeded: number)).continued(with: bytes)
  }
}
