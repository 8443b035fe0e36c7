internal import SedimentFormat

/// How large segments are made, and how far ahead of use the file grows: policy alone, any number is legal.
enum SegmentSizes {
  /// The slots of a hot segment: one in a small store, then a 128th of the live bytes, up to 64 MiB.
  static func hotSlotCount(liveByteCount: Int) -> UInt32 {
    let slotCount = liveByteCount / 128 / Limits.slotByteCount
    return UInt32(min(max(slotCount, 1), 4096))
  }

  /// The slots that the file grows by beyond what is needed at once: an eighth, up to 8 MiB.
  static func slotCountAhead(fileSlotCount: UInt32) -> UInt32 {
    min(fileSlotCount / 8, 512)
  }
}
