// Only waiting for a sync takes long, so only that gives up the thread.

extension SedimentStore {
  /// Returns once every change that was made before is on the disk, without holding a thread meanwhile.
  public nonisolated(nonsending) func sync() async throws {
    try await engine.log.synced()
  }

  /// Makes several changes all together or not at all, and returns once they are on the disk.
  public nonisolated(nonsending) func batchSynced<Result>(
    _ body: (inout SedimentBatch) throws -> Result
  ) async throws -> Result {
    let result = try batch(durability: .unsynced, body)
    try await engine.log.synced()
    return result
  }
}

extension SedimentKeyspace {
  /// Calls a closure once every change that was made before is on the disk, or with the error if that failed.
  ///
  /// The closure is called at once if they are, and otherwise on a thread of the background or on the one that closes
  /// the store, so it must return soon.
  public func sync(completion: @escaping @Sendable (SedimentError?) -> Void) {
    defaultCollection.store.engine.log.whenSynced(completion)
  }

  /// Gives a key a value, and returns once it is on the disk.
  public nonisolated(nonsending) func setSynced<Key: SedimentBytes, Value: SedimentBytes>(
    _ value: Value, forKey key: Key, expiry: SedimentExpiry = .never
  ) async throws {
    try set(value, forKey: key, expiry: expiry, durability: .unsynced)
    try await defaultCollection.store.engine.log.synced()
  }

  /// Removes the value of a key, and returns once that is on the disk, with whether it had one.
  @discardableResult
  public nonisolated(nonsending) func removeSynced<Key: SedimentBytes>(
    forKey key: Key
  ) async throws -> Bool {
    let hadValue = try remove(forKey: key, durability: .unsynced)
    try await defaultCollection.store.engine.log.synced()
    return hadValue
  }
}
