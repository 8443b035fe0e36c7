// Entries by their keys. A slot's position starts with the first bits of the hash, and what the slot keeps of
// the hash are the others, so that together they are all of it, as long as slots are where they belong.
extension LRUTable {
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
