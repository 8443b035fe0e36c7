/// Entries in order of use, found by their keys: an LRU list and a hash table in three flat buffers.
///
/// Entries are numbered from 1. Slots are addressed openly, one after the other, and hold an entry's number below
/// as many bits of its hash as there is room for; at least half of them are empty. Entry 0 has no key: it closes
/// the ring of entries, from the one used last to the one used longest ago.
@safe @usableFromInline
struct LRUTable<Key: Hashable, Value>: ~Copyable {
  @usableFromInline typealias Pair = LRUPair<Key, Value>

  /// What a table knows of an entry besides its key and value.
  @usableFromInline
  struct Link {
    @usableFromInline var hash: UInt32 = 0
    /// The entry that was used next after this one.
    @usableFromInline var newer: UInt32 = 0
    /// The entry that was used last before this one; of a free entry, the next free one.
    @usableFromInline var older: UInt32 = 0
    /// Another one for each value that the entry is given.
    @usableFromInline var stamp: UInt32 = 0
    @usableFromInline var cost = 0
    /// When it expires; 0 for never.
    @usableFromInline var expiry: UInt64 = 0

    @inlinable @inline(__always)
    init() {}
  }

  /// The entries that a table can have, so that a number leaves room for a few bits of the hash.
  @inlinable static var entryCapacityMax: Int { 1 << 28 }

  /// The slots, a power of two; 0 is an empty one.
  @usableFromInline var slots: UnsafeMutablePointer<UInt32>
  /// The links of all entries, 0 included.
  @usableFromInline var links: UnsafeMutablePointer<Link>
  /// The keys and values of entries from 1 on; those of free entries are not initialized.
  @usableFromInline var pairs: UnsafeMutablePointer<Pair>
  /// The slots but one: the mask for their positions, and for the number of an entry within a slot.
  @usableFromInline var mask: UInt32
  /// The bits of a position.
  @usableFromInline var bitCount: UInt32

  /// The entries that there is memory for.
  @usableFromInline var entryCapacity: Int
  /// The entries that were used since the memory was allocated; those behind are free as well.
  @usableFromInline var usedCount = 0
  /// The first of the free entries among the used ones, 0 if there is none.
  @usableFromInline var firstFree: UInt32 = 0
  /// The entries that have a key.
  @usableFromInline var count = 0
  /// What they cost together.
  @usableFromInline var totalCost = 0

  /// An empty table with memory for so many entries.
  @inlinable
  init(entryCapacity: Int = 0) {
    let bitCount = Int.bitWidth - max(entryCapacity - 1, 0).leadingZeroBitCount + 1
    let slotCount = 1 << bitCount
    self.entryCapacity = entryCapacity
    self.bitCount = UInt32(truncatingIfNeeded: bitCount)
    mask = UInt32(truncatingIfNeeded: slotCount - 1)
    unsafe slots = .allocate(capacity: slotCount)
    unsafe slots.initialize(repeating: 0, count: slotCount)
    unsafe links = .allocate(capacity: entryCapacity + 1)
    unsafe links.initialize(to: Link())
    unsafe pairs = .allocate(capacity: entryCapacity)
  }

  @inlinable
  deinit {
    var index = unsafe links[0].older
    while index != 0 {
      unsafe (pairs + Int(index - 1)).deinitialize(count: 1)
      index = unsafe links[Int(index)].older
    }
    // Slots and links are numbers, which need no end.
    unsafe slots.deallocate()
    unsafe links.deallocate()
    unsafe pairs.deallocate()
  }

  /// The bytes of the three buffers.
  var byteCount: Int {
    (Int(mask) + 1) * MemoryLayout<UInt32>.stride + (entryCapacity + 1) * MemoryLayout<Link>.stride
      + entryCapacity * MemoryLayout<Pair>.stride
  }

  /// The memory of an entry's key and value.
  @inlinable @inline(__always)
  func pair(_ index: UInt32) -> UnsafeMutablePointer<Pair> {
    unsafe pairs + (Int(index) &- 1)
  }
}
