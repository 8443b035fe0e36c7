/// The part of the file that records are stored into before they go to their places in the log (DESIGN.md 5.1).
///
///     | header 128, zeros | ring                               |
///     0                   4,096                                the end of its segment
///
/// The byte of the log at an offset in the file belongs into the ring at that offset modulo the ring's length. A record
/// that would go on at the ring's beginning does not belong into it.
package struct Window: Hashable, Sendable {
  /// The slots of its segment.
  package let run: SlotRun

  package init(_ run: SlotRun) {
    self.run = run
  }

  /// The slots that one may have; tests have small ones.
  package static let slotCounts: [UInt32] = [1, 4]

  /// What the log is written by: whole pages of so many bytes, where nobody has to read them first.
  package static let pageByteCount: UInt64 = 4096

  /// The bytes of the ring in the file: whole pages.
  package var ring: Range<UInt64> {
    run.byteRange.lowerBound + Self.pageByteCount..<run.byteRange.upperBound
  }

  /// Where in the file the ring has a byte of the log.
  @inline(__always)
  package func place(of offset: UInt64) -> UInt64 {
    ring.lowerBound + offset % UInt64(ring.count)
  }

  /// Behind the last byte of the log that lies in the ring in a row with the one at an offset.
  package func end(from offset: UInt64) -> UInt64 {
    offset + UInt64(ring.count) - offset % UInt64(ring.count)
  }
}
