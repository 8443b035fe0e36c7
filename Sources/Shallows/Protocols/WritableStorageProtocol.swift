/// What values can be set in.
///
/// A storage of one's own needs `set(_:forKey:completion:)` only; removing and expiry say "not supported" unless it
/// implements them. One that need not wait conforms to `AnsweringWritableStorage` instead.
public protocol WritableStorageProtocol<Key, Value>: StorageDesign {
  /// What values are found by.
  associatedtype Key
  /// What is stored.
  associatedtype Value

  /// Gives a key a value, and calls the completion when that is done or has failed.
  func set(_ value: Value, forKey key: Key, completion: @escaping (ShallowsResult<Void>) -> Void)

  /// The same storage, of which nothing but writing is seen.
  func asWriteOnlyStorage() -> WriteOnlyStorage<Key, Value>

  /// Takes the value of a key away; it is no failure if there is none.
  @_disfavoredOverload
  func remove(forKey key: Key, completion: @escaping (ShallowsResult<Void>) -> Void)

  /// Takes all values away.
  @_disfavoredOverload
  func removeAll(completion: @escaping (ShallowsResult<Void>) -> Void)

  /// Gives a key a value that ceases to be there at some time, at once if that is possible.
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void>

  /// When a value ceases to be there that is set without an expiry; a front in a composition goes by it, too.
  var defaultExpiry: StorageExpiry { get }

  /// Takes the value of a key away, at once if that is possible.
  func answer(removing key: Key) -> StorageAnswer<Void>

  /// Takes all values away, at once if that is possible.
  func answerRemovingAll() -> StorageAnswer<Void>
}

extension WritableStorageProtocol {
  /// The same storage, of which nothing but writing is seen.
  @inlinable
  public func asWriteOnlyStorage() -> WriteOnlyStorage<Key, Value> { WriteOnlyStorage(self) }

  /// Fails: this storage cannot remove.
  @inlinable @_disfavoredOverload
  public func remove(forKey key: Key, completion: @escaping (ShallowsResult<Void>) -> Void) {
    completion(.failure(StorageError.notSupported(.removing, storageName: storageName)))
  }

  /// Fails: this storage cannot remove.
  @inlinable @_disfavoredOverload
  public func removeAll(completion: @escaping (ShallowsResult<Void>) -> Void) {
    completion(.failure(StorageError.notSupported(.removingAll, storageName: storageName)))
  }

  /// Sets by `set(_:forKey:completion:)`, and fails for a value that is to expire.
  @inlinable
  public func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    guard expiry == .never else {
      return .failure(StorageError.notSupported(.expiry, storageName: storageName))
    }
    return .pending { completion in
      StorageAnswer<Void>.notWaiting { set(value, forKey: key, completion: completion) }
    }
  }

  /// Never.
  @inlinable
  public var defaultExpiry: StorageExpiry { .never }

  /// Removes by `remove(forKey:completion:)`.
  @inlinable
  public func answer(removing key: Key) -> StorageAnswer<Void> {
    .pending { completion in
      StorageAnswer<Void>.notWaiting { remove(forKey: key, completion: completion) }
    }
  }

  /// Removes by `removeAll(completion:)`.
  @inlinable
  public func answerRemovingAll() -> StorageAnswer<Void> {
    .pending { completion in StorageAnswer<Void>.notWaiting { removeAll(completion: completion) } }
  }

  /// Gives a key a value that ceases to be there at some time, where the storage can do that.
  @inlinable
  public func set(
    _ value: Value, forKey key: Key, expiry: StorageExpiry,
    completion: @escaping (ShallowsResult<Void>) -> Void
  ) {
    answer(setting: value, forKey: key, expiry: expiry).deliver(to: completion)
  }
}

/// A storage of which nothing but writing is seen; its transforms and compositions are write-only, too.
public protocol WriteOnlyStorageProtocol<Key, Value>: WritableStorageProtocol {}

/// A writable storage that says its answers by `answer(setting:forKey:expiry:)` and its like, because it has most of
/// them at once.
public protocol AnsweringWritableStorage: WritableStorageProtocol {}

extension AnsweringWritableStorage {
  /// Gives a key a value: before it returns, if it need not wait.
  @inlinable
  public func set(_ value: Value, forKey key: Key, completion: @escaping (ShallowsResult<Void>) -> Void) {
    answer(setting: value, forKey: key, expiry: .never).deliver(to: completion)
  }

  /// Takes the value of a key away: before it returns, if it need not wait.
  @inlinable @_disfavoredOverload
  public func remove(forKey key: Key, completion: @escaping (ShallowsResult<Void>) -> Void) {
    answer(removing: key).deliver(to: completion)
  }

  /// Takes all values away: before it returns, if it need not wait.
  @inlinable @_disfavoredOverload
  public func removeAll(completion: @escaping (ShallowsResult<Void>) -> Void) {
    answerRemovingAll().deliver(to: completion)
  }
}
