extension LRUStorage {
  /// The values held, with those that have expired and are not dropped yet.
  public var count: Int { statistics.count }

  /// What the values held cost together.
  public var totalCost: Int { statistics.cost }

  /// What is held now, and what happened since the storage was made.
  public var statistics: LRUStatistics {
    var sum = LRUStatistics()
    for number in 0..<shardCount {
      let shard = unsafe shards + number
      unsafe shard.pointee.lock.lock()
      unsafe sum += shard.pointee.statistics
      unsafe shard.pointee.lock.unlock()
    }
    return sum
  }

  /// The keys of all that `count` counts, the one used last first; with several shards, shard after shard.
  public var keysByLastUse: [Key] {
    var keys: [Key] = []
    for number in 0..<shardCount {
      let shard = unsafe shards + number
      unsafe shard.pointee.lock.lock()
      unsafe shard.pointee.table.appendKeys(to: &keys)
      unsafe shard.pointee.lock.unlock()
    }
    return keys
  }

  /// Checks everything that must hold of the tables and bounds between two calls.
  package func checkInvariants() throws(LRUDefect) {
    for number in 0..<shardCount {
      let shard = unsafe shards + number
      unsafe shard.pointee.lock.lock()
      defer { unsafe shard.pointee.lock.unlock() }
      try unsafe shard.pointee.table.checkInvariants()
      let table = unsafe (count: shard.pointee.table.count, cost: shard.pointee.table.totalCost)
      try LRUDefect.check(table.count <= (unsafe shard.pointee.countMax), "more entries than the bound")
      try LRUDefect.check(table.cost <= (unsafe shard.pointee.costMax), "more cost than the bound")
    }
  }
}
