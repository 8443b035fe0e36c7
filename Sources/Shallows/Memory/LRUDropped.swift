/// A key and its value.
@usableFromInline
struct LRUPair<Key, Value> {
  @usableFromInline var key: Key
  @usableFromInline var value: Value

  @inlinable @inline(__always)
  init(key: Key, value: Value) {
    self.key = key
    self.value = value
  }
}

/// What left a table while its lock was taken, kept until the lock is given back.
///
/// The end of a user's object may call the storage again, so nothing may end under the lock.
@usableFromInline
struct LRUDropped<Key, Value> {
  @usableFromInline var value: Value?
  @usableFromInline var first: LRUPair<Key, Value>?
  @usableFromInline var others: [LRUPair<Key, Value>] = []

  @inlinable @inline(__always)
  init() {}

  /// Takes an entry; only from the second one on that allocates.
  @inlinable @inline(__always)
  mutating func append(_ pair: consuming LRUPair<Key, Value>) {
    if first == nil {
      first = pair
    } else {
      others.append(pair)
    }
  }

  /// Lets go of everything; called without the lock.
  @inlinable @inline(__always)
  mutating func release() {
    value = nil
    first = nil
    others = []
  }
}
