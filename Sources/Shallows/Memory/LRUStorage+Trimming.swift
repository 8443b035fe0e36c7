extension LRUStorage {
  /// Drops everything, with the memory that held it.
  public func purge() {
    for number in 0..<shardCount {
      let shard = unsafe shards + number
      unsafe shard.pointee.lock.lock()
      let taken = unsafe shard.pointee.takeTable()
      unsafe shard.pointee.lock.unlock()
      // Here it ends, with no lock taken.
      _ = consume taken
    }
  }

  /// Evicts what was used longest ago, until no more than so many values are left.
  ///
  /// Of several shards each keeps its share of them at most.
  public func trim(toCount countMax: Int) {
    trim { shard in
      (LRUCapacity<Key, Value>.share(of: max(countMax, 0), shard: shard, count: shardCount), .max)
    }
  }

  /// Evicts what was used longest ago, until what is left costs no more than this.
  ///
  /// Of several shards each keeps its share of it at most. Without a cost in the capacity all values are free.
  public func trim(toCost costMax: Int) {
    trim { shard in
      (.max, LRUCapacity<Key, Value>.share(of: max(costMax, 0), shard: shard, count: shardCount))
    }
  }

  private func trim(_ bounds: (_ shard: Int) -> (count: Int, cost: Int)) {
    for number in 0..<shardCount {
      let shard = unsafe shards + number
      let bound = bounds(number)
      var dropped = LRUDropped<Key, Value>()
      unsafe shard.pointee.lock.lock()
      unsafe shard.pointee.evict(untilCount: bound.count, cost: bound.cost, dropped: &dropped)
      unsafe shard.pointee.shrinkIfSparse()
      unsafe shard.pointee.lock.unlock()
      dropped.release()
    }
  }

  /// Drops all that has expired, which otherwise stays until it is asked for or evicted.
  public func removeExpired() {
    for number in 0..<shardCount {
      let shard = unsafe shards + number
      var dropped = LRUDropped<Key, Value>()
      unsafe shard.pointee.lock.lock()
      unsafe shard.pointee.removeExpired(clock: clock, dropped: &dropped)
      unsafe shard.pointee.shrinkIfSparse()
      unsafe shard.pointee.lock.unlock()
      dropped.release()
    }
  }
}
