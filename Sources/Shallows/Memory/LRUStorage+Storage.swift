internal import Foundation

extension LRUStorage: StorageProtocol, AnsweringReadableStorage, AnsweringWritableStorage {
  /// The value of a key, which counts as used then.
  @inlinable @inline(__always)
  public func answer(forKey key: Key) -> StorageAnswer<Value> {
    guard let value = value(forKey: key) else { return .failure(MemoryStorageError.missing) }
    return .value(value)
  }

  /// The value of a key and when it expires.
  public func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    guard let (value, milliseconds) = valueAndExpiry(forKey: key) else {
      return .failure(MemoryStorageError.missing)
    }
    guard milliseconds != 0 else { return .value(ExpiringValue(value)) }
    return .value(
      ExpiringValue(value, expiry: .at(Date(timeIntervalSince1970: Double(milliseconds) / 1_000))))
  }

  /// All keys that have a value.
  @_disfavoredOverload
  public func keys() -> StorageKeys<Key> {
    StorageKeys(of: {
      self.removeExpired()
      return self.keysByLastUse
    })
  }

  /// Keeps a value, unless it alone exceeds the bound.
  @inlinable
  public func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    insert(value, forKey: key, expiry: expiry)
    return .done
  }

  /// Drops the value of a key.
  @inlinable
  public func answer(removing key: Key) -> StorageAnswer<Void> {
    removeValue(forKey: key)
    return .done
  }

  /// Drops all values.
  public func answerRemovingAll() -> StorageAnswer<Void> {
    purge()
    return .done
  }

  /// Changes the value of a key as if nobody else came in between; the closure runs again if the key was changed
  /// meanwhile, so it must not change that key itself.
  public func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    do {
      return .value(
        try modifyValue(forKey: key, expiry: expiry) { value in
          value = try modify(value.map { .success($0) } ?? .failure(MemoryStorageError.missing))
          return value
        })
    } catch {
      return .failure(error)
    }
  }
}
