public import Sediment

/// A server's cache in a file, which is still warm when the server starts again.
///
/// The engine answers at once, so no call holds a thread; what takes time is a disk that syncs, and that is awaited.
public struct SedimentCache: CacheDriver {
  private let store: SedimentStore
  private let table: CacheTable
  /// Whether a change is on the disk before its call returns.
  private let isDurable: Bool

  /// Opens the cache in a file of at most so many bytes: what was not read lately makes room for what is new.
  public init(path: String, maxBytes: UInt64) throws {
    let store = try SedimentStore(
      path: path, options: SedimentOptions(capacity: .evicting(maxBytes: maxBytes)))
    try self.init(store, collection: "cache", isDurable: false)
  }

  /// Creates a cache in a collection of a store that holds other things as well, and is closed by whoever opened it.
  ///
  /// A durable one is for what must not come back after a power failure, such as sessions that have ended.
  public init(_ store: SedimentStore, collection: String, isDurable: Bool) throws {
    self.store = store
    self.isDurable = isDurable
    table = CacheTable(try store.collection(collection))
  }

  /// See `CacheDriver`.
  public func value<Value: Decodable & Sendable>(
    forKey key: String, as type: Value.Type
  ) async throws -> Value? {
    try table.value(forKey: key, as: type)
  }

  /// See `CacheDriver`.
  public func set<Value: Encodable & Sendable>(
    _ value: Value, forKey key: String, expiry: CacheExpiry
  ) async throws {
    try table.set(value, forKey: key, expiry: expiry)
    try await finish()
  }

  /// See `CacheDriver`.
  public func create<Value: Encodable & Sendable>(
    _ value: Value, forKey key: String, expiry: CacheExpiry
  ) async throws -> Bool {
    let isNew = try table.create(value, forKey: key, expiry: expiry)
    // Also if it was there: who is told so may rely on it.
    try await finish()
    return isNew
  }

  /// See `CacheDriver`.
  public func remove(forKey key: String) async throws -> Bool {
    let hadValue = try table.remove(forKey: key)
    try await finish()
    return hadValue
  }

  /// All who wait at the same time share one sync.
  private func finish() async throws {
    if isDurable { try await store.sync() }
  }
}
