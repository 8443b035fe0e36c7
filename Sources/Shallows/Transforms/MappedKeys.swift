/// A storage whose keys are made into those of another one.
@usableFromInline
struct MappedKeys<Base, BaseKey, Key, Value>: Wrapping {
  @usableFromInline let base: Base
  @usableFromInline let transform: (Key) throws -> BaseKey
  /// The way back, without which the keys cannot be listed.
  @usableFromInline let inverse: ((BaseKey) throws -> Key)?

  @inlinable
  init(
    _ base: Base, _ transform: @escaping (Key) throws -> BaseKey, inverse: ((BaseKey) throws -> Key)? = nil
  ) {
    self.base = base
    self.transform = transform
    self.inverse = inverse
  }
}

extension MappedKeys: StorageDesign where Base: StorageDesign {}

extension MappedKeys: ReadableStorageProtocol, AnsweringReadableStorage
where Base: ReadableStorageProtocol, Base.Key == BaseKey, Base.Value == Value {
  @inlinable @inline(__always)
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    do { return base.answer(forKey: try transform(key)) } catch {
      return .failure(error.ofTransform(.other))
    }
  }

  @usableFromInline
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    do { return base.answer(withExpiryForKey: try transform(key)) } catch {
      return .failure(error.ofTransform(.other))
    }
  }

  @usableFromInline
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    base.answer(
      forMapped: keys.map { key in Result { try transform(key) }.mapError { $0.ofTransform(.other) } })
  }

  @usableFromInline
  func keys() -> StorageKeys<Key> {
    guard let inverse else {
      return StorageKeys(failing: StorageError.notSupported(.keys, storageName: base.storageName))
    }
    return base.keys().mapKeys(inverse)
  }
}

extension MappedKeys: WritableStorageProtocol, AnsweringWritableStorage
where Base: WritableStorageProtocol, Base.Key == BaseKey, Base.Value == Value {
  @inlinable @inline(__always)
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    do {
      return base.answer(setting: value, forKey: try transform(key), expiry: expiry)
    } catch {
      return .failure(error.ofTransform(.other))
    }
  }

  @inlinable
  func answer(removing key: Key) -> StorageAnswer<Void> {
    do { return base.answer(removing: try transform(key)) } catch {
      return .failure(error.ofTransform(.other))
    }
  }
}

extension MappedKeys: StorageProtocol
where Base: StorageProtocol, Base.Key == BaseKey, Base.Value == Value {
  @usableFromInline
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    do { return base.answer(updating: try transform(key), expiry: expiry, modify) } catch {
      return .failure(error.ofTransform(.other))
    }
  }
}

extension ReadableStorageProtocol {
  /// The values of keys that were made of others, as far as that was possible; those alone are asked for.
  @usableFromInline
  func answer(
    forMapped keys: [ShallowsResult<Key>]
  ) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    let possible = keys.compactMap(\.value)
    return answer(forKeys: possible).map { results in
      var found = results.spread(over: possible.count, storageName).makeIterator()
      return .success(keys.map { key in key.flatMap { _ in found.next() ?? .failure(StorageError.noValue) } })
    }
  }
}
