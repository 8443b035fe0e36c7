extension StorageProtocol {
  /// Retrieves the value of a key, changes it and sets it: three steps, between which others may change it, too.
  ///
  /// The value keeps its expiry, unless the storage cannot update atomically.
  @available(swift, deprecated: 5.5, message: "It is not atomic; see atomicUpdate(forKey:_:).")
  public func update(
    forKey key: Key, _ modify: @escaping (inout Value) -> Void,
    completion: @escaping (ShallowsResult<Value>) -> Void = { _ in }
  ) {
    answer(withExpiryForKey: key).deliver { result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let stored):
        var changed = stored.value
        modify(&changed)
        let new = changed
        answer(setting: new, forKey: key, inPlaceOf: stored).deliver { result in
          completion(result.map { new })
        }
      }
    }
  }

  /// Sets a value whose expiry stays what it was, where the storage can do that.
  ///
  /// The storage is not told the expiry that was retrieved: in a composition that is the front's, which may come sooner than
  /// the back's.
  private func answer(
    setting value: Value, forKey key: Key, inPlaceOf stored: ExpiringValue<Value>
  ) -> StorageAnswer<Void> {
    let set = { answer(setting: value, forKey: key, expiry: .never) }
    if stored.expiry == .never { return set() }
    return answer(updating: key, expiry: nil) { _ in value }.map { $0.map { _ in } }.otherwise { error in
      error.storageFailureKind == .notSupported ? set() : .failure(error)
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
