extension LRUStorage {
  /// The value of a key, which counts as used then; nil if there is none, or it has expired.
  @inlinable @inline(__always)
  public func value(forKey key: Key) -> Value? {
    let hash = hashing.mixedHash(of: key)
    lock.lock()
    let index = unsafe bounded.pointee.table.index(of: key, hash: UInt32(truncatingIfNeeded: hash))
    if index != 0, unsafe bounded.pointee.table.links[Int(index)].expiry == 0 {
      unsafe bounded.pointee.table.touch(index)
      unsafe bounded.pointee.hits &+= 1
      let value = unsafe bounded.pointee.table.pair(index).pointee.value
      lock.unlock()
      return value
    }
    return endReading(forKey: key, hash: hash)?.value
  }

  /// The value of a key, which counts as used then, and when it expires: 0 for never.
  @usableFromInline
  func valueAndExpiry(forKey key: Key) -> (value: Value, milliseconds: UInt64)? {
    let hash = hashing.mixedHash(of: key)
    lock.lock()
    return endReading(forKey: key, hash: hash)
  }

  // Goes on with the lock taken, and gives it back.
  @inlinable @inline(never)
  func endReading(forKey key: Key, hash: UInt64) -> (value: Value, milliseconds: UInt64)? {
    var dropped = LRUDropped<Key, Value>()
    var found: (value: Value, milliseconds: UInt64)?
    let index = unsafe bounded.pointee.liveIndex(
      of: key, hash: UInt32(truncatingIfNeeded: hash), clock: clock, dropped: &dropped)
    if index != 0 {
      unsafe bounded.pointee.table.touch(index)
      unsafe bounded.pointee.hits &+= 1
      found = unsafe (
        bounded.pointee.table.pair(index).pointee.value,
        bounded.pointee.table.links[Int(index)].expiry
      )
    } else {
      unsafe bounded.pointee.misses &+= 1
    }
    lock.unlock()
    dropped.release()
    return found
  }

  /// The value of a key without any trace of the question: it does not count as used, and no statistics change.
  @inlinable
  public func peek(forKey key: Key) -> Value? {
    let hash = hashing.mixedHash(of: key)
    lock.lock()
    defer { lock.unlock() }
    let index = unsafe bounded.pointee.table.index(of: key, hash: UInt32(truncatingIfNeeded: hash))
    if index == 0 { return nil }
    let expiry = unsafe bounded.pointee.table.links[Int(index)].expiry
    if expiry != 0 && expiry <= clock() { return nil }
    return unsafe bounded.pointee.table.pair(index).pointee.value
  }

  /// Keeps a value as the one used last, in place of an older one of its key; false if it exceeds the bound.
  ///
  /// A value that alone costs more than the bound is not kept. An older one of its
  /// key leaves all the same, and nothing else does. Times are wall times; an expiry of nil is that of
  /// the older value.
  @inlinable @discardableResult
  public func insert(_ value: Value, forKey key: Key, expiry: StorageExpiry? = .never) -> Bool {
    let cost = capacity.cost(of: value, forKey: key)
    let deadline = LRUExpiry.deadline(expiry, clock: clock)
    let hash = hashing.mixedHash(of: key)
    var dropped = LRUDropped<Key, Value>()
    lock.lock()
    let isKept = unsafe bounded.pointee.insert(
      value, forKey: key, hash: UInt32(truncatingIfNeeded: hash), cost: cost, expiry: deadline, clock: clock,
      dropped: &dropped)
    lock.unlock()
    dropped.release()
    return isKept
  }

  /// Drops the value of a key, and returns it; nil if there was none, or it had expired.
  @inlinable @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    let hash = hashing.mixedHash(of: key)
    var dropped = LRUDropped<Key, Value>()
    lock.lock()
    let index = unsafe bounded.pointee.liveIndex(
      of: key, hash: UInt32(truncatingIfNeeded: hash), clock: clock, dropped: &dropped)
    let removed = index == 0 ? nil : unsafe bounded.pointee.table.remove(index)
    lock.unlock()
    dropped.release()
    return removed?.value
  }
}
