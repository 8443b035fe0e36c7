/// What a server asks of whatever keeps its cached values: memory, another machine, or a store.
public protocol CacheDriver: Sendable {
  /// The value of a key; nil if it has none, or has no longer.
  func value<Value: Decodable & Sendable>(forKey key: String, as type: Value.Type) async throws -> Value?

  /// Gives a key a value.
  func set<Value: Encodable & Sendable>(_ value: Value, forKey key: String, expiry: CacheExpiry) async throws

  /// Gives a key a value unless it has one, so that of several who try one succeeds; whether it did.
  func create<Value: Encodable & Sendable>(
    _ value: Value, forKey key: String, expiry: CacheExpiry
  ) async throws -> Bool

  /// Removes a key; whether it had a value.
  func remove(forKey key: String) async throws -> Bool
}

/// How long a cached value is there.
public enum CacheExpiry: Sendable, Hashable {
  /// Until it is replaced or removed.
  case never
  /// So long after it was set.
  case after(Duration)
  /// As long as the value that it replaces would have been; for ever where there was none.
  case kept
}
