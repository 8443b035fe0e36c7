// Entries by their keys. A slot's position starts with the first bits of the hash, and what the slot keeps of
// the hash are the others, so that together they are all of it, as long as slots are where they belong.
extension LRUTable {
  /// The bits of a hash that a table works with, once mixed, because keys may have hashes of their own making.
  @inlinable @inline(__always)
  static func mixedHash(of key: Key) -> UInt64 {
    // Swift's hash of a number takes a third of a hit.
    let hash =
      Key.self == Int.self
      ? unsafe LRUNumbers.hash(of: unsafeBitCast(key, to: Int.self))
      : UInt64(truncatingIfNeeded: key.hashValue)
    return LRUNumbers.product(hash, 0x9E37_79B9_7F4A_7C15)
  }

  @inlinable @inline(__always)
  func homePosition(of hash: UInt32) -> UInt32 {
    hash &>> (32 &- bitCount)
  }

  /// The entry of a key; 0 if there is none.
  @inlinable @inline(__always)
  func index(of key: Key, hash: UInt32) -> UInt32 {
    let tag = hash &<< bitCount
    var position = homePosition(of: hash)
    while true {
      let slot = unsafe slots[Int(position)]
      if slot == 0 { return 0 }
      // Below the tag's bits there is the entry's number, if the tags are equal.
      let index = slot ^ tag
      if index <= mask, unsafe pair(index).pointee.key == key { return index }
      position = (position &+ 1) & mask
    }
  }

  /// Makes an entry found by its hash; there is always an empty slot.
  @inlinable @inline(__always)
  func fillSlot(of index: UInt32, hash: UInt32) {
    var position = homePosition(of: hash)
    while unsafe slots[Int(position)] != 0 { position = (position &+ 1) & mask }
    unsafe slots[Int(position)] = (hash &<< bitCount) | index
  }

  /// The position of the slot that leads to an entry.
  @inlinable @inline(__always)
  func position(of index: UInt32) -> UInt32 {
    var position = unsafe homePosition(of: links[Int(index)].hash)
    while unsafe slots[Int(position)] & mask != index { position = (position &+ 1) & mask }
    return position
  }

  /// Makes an entry be found no more, and closes the gap, so that no search ends too early.
  @inlinable @inline(__always)
  func clearSlot(of index: UInt32) {
    var gap = position(of: index)
    var position = gap
    while true {
      position = (position &+ 1) & mask
      let slot = unsafe slots[Int(position)]
      if slot == 0 { break }
      let home = unsafe homePosition(of: links[Int(slot & mask)].hash)
      // It may go as far back as to its home.
      if (position &- home) & mask >= (position &- gap) & mask {
        unsafe slots[Int(gap)] = slot
        gap = position
      }
    }
    unsafe slots[Int(gap)] = 0
  }
}

/// The hashes of keys that are numbers: by a seed, so that nobody can choose numbers that collide.
@usableFromInline
enum LRUNumbers {
  // From Swift's seed of the process, so that they are equal from run to run where that is.
  @usableFromInline static let word = UInt64(bitPattern: Int64(0.hashValue))
  @usableFromInline static let factor = UInt64(bitPattern: Int64(1.hashValue)) | 1

  /// The hash of a number, which is to be mixed once more: numbers at equal distances lie at equal distances still.
  @inlinable @inline(__always)
  static func hash(of number: Int) -> UInt64 {
    product(UInt64(bitPattern: Int64(number)) ^ word, factor)
  }

  /// Both halves of a product as one word.
  @inlinable @inline(__always)
  static func product(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
  }
}
