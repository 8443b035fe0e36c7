/// A storage that is a closure which retrieves.
@usableFromInline
struct RetrievingClosure<Key, Value>: ReadableStorageProtocol {
  @usableFromInline let storageName: String
  @usableFromInline let body: (Key, @escaping (ShallowsResult<Value>) -> Void) -> Void

  @usableFromInline
  init(_ storageName: String, _ body: @escaping (Key, @escaping (ShallowsResult<Value>) -> Void) -> Void) {
    self.storageName = storageName
    self.body = body
  }

  @inlinable
  func retrieve(forKey key: Key, completion: @escaping (ShallowsResult<Value>) -> Void) {
    body(key, completion)
  }
}

/// A storage that is a closure which sets.
@usableFromInline
struct SettingClosure<Key, Value>: WritableStorageProtocol {
  @usableFromInline let storageName: String
  @usableFromInline let body: (Value, Key, @escaping (ShallowsResult<Void>) -> Void) -> Void

  @usableFromInline
  init(
    _ storageName: String, _ body: @escaping (Value, Key, @escaping (ShallowsResult<Void>) -> Void) -> Void
  ) {
    self.storageName = storageName
    self.body = body
  }

  @inlinable
  func set(_ value: Value, forKey key: Key, completion: @escaping (ShallowsResult<Void>) -> Void) {
    body(value, key, completion)
  }
}
