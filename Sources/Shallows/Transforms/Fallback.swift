/// A storage that has an answer where another one fails.
@usableFromInline
struct FallbackStorage<Base, Key, Value>: Wrapping {
  @usableFromInline let base: Base
  @usableFromInline let produceValue: (any Error) throws -> Value

  @inlinable
  init(_ base: Base, _ produceValue: @escaping (any Error) throws -> Value) {
    self.base = base
    self.produceValue = produceValue
  }

  @inlinable
  func recovered(_ result: ShallowsResult<Value>) -> ShallowsResult<Value> {
    guard case .failure(let error) = result else { return result }
    do { return .success(try produceValue(error)) } catch { return .failure(error) }
  }
}

extension FallbackStorage: StorageDesign where Base: StorageDesign {}

extension FallbackStorage: ReadableStorageProtocol, AnsweringReadableStorage
where Base: ReadableStorageProtocol, Base.Key == Key, Base.Value == Value {
  @inlinable
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    switch base.answer(forKey: key) {
    case .ready(let result): .ready(recovered(result))
    case .pending(let start): .pending { completion in start { completion(recovered($0)) } }
    }
  }

  @usableFromInline
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    base.answer(withExpiryForKey: key).map(recovered)
  }

  @usableFromInline
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    base.answer(forKeys: keys).map { results in
      .success(results.spread(over: keys.count, storageName).map(recovered))
    }
  }

  @usableFromInline
  func recovered(_ result: ShallowsResult<ExpiringValue<Value>>) -> ShallowsResult<ExpiringValue<Value>> {
    guard case .failure(let error) = result else { return result }
    return recovered(.failure(error)).map { ExpiringValue($0) }
  }
}

extension FallbackStorage: WritableStorageProtocol, AnsweringWritableStorage
where Base: WritableStorageProtocol, Base.Key == Key, Base.Value == Value {}

extension FallbackStorage: StorageProtocol
where Base: StorageProtocol, Base.Key == Key, Base.Value == Value {
  @usableFromInline
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    base.answer(updating: key, expiry: expiry) { try modify(recovered($0)) }
  }
}

extension StorageProtocol {
  /// The same storage, whose failures to retrieve are answered with a closure's value or with what it throws.
  @inlinable
  public func fallback(with produceValue: @escaping (any Error) throws -> Value) -> Storage<Key, Value> {
    Storage(FallbackStorage(self, produceValue))
  }

  /// The same storage with a value, computed each time, where retrieving fails.
  @inlinable
  public func defaulting(to defaultValue: @autoclosure @escaping () -> Value) -> Storage<Key, Value> {
    fallback { _ in defaultValue() }
  }
}

extension ReadOnlyStorageProtocol {
  /// The same storage, whose failures to retrieve are answered with a closure's value or with what it throws.
  @inlinable
  public func fallback(
    with produceValue: @escaping (any Error) throws -> Value
  ) -> ReadOnlyStorage<Key, Value> {
    ReadOnlyStorage(FallbackStorage(self, produceValue))
  }

  /// The same storage with a value, computed each time, where retrieving fails.
  @inlinable
  public func defaulting(to defaultValue: @autoclosure @escaping () -> Value) -> ReadOnlyStorage<Key, Value> {
    fallback { _ in defaultValue() }
  }
}
