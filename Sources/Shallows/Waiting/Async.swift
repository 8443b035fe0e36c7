extension StorageAnswer {
  /// The result, for which the task is suspended unless it is ready; the first counts, and later ones are dropped.
  @inlinable
  nonisolated(nonsending) func value() async throws -> Value {
    switch self {
    case .ready(let result): return try result.get()
    case .pending(let start):
      let result = UncheckedBox<ShallowsResult<Value>?>(nil)
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let once = Once()
        StorageAnswer<Void>.awaiting {
          start {
            guard once.isFirst() else { return }
            result.value = $0
            continuation.resume()
          }
        }
      }
      return try result.value.unwrap().get()
    }
  }
}

extension ReadableStorageProtocol {
  /// The value of a key; throws the reason where there is none, of which `isNoValue` says whether it is simply missing.
  ///
  /// The task is suspended only if the storage has to wait.
  @inlinable
  public nonisolated(nonsending) func retrieve(forKey key: Key) async throws -> Value {
    try await answer(forKey: key).value()
  }

  /// Calls the completion with the results for several keys, in their order: each has its value or a failure of its own.
  @inlinable
  public func retrieve(forKeys keys: [Key], completion: @escaping ([ShallowsResult<Value>]) -> Void) {
    answer(forKeys: keys).deliver { results in
      completion(results.spread(over: keys.count, storageName).map { $0.map(\.value) })
    }
  }
}

extension ReadableStorageProtocol where Key == Void {
  /// Calls the completion with the value.
  @inlinable
  public func retrieve(completion: @escaping (ShallowsResult<Value>) -> Void) {
    retrieve(forKey: (), completion: completion)
  }

  /// The value.
  @inlinable
  public nonisolated(nonsending) func retrieve() async throws -> Value {
    try await retrieve(forKey: ())
  }
}

extension WritableStorageProtocol {
  /// Gives a key a value, and returns once the storage has it; what that survives, each storage says itself.
  @inlinable
  public nonisolated(nonsending) func set(_ value: Value, forKey key: Key) async throws {
    try await answer(setting: value, forKey: key, expiry: .never).value()
  }

  /// Gives a key a value that ceases to be there at some time; where the storage cannot do that, it throws
  /// `StorageError.notSupported`.
  @inlinable
  public nonisolated(nonsending) func set(
    _ value: Value, forKey key: Key, expiry: StorageExpiry
  ) async throws {
    try await answer(setting: value, forKey: key, expiry: expiry).value()
  }
}

extension WritableStorageProtocol where Key == Void {
  /// Sets the value, and calls the completion when that is done or has failed.
  @inlinable
  public func set(_ value: Value, completion: @escaping (ShallowsResult<Void>) -> Void) {
    set(value, forKey: (), completion: completion)
  }

  /// Sets the value, and does not tell whether it was possible.
  @available(swift, deprecated: 5.5, message: "Failures are not seen: await it, or pass a completion.")
  public func set(_ value: Value) {
    set(value, forKey: (), completion: { ShallowsLog.note($0, "set", storageName) })
  }

  /// Sets the value.
  @inlinable
  public nonisolated(nonsending) func set(_ value: Value) async throws {
    try await set(value, forKey: ())
  }
}

// A storage of a user's own may have calls of these names that return their results. In async code the compiler would
// take the async ones for them, if it had any; so it has them only by `asStorage()`.

extension AnsweringReadableStorage {
  /// The values of several keys in their order, nil for those that have none.
  ///
  /// Any other failure is thrown, that of the first key which has one; what the others have is told by
  /// `retrieveResults(forKeys:)`.
  @inlinable
  public nonisolated(nonsending) func retrieve(forKeys keys: [Key]) async throws -> [Value?] {
    try await retrieveResults(forKeys: keys).map { result in
      switch result {
      case .success(let value): return value
      case .failure(let error):
        guard error.isNoValue else { throw error }
        return nil
      }
    }
  }

  /// The results for several keys, in their order: each key has its value or a failure of its own.
  @inlinable
  public nonisolated(nonsending) func retrieveResults(forKeys keys: [Key]) async -> [ShallowsResult<Value>] {
    let results: ShallowsResult<[ShallowsResult<ExpiringValue<Value>>]>
    do { results = .success(try await answer(forKeys: keys).value()) } catch { results = .failure(error) }
    return results.spread(over: keys.count, storageName).map { $0.map(\.value) }
  }
}

extension AnsweringWritableStorage {
  /// Takes the value of a key away; it is no failure if there is none.
  @inlinable
  public nonisolated(nonsending) func remove(forKey key: Key) async throws {
    try await answer(removing: key).value()
  }

  /// Takes all values away.
  @inlinable
  public nonisolated(nonsending) func removeAll() async throws {
    try await answerRemovingAll().value()
  }
}
