// What really waits, waits without holding a thread: only syncs do.

extension SedimentStore {
  /// Returns once every change that was made before is on the disk.
  public nonisolated(nonsending) func sync() async throws {
    try await engine.synced()
  }

  /// Makes several changes all together or not at all, and returns once they are on the disk.
  public nonisolated(nonsending) func batchSynced<Result>(
    _ body: (inout SedimentBatch) throws -> Result
  ) async throws -> Result {
    let result = try batch(durability: .unsynced, body)
    try await engine.synced()
    return result
  }
}

extension SedimentKeyspace {
  /// Calls a closure, with why that failed if it did, once every change that was made before is on the disk: at once
  /// if it is, else on a thread of the background, which it must not hold up, or on the one that closes the store.
  public func sync(completion: @escaping @Sendable (SedimentError?) -> Void) {
    engine.whenSynced(completion)
  }

  /// Gives a key a value, and returns once it is on the disk.
  public nonisolated(nonsending) func setSynced<Key: SedimentBytes, Value: SedimentBytes>(
    _ value: Value, forKey key: Key, expiry: SedimentExpiry = .never
  ) async throws {
    try set(value, forKey: key, expiry: expiry, durability: .unsynced)
    try await engine.synced()
  }

  /// Removes a key, and returns once that is on the disk; whether it had a value.
  @discardableResult
  public nonisolated(nonsending) func removeSynced<Key: SedimentBytes>(
    forKey key: Key
  ) async throws -> Bool {
    let hadValue = try remove(forKey: key, durability: .unsynced)
    try await engine.synced()
    return hadValue
  }
}
