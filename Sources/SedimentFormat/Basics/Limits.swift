/// Every maximum of the format, in one place (DESIGN.md, chapter 1).
///
/// They are enforced where something is encoded and again where it is decoded.
@usableFromInline package enum Limits {
  /// The bytes of a unit, the grain of stored positions.
  @usableFromInline package static let unitByteCount = 8
  /// The binary logarithm of a slot's bytes.
  @usableFromInline package static let slotByteCountLog2: UInt8 = 14
  /// The bytes of a slot, the grain of allocation.
  @usableFromInline package static let slotByteCount = 1 << Int(slotByteCountLog2)
  /// The units of a slot.
  @usableFromInline package static let slotUnitCount = UInt64(slotByteCount / unitByteCount)
  /// The slots at the file's beginning that belong to no segment.
  @usableFromInline package static let headSlotCount: UInt32 = 2
  /// The slots of the largest file: the positions in it fit 38 bits of an index entry.
  @usableFromInline package static let fileSlotCountMax: UInt32 = 1 << 27
  /// The slots of the longest segment: the largest value and its header.
  @usableFromInline package static let segmentSlotCountMax: UInt32 = 65_537

  @usableFromInline package static let superblockByteCount = 4096
  @usableFromInline package static let segmentHeaderByteCount = 128
  @usableFromInline package static let recordFixedByteCount = 16

  @usableFromInline package static let keyByteCountMax = Int(UInt16.max)
  /// The largest value, before any transform.
  @usableFromInline package static let valueByteCountMax = 1 << 30
  /// The most bytes of a value that a record itself can hold, as stored.
  @usableFromInline package static let inlineValueByteCountMax = (1 << 24) - 1

  // A literal: a shift is computed at the first use, and asked for at each.
  @usableFromInline package static let batchRecordCountMax: UInt32 = 1_048_576
  @usableFromInline package static let batchByteCountMax = 256 << 20

  @usableFromInline package static let collectionNameByteCountMax = 255
  /// The pieces that a large value may lie in.
  @usableFromInline package static let extentPieceCountMax: UInt32 = 4096
  /// The bytes of a large value that one checksum covers.
  @usableFromInline package static let chunkByteCount = 1 << 20
  @usableFromInline package static let dictionaryByteCountMax = 1 << 20
  @usableFromInline package static let dictionaryNumberMax: UInt32 = (1 << 24) - 1

  /// The highest sequence number; nothing handles a wrap-around, because none can happen.
  @usableFromInline package static let sequenceMax: UInt64 = 1 << 62
  /// The highest generation of a segment or superblock.
  @usableFromInline package static let generationMax: UInt64 = 1 << 62
  /// How far sequences and generations jump after a cut.
  @usableFromInline package static let jumpAfterCut: UInt64 = 1 << 32
  /// The range of sequences that one segment can tell apart.
  @usableFromInline package static let sequenceSpan: UInt64 = 1 << 48
  /// The latest expiry and clock, in milliseconds since 1970.
  @usableFromInline package static let clockMax: UInt64 = (1 << 48) - 1
}
