/// What values can be retrieved from.
///
/// A storage of one's own needs `retrieve(forKey:completion:)` only; one that need not wait conforms to
/// `AnsweringReadableStorage` instead. It is called from any thread, and calls its completion on whatever thread it
/// likes, before or after it returns.
public protocol ReadableStorageProtocol<Key, Value>: StorageDesign {
  /// What values are found by.
  associatedtype Key
  /// What is stored.
  associatedtype Value

  /// Calls the completion with the value of a key, or with the reason why there is none.
  func retrieve(forKey key: Key, completion: @escaping (ShallowsResult<Value>) -> Void)

  /// The same storage, of which nothing but reading is seen.
  func asReadOnlyStorage() -> ReadOnlyStorage<Key, Value>

  /// The value of a key, at once if that is possible.
  func answer(forKey key: Key) -> StorageAnswer<Value>

  /// The value of a key and when it ceases to be there, at once if that is possible.
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>>

  /// The values of several keys, in their order; quicker than one by one where the storage can do that.
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]>

  /// All keys that have a value, in no order; the sequence fails where the storage does not know them.
  @_disfavoredOverload
  func keys() -> StorageKeys<Key>
}

extension ReadableStorageProtocol {
  /// The same storage, of which nothing but reading is seen.
  @inlinable
  public func asReadOnlyStorage() -> ReadOnlyStorage<Key, Value> { ReadOnlyStorage(self) }

  /// The value of a key, by `retrieve(forKey:completion:)`.
  @inlinable
  public func answer(forKey key: Key) -> StorageAnswer<Value> {
    .pending { completion in
      StorageAnswer<Void>.notWaiting { retrieve(forKey: key, completion: completion) }
    }
  }

  /// The value of a key, which never ceases to be there as far as this storage knows.
  @inlinable
  public func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    answer(forKey: key).map { $0.map { ExpiringValue($0) } }
  }

  /// The values of several keys, asked for one by one.
  @inlinable
  public func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    answerEach(of: keys)
  }

  /// A sequence that fails: this storage does not know its keys.
  @_disfavoredOverload
  public func keys() -> StorageKeys<Key> {
    StorageKeys(failing: StorageError.notSupported(.keys, storageName: storageName))
  }
}

/// A storage of which nothing but reading is seen; its transforms and compositions are read-only, too.
public protocol ReadOnlyStorageProtocol<Key, Value>: ReadableStorageProtocol {}

/// A readable storage that says its answers by `answer(forKey:)`, because it has most of them at once.
public protocol AnsweringReadableStorage: ReadableStorageProtocol {}

extension AnsweringReadableStorage {
  /// Calls the completion with the value of a key: before it returns, if it need not wait.
  @inlinable @inline(__always)
  public func retrieve(forKey key: Key, completion: @escaping (ShallowsResult<Value>) -> Void) {
    answer(forKey: key).deliver(to: completion)
  }
}
