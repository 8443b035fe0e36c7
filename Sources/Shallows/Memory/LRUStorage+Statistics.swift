extension LRUStorage {
  /// The values held, with those that have expired and are not dropped yet.
  public var count: Int { statistics.count }

  /// What the values held cost together.
  public var totalCost: Int { statistics.cost }

  /// What is held now, and what happened since the storage was made.
  public var statistics: LRUStatistics {
    lock.lock()
    defer { lock.unlock() }
    return unsafe bounded.pointee.statistics
  }

  /// The keys of all that `count` counts, the one used last first.
  public var keysByLastUse: [Key] {
    var keys: [Key] = []
    lock.lock()
    unsafe bounded.pointee.table.appendKeys(to: &keys)
    lock.unlock()
    return keys
  }

  /// How many slots of the table are looked at to find each of the keys once.
  package var searchedSlotCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return unsafe bounded.pointee.table.searchedSlotCount()
  }

  /// Checks everything that must hold of the table and the bound between two calls.
  package func checkInvariants() throws(LRUDefect) {
    lock.lock()
    defer { lock.unlock() }
    try unsafe bounded.pointee.table.checkInvariants()
    let table = unsafe (
      count: bounded.pointee.table.count, cost: bounded.pointee.table.totalCost
    )
    try LRUDefect.check(
      table.count <= (unsafe bounded.pointee.countMax), "more entries than the bound")
    try LRUDefect.check(table.cost <= (unsafe bounded.pointee.costMax), "more cost than the bound")
  }
}
