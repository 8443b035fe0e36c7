/// Something does not hold of a table that must.
package struct LRUDefect: Error {
  /// What is wrong.
  package let description: String

  static func check(_ holds: Bool, _ description: @autoclosure () -> String) throws(LRUDefect) {
    if !holds { throw LRUDefect(description: description()) }
  }
}

extension LRUTable {
  /// Adds the keys, the one used last first.
  func appendKeys(to keys: inout [Key]) {
    keys.reserveCapacity(keys.count + count)
    var index = newest
    while index != 0 {
      keys.append(unsafe pair(index).pointee.key)
      index = unsafe links[Int(index)].older
    }
  }

  /// Checks that ring, free entries and slots agree.
  func checkInvariants() throws(LRUDefect) {
    let free = try checkFreeEntries()
    try checkRing(free: free)
    try checkSlots()
  }

  /// How many slots are looked at to find each of the keys once.
  func searchedSlotCount() -> Int {
    var searched = 0
    var index = newest
    while index != 0 {
      let home = unsafe homePosition(of: links[Int(index)].hash)
      searched += 1 + Int((position(of: index) &- home) & mask)
      index = unsafe links[Int(index)].older
    }
    return searched
  }

  private func checkFreeEntries() throws(LRUDefect) -> Set<UInt32> {
    var free: Set<UInt32> = []
    var index = firstFree
    while index != 0 {
      try LRUDefect.check(index <= usedCount, "free entry \(index) was never used")
      try LRUDefect.check(free.insert(index).inserted, "entry \(index) is free twice")
      index = unsafe links[Int(index)].older
    }
    try LRUDefect.check(usedCount <= entryCapacity, "\(usedCount) entries used of \(entryCapacity)")
    try LRUDefect.check(count + free.count == usedCount, "\(count) and \(free.count) free of \(usedCount)")
    return free
  }

  private func checkRing(free: Set<UInt32>) throws(LRUDefect) {
    var seen: Set<UInt32> = []
    var cost = 0
    var index = newest
    var newer: UInt32 = 0
    while index != 0 {
      let link = unsafe links[Int(index)]
      try LRUDefect.check(index <= usedCount && !free.contains(index), "entry \(index) is free and used")
      try LRUDefect.check(seen.insert(index).inserted, "entry \(index) is in the ring twice")
      try LRUDefect.check(link.newer == newer, "entry \(index) does not know \(newer)")
      let key = unsafe pair(index).pointee.key
      let hash = UInt32(truncatingIfNeeded: LRUHashing().mixedHash(of: key))
      try LRUDefect.check(link.hash == hash, "entry \(index) has another hash than its key")
      try LRUDefect.check(self.index(of: key, hash: hash) == index, "entry \(index) is not found")
      try LRUDefect.check(link.cost >= 0, "entry \(index) has the cost \(link.cost)")
      cost += link.cost
      newer = index
      index = link.older
    }
    try LRUDefect.check(oldest == newer, "the ring is not closed")
    try LRUDefect.check(seen.count == count, "\(seen.count) entries in the ring, not \(count)")
    try LRUDefect.check(cost == totalCost, "a cost of \(cost), not \(totalCost)")
  }

  private func checkSlots() throws(LRUDefect) {
    let slotCount = Int(mask) + 1
    try LRUDefect.check(slotCount == 1 << Int(bitCount), "\(slotCount) slots with \(bitCount) bits")
    try LRUDefect.check(slotCount >= 2 * entryCapacity, "\(slotCount) slots for \(entryCapacity) entries")
    var filledCount = 0
    for position in 0..<slotCount where unsafe slots[position] != 0 { filledCount += 1 }
    try LRUDefect.check(filledCount == count, "\(filledCount) slots for \(count) entries")
  }
}
