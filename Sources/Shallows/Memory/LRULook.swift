/// What a key had when it was looked at, by which it is told later whether it still has that.
@usableFromInline
struct LRULook {
  @usableFromInline let isPresent: Bool
  @usableFromInline let stamp: UInt32
  @usableFromInline let insertions: Int

  @inlinable @inline(__always)
  init(isPresent: Bool, stamp: UInt32, insertions: Int) {
    self.isPresent = isPresent
    self.stamp = stamp
    self.insertions = insertions
  }
}

extension LRUBoundedTable {
  /// Looks at the entry of a key, 0 for none.
  @inlinable @inline(__always)
  func look(at index: UInt32) -> LRULook {
    let stamp = index == 0 ? 0 : unsafe table.links[Int(index)].stamp
    return LRULook(isPresent: index != 0, stamp: stamp, insertions: insertions)
  }

  /// Whether the key of this entry, 0 for none, has had no other value since.
  ///
  /// A key that had none is unchanged if it has none again.
  @inlinable @inline(__always)
  func isUnchanged(_ index: UInt32, since look: LRULook) -> Bool {
    guard index != 0, look.isPresent else { return look.isPresent == (index != 0) }
    // Stamps come again after as many insertions as there are stamps.
    let isRecent = insertions &- look.insertions <= Int(UInt32.max)
    return unsafe isRecent && table.links[Int(index)].stamp == look.stamp
  }
}
