/// A bounded table with the lock that guards it: a whole memory layer, or a part of one.
///
/// It only refers to both, and never changes, so that it may be read without the lock.
@safe @usableFromInline
struct LRUShard<Key: Hashable, Value> {
  @usableFromInline let lock: LRULock
  @usableFromInline let bounded: UnsafeMutablePointer<LRUBoundedTable<Key, Value>>

  init(countMax: Int, costMax: Int) {
    lock = LRULock()
    // In cache lines of its own.
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: (MemoryLayout<LRUBoundedTable<Key, Value>>.stride + 127) & ~127, alignment: 128)
    unsafe bounded = memory.bindMemory(to: LRUBoundedTable<Key, Value>.self, capacity: 1)
    unsafe bounded.initialize(to: LRUBoundedTable(countMax: countMax, costMax: costMax))
  }

  /// Ends everything, when nobody uses it any more.
  func destroy() {
    unsafe bounded.deinitialize(count: 1)
    unsafe UnsafeMutableRawPointer(bounded).deallocate()
    lock.destroy()
  }
}
