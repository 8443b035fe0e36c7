/// A storage that can only be read, whatever is behind it.
///
/// It may be sent to other threads if keys and values may: what it is made of has to be safe from any thread, as with
/// every storage.
public struct ReadOnlyStorage<Key, Value>: ReadOnlyStorageProtocol, AnsweringReadableStorage {
  /// The name it was given, or that of what is behind it.
  public let storageName: String
  @usableFromInline let calls: ReadCalls<Key, Value>

  /// Creates a storage of a closure that retrieves.
  public init(
    storageName: String, retrieve: @escaping (Key, @escaping (ShallowsResult<Value>) -> Void) -> Void
  ) {
    self.init(storageName: storageName, calls: ReadCalls(RetrievingClosure(storageName, retrieve)))
  }

  /// Creates a storage that is another one, of which nothing but reading is seen.
  @inlinable
  public init<StorageType: ReadableStorageProtocol>(_ storage: StorageType)
  where StorageType.Key == Key, StorageType.Value == Value {
    self.init(storage, storageName: storage.storageName)
  }

  @inlinable
  init<StorageType: ReadableStorageProtocol>(_ storage: StorageType, storageName: String)
  where StorageType.Key == Key, StorageType.Value == Value {
    self.storageName = storageName
    if let storage = storage as? ReadOnlyStorage<Key, Value> {
      calls = storage.calls
    } else if let storage = storage as? Storage<Key, Value> {
      calls = storage.calls.reading
    } else {
      calls = ReadCalls(storage)
    }
  }

  @usableFromInline
  init(storageName: String, calls: ReadCalls<Key, Value>) {
    self.storageName = storageName
    self.calls = calls
  }

  /// Calls the completion with the value of a key: before it returns, if the storage need not wait.
  @inlinable
  public func retrieve(forKey key: Key, completion: @escaping (ShallowsResult<Value>) -> Void) {
    calls.retrieve(key, completion)
  }

  /// The value of a key, at once if that is possible.
  @inlinable
  public func answer(forKey key: Key) -> StorageAnswer<Value> { calls.answer(key) }

  /// The value of a key and when it ceases to be there, at once if that is possible.
  @inlinable
  public func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    calls.answerWithExpiry(key)
  }

  /// The values of several keys, in their order.
  @inlinable
  public func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    calls.answers(keys)
  }

  /// All keys that have a value, in no order.
  @inlinable @_disfavoredOverload
  public func keys() -> StorageKeys<Key> { calls.keys() }

  /// The storage itself.
  @inlinable
  public func asReadOnlyStorage() -> ReadOnlyStorage<Key, Value> { self }
}

// What storages are made of has always had to be safe from any thread.
extension ReadOnlyStorage: @unchecked Sendable where Key: Sendable, Value: Sendable {}
