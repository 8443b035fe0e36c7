extension StorageProtocol {
  /// Single steps of compositions, for those who build their own.
  @inlinable
  public var dev: Storage<Key, Value>.Dev { Storage.Dev(asStorage()) }
}

extension Storage {
  /// Single steps of compositions, for those who build their own.
  public struct Dev {
    @usableFromInline let front: Storage<Key, Value>

    @inlinable
    init(_ front: Storage<Key, Value>) { self.front = front }

    /// Sets the front, then the back unless that failed.
    @inlinable
    public func set<StorageType: WritableStorageProtocol>(
      _ value: Value, forKey key: Key, pushingTo backStorage: StorageType,
      completion: @escaping (ShallowsResult<Void>) -> Void
    ) where StorageType.Key == Key, StorageType.Value == Value {
      PushingStorage(front, backStorage).set(value, forKey: key, completion: completion)
    }

    /// Retrieves from the front, else from the back, whose value is set to the front.
    @inlinable
    public func retrieve<StorageType: ReadableStorageProtocol>(
      forKey key: Key, backedBy backStorage: StorageType,
      completion: @escaping (ShallowsResult<Value>) -> Void
    ) where StorageType.Key == Key, StorageType.Value == Value {
      front.backed(by: backStorage).retrieve(forKey: key, completion: completion)
    }
  }
}
