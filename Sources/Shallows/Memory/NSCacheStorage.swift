public import Foundation

/// A storage in memory that the system may take values from, when it is short of it.
public final class NSCacheStorage<Key: NSObject, Value: AnyObject>: AnsweringStorage {
  /// What retrieving fails with.
  public enum Error: Swift.Error, StorageFailure, @unchecked Sendable {
    /// The key has no value, or has lost it.
    case noValue(Key)

    /// What the failure means.
    public var failureKind: FailureKind { .noValue }
  }

  /// The cache that has the values; its limits are those of the storage.
  public let cache: NSCache<Key, Value>
  /// The name of all of them.
  public let storageName = "nscache"

  /// Creates a storage of a cache.
  public init(storage: NSCache<Key, Value> = NSCache()) { cache = storage }

  /// The value of a key.
  public func answer(forKey key: Key) -> StorageAnswer<Value> {
    guard let value = cache.object(forKey: key) else { return .failure(Error.noValue(key)) }
    return .value(value)
  }

  /// Gives a key a value, which never expires, though the cache may drop it.
  public func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    guard expiry == .never else {
      return .failure(StorageError.notSupported(.expiry, storageName: storageName))
    }
    cache.setObject(value, forKey: key)
    return .done
  }

  /// Takes the value of a key away.
  public func answer(removing key: Key) -> StorageAnswer<Void> {
    cache.removeObject(forKey: key)
    return .done
  }

  /// Takes all values away.
  public func answerRemovingAll() -> StorageAnswer<Void> {
    cache.removeAllObjects()
    return .done
  }
}

// The cache is safe from any thread.
extension NSCacheStorage: @unchecked Sendable where Key: Sendable, Value: Sendable {}
