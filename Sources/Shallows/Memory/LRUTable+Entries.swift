// Entries that come and go.
extension LRUTable {
  /// Adds an entry as the one used last, under a key that has none; the caller has made room.
  @inlinable @inline(__always)
  mutating func add(_ pair: consuming Pair, hash: UInt32, cost: Int, expiry: UInt64, stamp: UInt32) {
    let index: UInt32
    if firstFree != 0 {
      index = firstFree
      firstFree = unsafe links[Int(index)].older
    } else {
      usedCount &+= 1
      index = UInt32(truncatingIfNeeded: usedCount)
      unsafe (links + usedCount).initialize(to: Link())
    }
    unsafe self.pair(index).initialize(to: pair)
    unsafe links[Int(index)].hash = hash
    unsafe links[Int(index)].cost = cost
    unsafe links[Int(index)].expiry = expiry
    unsafe links[Int(index)].stamp = stamp
    fillSlot(of: index, hash: hash)
    linkAsNewest(index)
    count &+= 1
    totalCost &+= cost
  }

  /// Takes an entry out.
  @inlinable @inline(__always)
  mutating func remove(_ index: UInt32) -> Pair {
    clearSlot(of: index)
    unlink(index)
    unsafe links[Int(index)].older = firstFree
    firstFree = index
    count &-= 1
    totalCost &-= unsafe links[Int(index)].cost
    return unsafe pair(index).move()
  }

  /// Gives an entry another value, and returns the one it had.
  @inlinable @inline(__always)
  func replaceValue(of index: UInt32, by value: consuming Value, expiry: UInt64, stamp: UInt32) -> Value {
    unsafe links[Int(index)].expiry = expiry
    unsafe links[Int(index)].stamp = stamp
    unsafe swap(&value, &pair(index).pointee.value)
    return value
  }

  /// Changes what an entry costs.
  @inlinable @inline(__always)
  mutating func setCost(_ cost: Int, of index: UInt32) {
    totalCost &+= unsafe cost &- links[Int(index)].cost
    unsafe links[Int(index)].cost = cost
  }

  /// Whether there is no memory for one more entry.
  @inlinable @inline(__always)
  var isFull: Bool { count == entryCapacity }

  /// Moves the entries to memory for so many, in their order.
  @inlinable @inline(never)
  mutating func resize(toEntryCapacity entryCapacity: Int) {
    var resized = LRUTable(entryCapacity: entryCapacity)
    // From the oldest on, for each becomes the newest.
    var index = oldest
    while index != 0 {
      let link = unsafe links[Int(index)]
      unsafe resized.add(
        pair(index).move(), hash: link.hash, cost: link.cost, expiry: link.expiry,
        stamp: link.stamp)
      index = link.newer
    }
    // Nothing is left in the old memory that had to end with it.
    unsafe links[0] = Link()
    self = resized
  }
}
