/// A storage that can only be written, whatever is behind it.
///
/// It may be sent to other threads if keys and values may: what it is made of has to be safe from any thread, as with
/// every storage.
public struct WriteOnlyStorage<Key, Value>: WriteOnlyStorageProtocol, AnsweringWritableStorage {
  /// The name it was given, or that of what is behind it.
  public let storageName: String
  @usableFromInline let calls: WriteCalls<Key, Value>

  /// Creates a storage of a closure that sets.
  public init(
    storageName: String, set: @escaping (Value, Key, @escaping (ShallowsResult<Void>) -> Void) -> Void
  ) {
    self.init(storageName: storageName, calls: WriteCalls(SettingClosure(storageName, set)))
  }

  /// Creates a storage that is another one, of which nothing but writing is seen.
  @inlinable
  public init<StorageType: WritableStorageProtocol>(_ storage: StorageType)
  where StorageType.Key == Key, StorageType.Value == Value {
    self.init(storage, storageName: storage.storageName)
  }

  @inlinable
  init<StorageType: WritableStorageProtocol>(_ storage: StorageType, storageName: String)
  where StorageType.Key == Key, StorageType.Value == Value {
    self.storageName = storageName
    if let storage = storage as? WriteOnlyStorage<Key, Value> {
      calls = storage.calls
    } else if let storage = storage as? Storage<Key, Value> {
      calls = storage.calls.writing
    } else {
      calls = WriteCalls(storage)
    }
  }

  @usableFromInline
  init(storageName: String, calls: WriteCalls<Key, Value>) {
    self.storageName = storageName
    self.calls = calls
  }

  /// Gives a key a value: before it returns, if the storage need not wait.
  @inlinable
  public func set(_ value: Value, forKey key: Key, completion: @escaping (ShallowsResult<Void>) -> Void) {
    calls.setPlainly(value, key, completion)
  }

  /// Gives a key a value that ceases to be there at some time, at once if that is possible.
  @inlinable
  public func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    calls.set(value, key, expiry)
  }

  /// When a value ceases to be there that is set without an expiry.
  @inlinable
  public var defaultExpiry: StorageExpiry { calls.defaultExpiry() }

  /// Takes the value of a key away, at once if that is possible.
  @inlinable
  public func answer(removing key: Key) -> StorageAnswer<Void> { calls.remove(key) }

  /// Takes all values away, at once if that is possible.
  @inlinable
  public func answerRemovingAll() -> StorageAnswer<Void> { calls.removeAll() }

  /// The storage itself.
  @inlinable
  public func asWriteOnlyStorage() -> WriteOnlyStorage<Key, Value> { self }
}

// What storages are made of has always had to be safe from any thread.
extension WriteOnlyStorage: @unchecked Sendable where Key: Sendable, Value: Sendable {}
