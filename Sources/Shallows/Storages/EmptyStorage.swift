/// What an empty storage answers.
public struct EmptyCacheError: Error, Hashable, StorageFailure, CustomStringConvertible {
  /// It has no values, and takes none.
  public static let cacheIsAlwaysEmpty = EmptyCacheError()

  /// What the failure means: to who retrieves, that the key has no value; to who sets, that the storage cannot do that.
  public internal(set) var failureKind = FailureKind.noValue

  /// Its name, whatever was asked of the storage.
  public var description: String { "cacheIsAlwaysEmpty" }

  static let cannotWrite = EmptyCacheError(failureKind: .notSupported)

  /// Errors are equal whatever was asked of the storage.
  public static func == (one: EmptyCacheError, other: EmptyCacheError) -> Bool { true }

  /// Nothing tells errors apart.
  public func hash(into hasher: inout Hasher) {}

  /// Lets `catch EmptyCacheError.cacheIsAlwaysEmpty` catch it.
  public static func ~= (pattern: EmptyCacheError, error: any Error) -> Bool { error is EmptyCacheError }
}

/// A storage that fails every call.
struct EmptyStorage<Key, Value>: AnsweringStorage {
  let storageName = "empty"

  func answer(forKey key: Key) -> StorageAnswer<Value> { .failure(EmptyCacheError.cacheIsAlwaysEmpty) }

  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    .failure(EmptyCacheError.cannotWrite)
  }

  func answer(removing key: Key) -> StorageAnswer<Void> { .failure(EmptyCacheError.cannotWrite) }

  func answerRemovingAll() -> StorageAnswer<Void> { .failure(EmptyCacheError.cannotWrite) }

  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    .failure(EmptyCacheError.cannotWrite)
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
