extension StorageProtocol {
  /// Retrieves the value of a key, changes it and sets it: three steps, between which others may change it, too.
  @available(swift, deprecated: 5.5, message: "It is not atomic; see atomicUpdate(forKey:_:).")
  public func update(
    forKey key: Key, _ modify: @escaping (inout Value) -> Void,
    completion: @escaping (ShallowsResult<Value>) -> Void = { _ in }
  ) {
    retrieve(forKey: key) { result in
      switch result {
      case .failure: completion(result)
      case .success(var value):
        modify(&value)
        let changed = value
        self.set(changed, forKey: key) { result in completion(result.map { changed }) }
      }
    }
  }

  /// Changes the value of a key as if nobody else came in between, and calls the completion with the new value.
  ///
  /// The closure may run several times, if others change the key meanwhile. A key without a value fails, unless the
  /// storage has one for it by `defaulting(to:)`.
  @inlinable
  public func atomicUpdate(
    forKey key: Key, _ modify: @escaping (inout Value) throws -> Void,
    completion: @escaping (ShallowsResult<Value>) -> Void
  ) {
    answer(atomicallyUpdating: key, modify).deliver(to: completion)
  }

  /// Changes the value of a key as if nobody else came in between, and returns the new value.
  ///
  /// The closure may run several times, if others change the key meanwhile. A key without a value fails, unless the
  /// storage has one for it by `defaulting(to:)`.
  @inlinable @discardableResult
  public nonisolated(nonsending) func atomicUpdate(
    forKey key: Key, _ modify: @escaping (inout Value) throws -> Void
  ) async throws -> Value {
    try await answer(atomicallyUpdating: key, modify).value()
  }

  @inlinable
  func answer(
    atomicallyUpdating key: Key, _ modify: @escaping (inout Value) throws -> Void
  ) -> StorageAnswer<Value> {
    answer(updating: key, expiry: nil) { result in
      var value = try result.get()
      try modify(&value)
      return value
    }
    .map { result in result.flatMap { value in Result { try value.unwrap(orThrow: StorageError.noValue) } } }
  }
}

extension StorageProtocol where Key == Void {
  /// Retrieves the value, changes it and sets it: three steps, between which others may change it, too.
  @available(swift, deprecated: 5.5, message: "It is not atomic; see atomicUpdate(forKey:_:).")
  public func update(
    _ modify: @escaping (inout Value) -> Void,
    completion: @escaping (ShallowsResult<Value>) -> Void = { _ in }
  ) {
    update(forKey: (), modify, completion: completion)
  }
}
