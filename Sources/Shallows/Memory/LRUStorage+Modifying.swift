extension LRUStorage {
  /// Changes the value of a key as if nobody else came in between.
  ///
  /// The closure finds nil where there is no value, or an expired one, and leaves nil to have none. What it leaves
  /// is kept as by `insert`, with the expiry that it had unless another is said, so not if it exceeds the bound.
  /// If it throws, nothing changes. It counts as one hit or miss, like `value`.
  ///
  /// The closure runs without a lock, and again if the key was changed meanwhile; so it may call the storage, but if it
  /// changes the key itself, it runs for ever.
  @inlinable
  public func modifyValue<Result, Failure: Error>(
    forKey key: Key, expiry: StorageExpiry? = nil, _ modify: (inout Value?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let hash = hashing.mixedHash(of: key)
    var isCounted = false
    while true {
      var value: Value?
      let look = look(forKey: key, hash: hash, isCounted: isCounted, &value)
      isCounted = true
      let result = try modify(&value)
      if replace(look, by: value, forKey: key, hash: hash, expiry: expiry) { return result }
    }
  }

  /// Finds the value of a key, and what tells later whether that has changed.
  @inlinable
  func look(forKey key: Key, hash: UInt64, isCounted: Bool, _ value: inout Value?) -> LRULook {
    var dropped = LRUDropped<Key, Value>()
    lock.lock()
    let index = unsafe bounded.pointee.liveIndex(
      of: key, hash: UInt32(truncatingIfNeeded: hash), clock: clock, dropped: &dropped)
    let look = unsafe bounded.pointee.look(at: index)
    if index != 0 { value = unsafe bounded.pointee.table.pair(index).pointee.value }
    if !isCounted { unsafe bounded.pointee.count(isHit: index != 0) }
    lock.unlock()
    dropped.release()
    return look
  }

  /// Gives a key another value, or none, unless it was changed since; false if so.
  @inlinable
  func replace(
    _ look: LRULook, by value: consuming Value?, forKey key: Key, hash: UInt64, expiry: StorageExpiry?
  ) -> Bool {
    let cost = value.map { capacity.cost(of: $0, forKey: key) } ?? 0
    let deadline = LRUExpiry.deadline(expiry, clock: clock)
    let tableHash = UInt32(truncatingIfNeeded: hash)
    // What is replaced goes out of the table alive.
    var dropped = LRUDropped<Key, Value>()
    lock.lock()
    let index = unsafe bounded.pointee.liveIndex(
      of: key, hash: tableHash, clock: clock, dropped: &dropped)
    let isUnchanged = unsafe bounded.pointee.isUnchanged(index, since: look)
    if isUnchanged {
      if let value {
        _ = unsafe bounded.pointee.insert(
          value, forKey: key, hash: tableHash, cost: cost, expiry: deadline, clock: clock, dropped: &dropped)
      } else if index != 0 {
        unsafe dropped.append(bounded.pointee.table.remove(index))
      }
    }
    lock.unlock()
    dropped.release()
    return isUnchanged
  }
}
