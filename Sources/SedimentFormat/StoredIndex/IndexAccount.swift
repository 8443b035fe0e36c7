/// What an index part leads to in one segment, of one collection.
package struct IndexAccount: Hashable, Sendable {
  /// The segment's.
  package let generation: Generation
  package let collection: UInt32
  package let recordCount: UInt32
  /// How many of the records expire some day.
  package let expiringCount: UInt32
  /// The whole bytes of the records.
  package let byteCount: UInt64
  /// The slots of the extents that large values among them lie in.
  package let extentSlotCount: UInt32

  /// Nil for what no records can come to.
  package init?(
    generation: Generation, collection: UInt32, recordCount: UInt32, expiringCount: UInt32, byteCount: UInt64,
    extentSlotCount: UInt32 = 0
  ) {
    guard recordCount >= 1, expiringCount <= recordCount,
      byteCount >= UInt64(recordCount) * UInt64(Limits.recordFixedByteCount),
      byteCount % UInt64(Limits.unitByteCount) == 0
    else { return nil }
    self.generation = generation
    self.collection = collection
    self.recordCount = recordCount
    self.expiringCount = expiringCount
    self.byteCount = byteCount
    self.extentSlotCount = extentSlotCount
  }

  static let wordCount = 4

  func encode(into pages: inout IndexPages) {
    pages.add(generation.rawValue)
    pages.add(UInt64(collection) | UInt64(recordCount) << 32)
    pages.add(UInt64(expiringCount) | UInt64(extentSlotCount) << 32)
    pages.add(byteCount)
  }

  /// Decodes the account at an offset where the caller knows enough bytes to be.
  static func decode(_ bytes: RawSpan, at offset: Int) -> IndexAccount? {
    guard let generation = Generation(bytes.integer(at: offset)) else { return nil }
    return IndexAccount(
      generation: generation, collection: bytes.integer(at: offset + 8),
      recordCount: bytes.integer(at: offset + 12), expiringCount: bytes.integer(at: offset + 16),
      byteCount: bytes.integer(at: offset + 24), extentSlotCount: bytes.integer(at: offset + 20))
  }
}
