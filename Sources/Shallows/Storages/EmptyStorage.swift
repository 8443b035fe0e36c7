/// What an empty storage answers.
public enum EmptyCacheError: Error, Equatable, Sendable {
  /// It has no values, and takes none.
  case cacheIsAlwaysEmpty
}

extension EmptyCacheError: StorageFailure {
  /// Nothing is wrong: there is no value for any key.
  public var failureKind: FailureKind { .noValue }
}

/// A storage that fails every call.
struct EmptyStorage<Key, Value>: AnsweringStorage {
  let storageName = "empty"

  func answer(forKey key: Key) -> StorageAnswer<Value> { .failure(EmptyCacheError.cacheIsAlwaysEmpty) }

  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    .failure(EmptyCacheError.cacheIsAlwaysEmpty)
  }

  func answer(removing key: Key) -> StorageAnswer<Void> { .failure(EmptyCacheError.cacheIsAlwaysEmpty) }

  func answerRemovingAll() -> StorageAnswer<Void> { .failure(EmptyCacheError.cacheIsAlwaysEmpty) }

  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    .failure(EmptyCacheError.cacheIsAlwaysEmpty)
  }

  func keys() -> StorageKeys<Key> { StorageKeys(failing: EmptyCacheError.cacheIsAlwaysEmpty) }
}

extension Storage {
  /// A storage that fails every call with `EmptyCacheError`.
  public static func empty() -> Storage<Key, Value> { Storage(EmptyStorage()) }
}

extension ReadOnlyStorage {
  /// A storage that fails every call with `EmptyCacheError`.
  public static func empty() -> ReadOnlyStorage<Key, Value> { ReadOnlyStorage(EmptyStorage()) }
}

extension WriteOnlyStorage {
  /// A storage that fails every call with `EmptyCacheError`.
  public static func empty() -> WriteOnlyStorage<Key, Value> { WriteOnlyStorage(EmptyStorage()) }
}
