internal import SedimentFormat

/// How large segments are made, and how far ahead of use the file grows: policy alone, any number is legal.
enum SegmentSizes {
  /// The slots of a hot segment: one in a small store, then a 128th of the live bytes or of the slots that the file
  /// may have, up to 64 MiB.
  static func hotSlotCount(liveByteCount: Int, slotCountMax: UInt32) -> UInt32 {
    let slotCount = min(max(liveByteCount, 0) / 128 / Limits.slotByteCount, Int(slotCountMax) / 128)
    return UInt32(min(max(slotCount, 1), 4096))
  }

  /// The slots that a run may have at least where segments should have so many, before the file grows.
  ///
  /// A header and a seal are little beside four slots; where segments are small, a quarter has to do.
  static func leastRunSlotCount(of slotCount: UInt32) -> UInt32 {
    max(min(slotCount / 4, 4), slotCount / 16)
  }

  /// The slots that the survivors of one exchange may take of the reserve.
  ///
  /// An exchange frees its victims only once all of their survivors are written. A store that may not evict keeps
  /// more, since it may come to be full: what tombstones take of the reserve (`tombstoneSlotCount`) kills several times as much, and an
  /// exchange of so many slots then wins one even where what is dead lies evenly in all segments.
  static func survivorSlotCount(fileSlotCount: UInt32, segmentSlotCount: UInt32, evicts: Bool) -> UInt32 {
    let whole = min(segmentSlotCount, fileSlotCount / 32)
    let part =
      evicts ? min(fileSlotCount / 128, 64) : tombstoneSlotCount(fileSlotCount: fileSlotCount)
    return max(part, whole)
  }

  /// The slots that tombstones may take of the reserve of a store that may not evict.
  static func tombstoneSlotCount(fileSlotCount: UInt32) -> UInt32 {
    UInt32(Double(fileSlotCount / 3).squareRoot())
  }

  /// The slots of a segment that has room for records of so many bytes.
  static func leastSlotCount(roomFor byteCount: Int) -> UInt32 {
    let whole = SegmentHeader.byteCount + byteCount + Seal.recordByteCount
    return UInt32((whole + Limits.slotByteCount - 1) / Limits.slotByteCount)
  }

  /// The slots that the file grows by beyond what is needed at once: an eighth, up to 8 MiB.
  static func slotCountAhead(fileSlotCount: UInt32) -> UInt32 {
    min(fileSlotCount / 8, 512)
  }
}
