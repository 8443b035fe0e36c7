/// A storage whose values are made from and into those of another one by async closures; it has no atomic updates, whose
/// closures cannot wait.
@usableFromInline
struct AsyncMappedValues<Base, Key, BaseValue, Value>: Wrapping {
  @usableFromInline let base: Base
  @usableFromInline let transformIn: (BaseValue) async throws -> Value
  @usableFromInline let transformOut: (Value) async throws -> BaseValue

  @inlinable
  init(
    base: Base, transformIn: @escaping (BaseValue) async throws -> Value,
    transformOut: @escaping (Value) async throws -> BaseValue
  ) {
    self.base = base
    self.transformIn = transformIn
    self.transformOut = transformOut
  }

  @inlinable
  func madeIn(_ value: BaseValue) async throws -> Value {
    do { return try await transformIn(value) } catch { throw error.ofTransform(.cannotDecode) }
  }

  @inlinable
  func transformed(_ stored: ExpiringValue<BaseValue>) async throws -> ExpiringValue<Value> {
    ExpiringValue(try await madeIn(stored.value), expiry: stored.expiry)
  }
}

extension AsyncMappedValues: StorageDesign where Base: StorageDesign {}

extension AsyncMappedValues: ReadableStorageProtocol, AnsweringReadableStorage
where Base: ReadableStorageProtocol, Base.Key == Key, Base.Value == BaseValue {
  @inlinable
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    base.answer(forKey: key).awaiting(madeIn)
  }

  @inlinable
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    base.answer(withExpiryForKey: key).awaiting(transformed)
  }

  @inlinable
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    base.answer(forKeys: keys).awaiting { results in
      var transformedResults: [ShallowsResult<ExpiringValue<Value>>] = []
      for result in results {
        do {
          transformedResults.append(.success(try await transformed(result.get())))
        } catch {
          transformedResults.append(.failure(error))
        }
      }
      return transformedResults
    }
  }
}

extension AsyncMappedValues: WritableStorageProtocol, AnsweringWritableStorage
where Base: WritableStorageProtocol, Base.Key == Key, Base.Value == BaseValue {
  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    let expiry = expiry.absolute
    return StorageAnswer.running { try await transformOut(value) }.then { result in
      switch result {
      case .success(let value): base.answer(setting: value, forKey: key, expiry: expiry)
      case .failure(let error): .failure(error.ofTransform(.other))
      }
    }
  }
}

extension AsyncMappedValues: StorageProtocol
where Base: StorageProtocol, Base.Key == Key, Base.Value == BaseValue {}
