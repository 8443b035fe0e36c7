/// How the keys of a storage are made into those of another one.
@usableFromInline
protocol KeyMapping {
  associatedtype Key
  associatedtype BaseKey

  func mapped(_ key: Key) throws -> BaseKey

  /// The way back, without which the keys cannot be listed.
  var inverse: ((BaseKey) throws -> Key)? { get }
}

/// A mapping by closures.
@usableFromInline
struct ClosureMapping<Key, BaseKey>: KeyMapping {
  @usableFromInline let transform: (Key) throws -> BaseKey
  @usableFromInline let inverse: ((BaseKey) throws -> Key)?

  @inlinable
  init(_ transform: @escaping (Key) throws -> BaseKey, inverse: ((BaseKey) throws -> Key)?) {
    self.transform = transform
    self.inverse = inverse
  }

  @inlinable @inline(__always)
  func mapped(_ key: Key) throws -> BaseKey { try transform(key) }
}

/// A storage whose keys are made into those of another one.
@usableFromInline
struct MappedKeys<Base, Mapping: KeyMapping, Value>: Wrapping {
  @usableFromInline typealias Key = Mapping.Key

  @usableFromInline let base: Base
  @usableFromInline let mapping: Mapping

  @inlinable
  init(_ base: Base, by mapping: Mapping) {
    self.base = base
    self.mapping = mapping
  }

  @inlinable
  init<Key, BaseKey>(
    _ base: Base, _ transform: @escaping (Key) throws -> BaseKey, inverse: ((BaseKey) throws -> Key)? = nil
  ) where Mapping == ClosureMapping<Key, BaseKey> {
    self.init(base, by: ClosureMapping(transform, inverse: inverse))
  }
}

extension MappedKeys: StorageDesign where Base: StorageDesign {}

extension MappedKeys: ReadableStorageProtocol, AnsweringReadableStorage
where Base: ReadableStorageProtocol, Base.Key == Mapping.BaseKey, Base.Value == Value {
  @inlinable @inline(__always)
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    do { return base.answer(forKey: try mapping.mapped(key)) } catch {
      return .failure(error.ofTransform(.other))
    }
  }

  @usableFromInline
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    do { return base.answer(withExpiryForKey: try mapping.mapped(key)) } catch {
      return .failure(error.ofTransform(.other))
    }
  }

  @usableFromInline
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    base.answer(
      forMapped: keys.map { key in Result { try mapping.mapped(key) }.mapError { $0.ofTransform(.other) } })
  }

  @usableFromInline
  func keys() -> StorageKeys<Key> {
    guard let inverse = mapping.inverse else {
      return StorageKeys(failing: StorageError.notSupported(.keys, storageName: base.storageName))
    }
    return base.keys().mapKeys(inverse)
  }
}

extension MappedKeys: WritableStorageProtocol, AnsweringWritableStorage
where Base: WritableStorageProtocol, Base.Key == Mapping.BaseKey, Base.Value == Value {
  @inlinable @inline(__always)
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    do {
      return base.answer(setting: value, forKey: try mapping.mapped(key), expiry: expiry)
    } catch {
      return .failure(error.ofTransform(.other))
    }
  }

  @inlinable
  func answer(removing key: Key) -> StorageAnswer<Void> {
    do { return base.answer(removing: try mapping.mapped(key)) } catch {
      return .failure(error.ofTransform(.other))
    }
  }
}

extension MappedKeys: StorageProtocol
where Base: StorageProtocol, Base.Key == Mapping.BaseKey, Base.Value == Value {
  @usableFromInline
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    do { return base.answer(updating: try mapping.mapped(key), expiry: expiry, modify) } catch {
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
