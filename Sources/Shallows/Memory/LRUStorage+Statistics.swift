extension LRUStorage {
  /// The values held, with those that have expired and are not dropped yet.
  public var count: Int { statistics.count }

  /// What the values held cost together.
  public var totalCost: Int { statistics.cost }

  /// What is held now, and what happened since the storage was made.
  public var statistics: LRUStatistics {
    var sum = LRUStatistics()
    for number in 0..<shardCount {
      let shard = unsafe shards[number]
      shard.lock.lock()
      unsafe sum += shard.bounded.pointee.statistics
      shard.lock.unlock()
    }
    return sum
  }

  /// The keys of all that `count` counts, the one used last first; with several shards, shard after shard.
  public var keysByLastUse: [Key] {
    var keys: [Key] = []
    for number in 0..<shardCount {
      let shard = unsafe shards[number]
      shard.lock.lock()
      unsafe shard.bounded.pointee.table.appendKeys(to: &keys)
      shard.lock.unlock()
    }
    return keys
  }

  /// Checks everything that must hold of the tables and bounds between two calls.
  package func checkInvariants() throws(LRUDefect) {
    for number in 0..<shardCount {
      let shard = unsafe shards[number]
      shard.lock.lock()
      defer { shard.lock.unlock() }
      try unsafe shard.bounded.pointee.table.checkInvariants()
      let table = unsafe (
        count: shard.bounded.pointee.table.count, cost: shard.bounded.pointee.table.totalCost
      )
      try LRUDefect.check(
        table.count <= (unsafe shard.bounded.pointee.countMax), "more entries than the bound")
      try LRUDefect.check(table.cost <= (unsafe shard.bounded.pointee.costMax), "more cost than the bound")
    }
  }
}
