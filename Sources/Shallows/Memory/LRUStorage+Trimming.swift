extension LRUStorage {
  /// Drops everything, with the memory that held it.
  public func purge() {
    dropAll(areEvictions: false)
  }

  func dropAll(areEvictions: Bool) {
    for number in 0..<shardCount {
      let shard = unsafe shards[number]
      shard.lock.lock()
      let taken = unsafe shard.bounded.pointee.takeTable()
      if areEvictions { unsafe shard.bounded.pointee.evictions &+= taken.count }
      shard.lock.unlock()
      // Here it ends, with no lock taken.
      _ = consume taken
    }
  }

  /// Evicts what was used longest ago, until no more than so many values are left.
  ///
  /// Of several shards each keeps its share of them at most.
  public func trim(toCount countMax: Int) {
    trim { shard, _, _ in
      (LRUCapacity<Key, Value>.share(of: max(countMax, 0), shard: shard, count: shardCount), .max)
    }
  }

  /// Evicts what was used longest ago, until what is left costs no more than this.
  ///
  /// Of several shards each keeps its share of it at most. Without a cost in the capacity all values are free.
  public func trim(toCost costMax: Int) {
    trim { shard, _, _ in
      (.max, LRUCapacity<Key, Value>.share(of: max(costMax, 0), shard: shard, count: shardCount))
    }
  }

  /// Evicts from each shard, of whose count and cost the closure makes those to keep.
  func trim(_ bounds: (_ shard: Int, _ count: Int, _ cost: Int) -> (count: Int, cost: Int)) {
    for number in 0..<shardCount {
      let shard = unsafe shards[number]
      var dropped = LRUDropped<Key, Value>()
      shard.lock.lock()
      let bound = unsafe bounds(
        number, shard.bounded.pointee.table.count, shard.bounded.pointee.table.totalCost)
      unsafe shard.bounded.pointee.evict(untilCount: bound.count, cost: bound.cost, dropped: &dropped)
      unsafe shard.bounded.pointee.shrinkIfSparse()
      shard.lock.unlock()
      dropped.release()
    }
  }

  /// Drops all that has expired, which otherwise stays until it is asked for or evicted.
  public func removeExpired() {
    for number in 0..<shardCount {
      let shard = unsafe shards[number]
      var dropped = LRUDropped<Key, Value>()
      shard.lock.lock()
      unsafe shard.bounded.pointee.removeExpired(clock: clock, dropped: &dropped)
      unsafe shard.bounded.pointee.shrinkIfSparse()
      shard.lock.unlock()
      dropped.release()
    }
  }
}
