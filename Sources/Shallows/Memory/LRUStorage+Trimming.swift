extension LRUStorage {
  /// Drops everything, with the memory that held it.
  public func purge() {
    dropAll(areEvictions: false)
  }

  func dropAll(areEvictions: Bool) {
    lock.lock()
    let taken = unsafe bounded.pointee.takeTable()
    if areEvictions { unsafe bounded.pointee.evictions &+= taken.count }
    lock.unlock()
    // Here it ends, with no lock taken.
    _ = consume taken
  }

  /// Evicts what was used longest ago, until no more than so many values are left.
  public func trim(toCount countMax: Int) {
    trim { _, _ in (max(countMax, 0), .max) }
  }

  /// Evicts what was used longest ago, until what is left costs no more than this.
  ///
  /// Without a cost in the capacity all values are free.
  public func trim(toCost costMax: Int) {
    trim { _, _ in (.max, max(costMax, 0)) }
  }

  /// Evicts; of what there is, in count and cost, the closure makes what is to be kept.
  func trim(_ bounds: (_ count: Int, _ cost: Int) -> (count: Int, cost: Int)) {
    var dropped = LRUDropped<Key, Value>()
    lock.lock()
    let bound = unsafe bounds(bounded.pointee.table.count, bounded.pointee.table.totalCost)
    unsafe bounded.pointee.evict(untilCount: bound.count, cost: bound.cost, dropped: &dropped)
    unsafe bounded.pointee.shrinkIfSparse()
    lock.unlock()
    dropped.release()
  }

  /// Drops all that has expired, which otherwise stays until it is asked for or evicted.
  public func removeExpired() {
    var dropped = LRUDropped<Key, Value>()
    lock.lock()
    unsafe bounded.pointee.removeExpired(clock: clock, dropped: &dropped)
    unsafe bounded.pointee.shrinkIfSparse()
    lock.unlock()
    dropped.release()
  }
}
