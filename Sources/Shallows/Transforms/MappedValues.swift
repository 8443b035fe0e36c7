/// A storage whose values are made from and into those of another one.
@usableFromInline
struct MappedValues<Base, Key, BaseValue, Value>: Wrapping {
  @usableFromInline let base: Base
  @usableFromInline let transformIn: (BaseValue) throws -> Value
  @usableFromInline let transformOut: (Value) throws -> BaseValue

  @inlinable
  init(
    _ base: Base, in transformIn: @escaping (BaseValue) throws -> Value,
    out transformOut: @escaping (Value) throws -> BaseValue
  ) {
    self.base = base
    self.transformIn = transformIn
    self.transformOut = transformOut
  }

  @inlinable
  func transformed(_ result: ShallowsResult<BaseValue>) -> ShallowsResult<Value> {
    switch result {
    case .success(let value):
      do { return .success(try transformIn(value)) } catch {
        return .failure(error.ofTransform(.cannotDecode))
      }
    case .failure(let error): return .failure(error)
    }
  }
}

extension MappedValues: StorageDesign where Base: StorageDesign {}

extension MappedValues: ReadableStorageProtocol, AnsweringReadableStorage
where Base: ReadableStorageProtocol, Base.Key == Key, Base.Value == BaseValue {
  @inlinable
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    switch base.answer(forKey: key) {
    case .ready(let result): .ready(transformed(result))
    case .pending(let start): .pending { completion in start { completion(transformed($0)) } }
    }
  }

  @usableFromInline
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    base.answer(withExpiryForKey: key).map(transformed)
  }

  @usableFromInline
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    base.answer(forKeys: keys).map { results in results.map { $0.map(transformed) } }
  }

  @usableFromInline
  func transformed(_ result: ShallowsResult<ExpiringValue<BaseValue>>) -> ShallowsResult<ExpiringValue<Value>>
  {
    result.flatMap { stored in
      transformed(.success(stored.value)).map { ExpiringValue($0, expiry: stored.expiry) }
    }
  }
}

extension MappedValues: WritableStorageProtocol, AnsweringWritableStorage
where Base: WritableStorageProtocol, Base.Key == Key, Base.Value == BaseValue {
  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    let baseValue: BaseValue
    do { baseValue = try transformOut(value) } catch { return .failure(error.ofTransform(.other)) }
    return base.answer(setting: baseValue, forKey: key, expiry: expiry)
  }
}

extension MappedValues: StorageProtocol
where Base: StorageProtocol, Base.Key == Key, Base.Value == BaseValue {
  @usableFromInline
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    // What is set is told as it was before it was made into the other value; the closure's last run counts.
    let last = UncheckedBox<Value?>(nil)
    let answer = base.answer(updating: key, expiry: expiry) { result in
      last.value = try modify(transformed(result))
      do { return try last.value.map(transformOut) } catch { throw error.ofTransform(.other) }
    }
    return answer.map { $0.map { _ in last.value } }
  }
}
