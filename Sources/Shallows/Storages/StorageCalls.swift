/// What can be read from a type-erased storage, as closures.
///
/// Closures, and no class to be overridden: they are made where the type of the storage is known, so that the compiler
/// builds them for just that type, with all that is composed in it inlined.
@usableFromInline
final class ReadCalls<Key, Value> {
  @usableFromInline let answering: (Key) -> StorageAnswer<Value>
  /// By callback and returned: of its own, so that no closure is made to go on with where an answer is pending.
  @usableFromInline let retrieving: (Key, @escaping (ShallowsResult<Value>) -> Void) -> Void
  @usableFromInline let value: (Key) throws -> Value
  @usableFromInline let answerWithExpiry: (Key) -> StorageAnswer<ExpiringValue<Value>>
  @usableFromInline let answers: ([Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]>
  @usableFromInline let keys: () -> StorageKeys<Key>

  @inlinable
  init<Base: ReadableStorageProtocol>(_ base: Base) where Base.Key == Key, Base.Value == Value {
    answering = { base.answer(forKey: $0) }
    retrieving = { base.retrieve(forKey: $0, completion: $1) }
    value = { try base.answer(forKey: $0).wait() }
    answerWithExpiry = { base.answer(withExpiryForKey: $0) }
    answers = { base.answer(forKeys: $0) }
    keys = { base.keys() }
  }

  /// Of a storage that cannot be read.
  @usableFromInline
  init(failing error: any Error) {
    answering = { _ in .failure(error) }
    retrieving = { $1(.failure(error)) }
    value = { _ in throw error }
    answerWithExpiry = { _ in .failure(error) }
    answers = { _ in .failure(error) }
    keys = { StorageKeys(failing: error) }
  }

  // Not inlined: whoever calls a closure from outside counts a reference to it, which takes longer than a call.

  @inlinable @inline(never)
  func answer(_ key: Key) -> StorageAnswer<Value> { answering(key) }

  @inlinable @inline(never)
  func retrieve(_ key: Key, _ completion: @escaping (ShallowsResult<Value>) -> Void) {
    retrieving(key, completion)
  }
}

/// What can be written to a type-erased storage, as closures.
@usableFromInline
final class WriteCalls<Key, Value> {
  @usableFromInline let setting: (Value, Key, StorageExpiry) -> StorageAnswer<Void>
  /// By callback and returned, both without an expiry.
  @usableFromInline let settingPlainly: (Value, Key, @escaping (ShallowsResult<Void>) -> Void) -> Void
  @usableFromInline let setAndWait: (Value, Key) throws -> Void
  @usableFromInline let defaultExpiry: () -> StorageExpiry
  @usableFromInline let root: () -> StorageRoot?
  @usableFromInline let remove: (Key) -> StorageAnswer<Void>
  @usableFromInline let removeAll: () -> StorageAnswer<Void>

  @inlinable
  init<Base: WritableStorageProtocol>(_ base: Base) where Base.Key == Key, Base.Value == Value {
    setting = { base.answer(setting: $0, forKey: $1, expiry: $2) }
    settingPlainly = { base.set($0, forKey: $1, completion: $2) }
    setAndWait = { try base.answer(setting: $0, forKey: $1, expiry: .never).wait() }
    defaultExpiry = { base.defaultExpiry }
    root = { .of(base) }
    remove = { base.answer(removing: $0) }
    removeAll = { base.answerRemovingAll() }
  }

  /// Of a storage that cannot be written.
  @usableFromInline
  init(failing error: any Error) {
    setting = { _, _, _ in .failure(error) }
    settingPlainly = { $2(.failure(error)) }
    setAndWait = { _, _ in throw error }
    defaultExpiry = { .never }
    root = { nil }
    remove = { _ in .failure(error) }
    removeAll = { .failure(error) }
  }

  // Not inlined, as in `ReadCalls`.

  @inlinable @inline(never)
  func set(_ value: Value, _ key: Key, _ expiry: StorageExpiry) -> StorageAnswer<Void> {
    setting(value, key, expiry)
  }

  @inlinable @inline(never)
  func setPlainly(_ value: Value, _ key: Key, _ completion: @escaping (ShallowsResult<Void>) -> Void) {
    settingPlainly(value, key, completion)
  }
}

/// All that can be done with a type-erased storage.
@usableFromInline
final class StorageCalls<Key, Value> {
  @usableFromInline let reading: ReadCalls<Key, Value>
  @usableFromInline let writing: WriteCalls<Key, Value>
  @usableFromInline let update:
    (Key, StorageExpiry?, @escaping (ShallowsResult<Value>) throws -> Value?) -> StorageAnswer<Value?>

  @inlinable
  init<Base: StorageProtocol>(_ base: Base) where Base.Key == Key, Base.Value == Value {
    reading = ReadCalls(base)
    writing = WriteCalls(base)
    update = { base.answer(updating: $0, expiry: $1, $2) }
  }

  /// Of two halves that may have nothing to do with each other, so that nothing can be updated atomically.
  @usableFromInline
  init(storageName: String, reading: ReadCalls<Key, Value>, writing: WriteCalls<Key, Value>) {
    self.reading = reading
    self.writing = writing
    update = { _, _, _ in .failure(StorageError.notSupported(.atomicUpdate, storageName: storageName)) }
  }
}
