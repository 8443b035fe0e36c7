/// The lowest six bits of a hash that an entry of the index holds: what the entry tells of its key's collection.
///
/// In the default collection the lowest of these bits is 0, and the others are bits of the hash like any other. In a
/// named collection the lowest is 1, and the others are the low bits of the collection's number. So an entry of the
/// default collection is told from all others, and of named collections those whose numbers differ in five bits.
///
/// The bits choose neither a partition of the index nor a place in one, or the keys of a collection would lie together.
@usableFromInline package enum CollectionTag {
  @usableFromInline package static var bitCount: UInt64 { 6 }

  /// How far a tag is shifted in a hash: to the lowest bit that an entry holds.
  @inlinable static var shift: UInt64 { 64 &- KeyHash.baseBitCount &- KeyHash.entryBitCount }

  /// A hash with the tag of a collection.
  @inlinable @inline(__always) static func tagged(_ hash: UInt64, _ collection: UInt32) -> UInt64 {
    if collection == 0 { return hash & ~(1 &<< shift) }
    return hash & ~(mask &<< shift) | named(collection) &<< shift
  }

  /// The tag of a named collection.
  @inlinable package static func named(_ collection: UInt32) -> UInt64 {
    (UInt64(collection) &<< 1 | 1) & mask
  }

  @inlinable package static var mask: UInt64 { 1 &<< bitCount &- 1 }
}
