internal import CSediment
internal import SedimentFormat
internal import Synchronization

/// What the index knows of one record: where it lies, some bits of its key's hash, and whether it was read lately
/// (DESIGN.md, 3.9).
///
/// Bits 0 to 37 are the record's position in units, bits 38 to 62 bits of the hash, bit 63 is the reference bit.
/// The hash bits are those that follow the ones which choose the base partition. The lowest of them are the tag of the
/// key's collection (`CollectionTag`).
package struct IndexEntry: Hashable, Sendable {
  /// The entry as memory and stored indexes hold it.
  package let rawValue: UInt64

  /// An entry that was stored as a number before.
  @inline(__always)
  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// An entry that was not referenced yet; `hashBits` lie in their place already.
  ///
  /// The positions of the longest file that there can be are those that an entry has room for.
  @inline(__always)
  init(position: UInt64, hashBits: UInt64) {
    assert(position >= Self.positionMin && position <= Self.positionMask, "not the position of a record")
    rawValue = position | hashBits
  }

  /// The record's position in units.
  @inline(__always)
  package var position: UInt64 { rawValue & Self.positionMask }

  /// Whether the record was read since the bit was last cleared.
  @inline(__always)
  package var isReferenced: Bool { rawValue & Self.referenceBit != 0 }

  /// The bits of the hash, in their place.
  @inline(__always)
  var hashBits: UInt64 { rawValue & Self.hashMask }

  /// The tag of the key's collection.
  @inline(__always)
  var collectionTag: UInt64 { rawValue &>> Self.positionBitCount & CollectionTag.mask }

  /// The same entry under other bits of a hash.
  func withHashBits(_ hashBits: UInt64) -> IndexEntry {
    IndexEntry(rawValue: rawValue & ~Self.hashMask | hashBits)
  }
}

extension IndexEntry {
  static let positionBitCount: UInt64 = 38
  static let positionMask: UInt64 = 1 << positionBitCount - 1
  static let hashMask: UInt64 = (1 << KeyHash.entryBitCount - 1) << positionBitCount
  static let referenceBit: UInt64 = 1 << 63

  /// The lowest position of an entry: the ones below mean that a slot is free, and lie in the file's head.
  static let positionMin: UInt64 = 2
  /// A slot that is free, and behind which no probe need look on.
  static let vacant: UInt64 = 0
  /// A slot that is free, and behind which a probe must look on.
  static let deleted: UInt64 = 1

  /// The bits of a hash that an entry keeps, in their place.
  @inline(__always)
  static func hashBits(of hash: UInt64) -> UInt64 {
    hash &<< (KeyHash.baseBitCount &- 1) & hashMask
  }
}

/// The place of one entry in a table; every access is atomic.
@safe
struct IndexSlot {
  private let address: UnsafeMutablePointer<Atomic<UInt64>>

  @inline(__always)
  init(_ address: UnsafeMutablePointer<Atomic<UInt64>>) {
    unsafe self.address = address
  }

  /// A slot further on, which must lie in the same table.
  @inline(__always)
  func advanced(by distance: Int) -> IndexSlot {
    unsafe IndexSlot(address + distance)
  }

  /// The first slot of the bucket that it lies in, which is one line of the cache.
  @inline(__always)
  var firstOfBucket: IndexSlot {
    let address = unsafe UInt(bitPattern: address) & ~UInt(IndexTable.bucketByteCount - 1)
    return unsafe IndexSlot(UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped)
  }

  /// Whether the bucket has a vacant slot that this is the first slot of.
  @inline(__always)
  var hasVacancy: Bool {
    (0..<IndexTable.bucketSlotCount).contains { advanced(by: $0).load() == IndexEntry.vacant }
  }

  /// What the slot holds; what was stored elsewhere before that is seen, too.
  @inline(__always)
  func load() -> UInt64 {
    unsafe address.pointee.load(ordering: .acquiring)
  }

  /// What the slot holds, for the writer, who put it there, but for the reference bit.
  @inline(__always)
  func loadAsWriter() -> UInt64 {
    unsafe address.pointee.load(ordering: .relaxed)
  }

  /// Begins to bring the slot near.
  @inline(__always)
  func prefetch() {
    unsafe sediment_prefetch(UnsafeRawPointer(address))
  }

  /// Makes the slot hold a value, for readers as well.
  @inline(__always)
  func store(_ rawValue: UInt64) {
    unsafe address.pointee.store(rawValue, ordering: .releasing)
    SchedulePoint.reach(.published)
  }

  /// Makes the slot of a table that is not published yet hold a value.
  @inline(__always)
  func storeUnpublished(_ rawValue: UInt64) {
    unsafe address.pointee.store(rawValue, ordering: .relaxed)
  }

  /// Sets the reference bit of an entry that agrees in the bits of a hash, if the slot holds one without it.
  @inline(__always)
  func setReference(hashBits: UInt64) {
    let rawValue = load()
    guard rawValue & IndexEntry.referenceBit == 0, (rawValue ^ hashBits) & IndexEntry.hashMask == 0,
      rawValue > IndexEntry.deleted
    else { return }
    // Not an "or", which could make an entry of a slot that was freed.
    _ = unsafe address.pointee.compareExchange(
      expected: rawValue, desired: rawValue | IndexEntry.referenceBit, ordering: .relaxed)
  }
}
