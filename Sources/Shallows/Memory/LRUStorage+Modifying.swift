extension LRUStorage {
  /// Changes the value of a key in one step, which no other call of any thread comes between.
  ///
  /// The closure finds nil where there is no value, or an expired one, and leaves nil to have none. What it leaves
  /// is kept as by `insert`, with the expiry that it had unless another is said, so not if it exceeds the bound.
  /// If it throws, nothing changes. It counts as a hit or a miss, like `value`.
  ///
  /// The closure runs under a lock, as does the one that tells the cost: they must not call the same storage.
  @inlinable
  public func modifyValue<Result, Failure: Error>(
    forKey key: Key, expiry: StorageExpiry? = nil, _ modify: (inout Value?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let deadline = LRUExpiry.deadline(expiry, clock: clock)
    let hash = LRUTable<Key, Value>.mixedHash(of: key)
    let tableHash = UInt32(truncatingIfNeeded: hash)
    let shard = shard(hash)
    // What the closure replaces is in the table until then, and goes out of it alive.
    var dropped = LRUDropped<Key, Value>()
    var value: Value?
    shard.lock.lock()
    let index = unsafe shard.bounded.pointee.liveIndex(
      of: key, hash: tableHash, clock: clock, dropped: &dropped)
    if index != 0 {
      value = unsafe shard.bounded.pointee.table.pair(index).pointee.value
      unsafe shard.bounded.pointee.hits &+= 1
    } else {
      unsafe shard.bounded.pointee.misses &+= 1
    }
    let result: Result
    do throws(Failure) {
      result = try modify(&value)
    } catch {
      shard.lock.unlock()
      dropped.release()
      throw error
    }
    if let value {
      let cost = capacity.cost(of: value, forKey: key)
      _ = unsafe shard.bounded.pointee.insert(
        value, forKey: key, hash: tableHash, cost: cost, expiry: deadline, clock: clock, dropped: &dropped)
    } else if index != 0 {
      unsafe dropped.append(shard.bounded.pointee.table.remove(index))
    }
    shard.lock.unlock()
    dropped.release()
    return result
  }
}
