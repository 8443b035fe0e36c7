/// A storage whose keys are made into those of another one by an async closure.
struct AsyncMappedKeys<Base, BaseKey, Key, Value>: Wrapping {
  let base: Base
  let transform: (Key) async throws -> BaseKey

  func then<Answer>(
    _ key: Key, _ next: @escaping (BaseKey) -> StorageAnswer<Answer>
  ) -> StorageAnswer<Answer> {
    StorageAnswer.running { try await transform(key) }.then { result in
      switch result {
      case .success(let key): next(key)
      case .failure(let error): .failure(error.ofTransform(.other))
      }
    }
  }
}

extension AsyncMappedKeys: StorageDesign where Base: StorageDesign {}

extension AsyncMappedKeys: ReadableStorageProtocol, AnsweringReadableStorage
where Base: ReadableStorageProtocol, Base.Key == BaseKey, Base.Value == Value {
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    then(key) { base.answer(forKey: $0) }
  }

  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    then(key) { base.answer(withExpiryForKey: $0) }
  }

  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    let baseKeys = StorageAnswer<[ShallowsResult<BaseKey>]>.running {
      var baseKeys: [ShallowsResult<BaseKey>] = []
      for key in keys {
        do { baseKeys.append(.success(try await transform(key))) } catch {
          baseKeys.append(.failure(error.ofTransform(.other)))
        }
      }
      return baseKeys
    }
    return baseKeys.then { result in
      switch result {
      case .success(let baseKeys): base.answer(forMapped: baseKeys)
      case .failure(let error): .failure(error.ofTransform(.other))
      }
    }
  }
}

extension AsyncMappedKeys: WritableStorageProtocol, AnsweringWritableStorage
where Base: WritableStorageProtocol, Base.Key == BaseKey, Base.Value == Value {
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    let expiry = expiry.absolute
    return then(key) { base.answer(setting: value, forKey: $0, expiry: expiry) }
  }

  func answer(removing key: Key) -> StorageAnswer<Void> {
    then(key) { base.answer(removing: $0) }
  }
}

extension AsyncMappedKeys: StorageProtocol
where Base: StorageProtocol, Base.Key == BaseKey, Base.Value == Value {
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    let expiry = expiry?.absolute
    return then(key) { base.answer(updating: $0, expiry: expiry, modify) }
  }
}
