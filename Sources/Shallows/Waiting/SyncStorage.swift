/// A storage whose calls return their results.
public struct SyncStorage<Key, Value> {
  /// The name it was given.
  public let storageName: String
  @usableFromInline let retrieveBody: (Key) throws -> Value
  @usableFromInline let setBody: (Value, Key) throws -> Void
  @usableFromInline let writing: SyncRemovals<Key>

  /// Creates a storage of a closure that retrieves and one that sets.
  @inlinable
  public init(
    storageName: String, retrieve: @escaping (Key) throws -> Value,
    set: @escaping (Value, Key) throws -> Void
  ) {
    self.init(
      storageName: storageName, retrieve: retrieve, set: set, writing: SyncRemovals(storageName: storageName))
  }

  @inlinable
  init(
    storageName: String, retrieve: @escaping (Key) throws -> Value,
    set: @escaping (Value, Key) throws -> Void, writing: SyncRemovals<Key>
  ) {
    self.storageName = storageName
    retrieveBody = retrieve
    setBody = set
    self.writing = writing
  }

  /// The value of a key.
  @inlinable
  public func retrieve(forKey key: Key) throws -> Value { try retrieveBody(key) }

  /// Gives a key a value.
  @inlinable
  public func set(_ value: Value, forKey key: Key) throws { try setBody(value, key) }

  /// Takes the value of a key away; it is no failure if there is none.
  @inlinable
  public func remove(forKey key: Key) throws { try writing.remove(key) }

  /// Takes all values away.
  @inlinable
  public func removeAll() throws { try writing.removeAll() }
}

/// A storage whose calls return their results, of which nothing but reading is seen.
public struct ReadOnlySyncStorage<Key, Value> {
  /// The name it was given.
  public let storageName: String
  @usableFromInline let body: (Key) throws -> Value

  /// Creates a storage of a closure that retrieves.
  @inlinable
  public init(storageName: String, retrieve: @escaping (Key) throws -> Value) {
    self.storageName = storageName
    body = retrieve
  }

  /// The value of a key.
  @inlinable
  public func retrieve(forKey key: Key) throws -> Value { try body(key) }
}

/// A storage whose calls return their results, of which nothing but writing is seen.
public struct WriteOnlySyncStorage<Key, Value> {
  /// The name it was given.
  public let storageName: String
  @usableFromInline let body: (Value, Key) throws -> Void
  @usableFromInline let writing: SyncRemovals<Key>

  /// Creates a storage of a closure that sets.
  @inlinable
  public init(storageName: String, set: @escaping (Value, Key) throws -> Void) {
    self.init(storageName: storageName, set: set, writing: SyncRemovals(storageName: storageName))
  }

  @inlinable
  init(storageName: String, set: @escaping (Value, Key) throws -> Void, writing: SyncRemovals<Key>) {
    self.storageName = storageName
    body = set
    self.writing = writing
  }

  /// Gives a key a value.
  @inlinable
  public func set(_ value: Value, forKey key: Key) throws { try body(value, key) }

  /// Takes the value of a key away; it is no failure if there is none.
  @inlinable
  public func remove(forKey key: Key) throws { try writing.remove(key) }

  /// Takes all values away.
  @inlinable
  public func removeAll() throws { try writing.removeAll() }
}

/// Removing, as far as a storage can do it.
@usableFromInline
final class SyncRemovals<Key> {
  @usableFromInline let remove: (Key) throws -> Void
  @usableFromInline let removeAll: () throws -> Void

  @inlinable
  init<Base: WritableStorageProtocol>(_ base: Base) where Base.Key == Key {
    remove = { try base.answer(removing: $0).wait() }
    removeAll = { try base.answerRemovingAll().wait() }
  }

  /// Of a storage that was made of closures without any for this.
  @usableFromInline
  init(storageName: String) {
    remove = { _ in throw StorageError.notSupported(.removing, storageName: storageName) }
    removeAll = { throw StorageError.notSupported(.removingAll, storageName: storageName) }
  }
}

// What storages are made of has always had to be safe from any thread.
extension SyncStorage: @unchecked Sendable where Key: Sendable, Value: Sendable {}
extension ReadOnlySyncStorage: @unchecked Sendable where Key: Sendable, Value: Sendable {}
extension WriteOnlySyncStorage: @unchecked Sendable where Key: Sendable, Value: Sendable {}
