/// A storage, whatever is behind it: memory, files, the log, a network, a composition of them.
///
/// It may be sent to other threads if keys and values may: what it is made of has to be safe from any thread, as with
/// every storage.
public struct Storage<Key, Value>: AnsweringStorage {
  /// The name it was given, or that of what is behind it.
  public let storageName: String
  @usableFromInline let calls: StorageCalls<Key, Value>

  /// Creates a storage that reads from one and writes to another.
  public init(storageName: String, read: ReadOnlyStorage<Key, Value>, write: WriteOnlyStorage<Key, Value>) {
    self.storageName = storageName
    calls = StorageCalls(storageName: storageName, reading: read.calls, writing: write.calls)
  }

  /// Creates a storage that reads from one, whose name it takes, and writes to another.
  public init(read: ReadOnlyStorage<Key, Value>, write: WriteOnlyStorage<Key, Value>) {
    self.init(storageName: read.storageName, read: read, write: write)
  }

  /// Creates a storage of a closure that retrieves and one that sets.
  public init(
    storageName: String, retrieve: @escaping (Key, @escaping (ShallowsResult<Value>) -> Void) -> Void,
    set: @escaping (Value, Key, @escaping (ShallowsResult<Void>) -> Void) -> Void
  ) {
    self.init(
      storageName: storageName, read: ReadOnlyStorage(storageName: storageName, retrieve: retrieve),
      write: WriteOnlyStorage(storageName: storageName, set: set))
  }

  /// Creates a storage that is another one, of which nothing but that is seen.
  @inlinable
  public init<StorageType: StorageProtocol>(_ storage: StorageType)
  where StorageType.Key == Key, StorageType.Value == Value {
    self.init(storage, storageName: storage.storageName)
  }

  @inlinable
  init<StorageType: StorageProtocol>(_ storage: StorageType, storageName: String)
  where StorageType.Key == Key, StorageType.Value == Value {
    self.storageName = storageName
    if let storage = storage as? Storage<Key, Value> {
      calls = storage.calls
    } else {
      calls = StorageCalls(storage)
    }
  }

  /// The same storage, of which nothing but reading is seen.
  @inlinable
  public func asReadOnlyStorage() -> ReadOnlyStorage<Key, Value> {
    ReadOnlyStorage(storageName: storageName, calls: calls.reading)
  }

  /// The same storage, of which nothing but writing is seen.
  @inlinable
  public func asWriteOnlyStorage() -> WriteOnlyStorage<Key, Value> {
    WriteOnlyStorage(storageName: storageName, calls: calls.writing)
  }

  /// Gives a key a value, and does not tell whether it was possible.
  @available(swift, deprecated: 5.5, message: "Failures are not seen: await it, or pass a completion.")
  public func set(_ value: Value, forKey key: Key) {
    set(value, forKey: key, completion: { ShallowsLog.note($0, "set", storageName) })
  }
}

// What storages are made of has always had to be safe from any thread.
extension Storage: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension Storage: Rooted {
  /// Calls the completion with the value of a key: before it returns, if the storage need not wait.
  @inlinable
  public func retrieve(forKey key: Key, completion: @escaping (ShallowsResult<Value>) -> Void) {
    calls.reading.retrieve(key, completion)
  }

  /// The value of a key, at once if that is possible.
  @inlinable
  public func answer(forKey key: Key) -> StorageAnswer<Value> { calls.reading.answer(key) }

  /// The value of a key and when it ceases to be there, at once if that is possible.
  @inlinable
  public func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    calls.reading.answerWithExpiry(key)
  }

  /// The values of several keys, in their order.
  @inlinable
  public func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    calls.reading.answers(keys)
  }

  /// All keys that have a value, in no order.
  @inlinable @_disfavoredOverload
  public func keys() -> StorageKeys<Key> { calls.reading.keys() }

  /// Gives a key a value: before it returns, if the storage need not wait.
  @inlinable
  public func set(_ value: Value, forKey key: Key, completion: @escaping (ShallowsResult<Void>) -> Void) {
    calls.writing.setPlainly(value, key, completion)
  }

  /// Gives a key a value that ceases to be there at some time, at once if that is possible.
  @inlinable
  public func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    calls.writing.set(value, key, expiry)
  }

  @usableFromInline var root: StorageRoot? { calls.writing.root() ?? StorageRoot(storage: calls.writing) }

  /// When a value ceases to be there that is set without an expiry.
  @inlinable
  public var defaultExpiry: StorageExpiry { calls.writing.defaultExpiry() }

  /// Takes the value of a key away, at once if that is possible.
  @inlinable
  public func answer(removing key: Key) -> StorageAnswer<Void> { calls.writing.remove(key) }

  /// Takes all values away, at once if that is possible.
  @inlinable
  public func answerRemovingAll() -> StorageAnswer<Void> { calls.writing.removeAll() }

  /// Replaces the value of a key by what a closure makes of it, as if nobody else came in between.
  @inlinable
  public func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    calls.update(key, expiry, modify)
  }
}

extension StorageProtocol {
  /// The same storage, of which nothing but that is seen; a `Storage` returns itself.
  @inlinable
  public func asStorage() -> Storage<Key, Value> { Storage(self) }
}
