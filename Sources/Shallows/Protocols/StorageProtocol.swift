/// What values can be set in and retrieved from.
public protocol StorageProtocol<Key, Value>: ReadableStorageProtocol, WritableStorageProtocol {
  /// Replaces the value of a key by what a closure makes of it, as if nobody else came in between; nil removes it.
  ///
  /// The closure is given the value or the reason why there is none, and may run several times if others change the key
  /// meanwhile. An expiry of nil leaves it as it is. Storages that cannot do it atomically fail.
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?>
}

extension StorageProtocol {
  /// Fails: this storage cannot update atomically.
  public func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    .failure(StorageError.notSupported(.atomicUpdate, storageName: storageName))
  }
}

/// A storage that has most answers at once.
public typealias AnsweringStorage = StorageProtocol & AnsweringReadableStorage & AnsweringWritableStorage
