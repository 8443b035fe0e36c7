#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
public import Sediment

/// Values of any `Codable` type under their keys, each as JSON.
///
/// Every call is one call of the engine, and returns as soon as the change outlives the process. So there is nothing to
/// lock, and nothing that a crash could find half done.
public struct CacheTable: Sendable {
  private let keyspace: SedimentCollection

  /// Creates a table of what a store or one of its collections holds.
  public init(_ keyspace: some SedimentKeyspace) {
    self.keyspace = keyspace.defaultCollection
  }

  /// The value of a key; nil if it has none.
  public func value<Value: Decodable>(forKey key: String, as type: Value.Type) throws -> Value? {
    guard let data = try keyspace.retrieve(forKey: key, as: Data.self) else { return nil }
    return try JSONDecoder().decode(type, from: data)
  }

  /// Gives a key a value.
  public func set(_ value: some Encodable, forKey key: String, expiry: CacheExpiry) throws {
    try keyspace.set(
      JSONEncoder().encode(value), forKey: key, expiry: expiry.ofSediment, durability: .unsynced)
  }

  /// Gives a key a value unless it has one; whether it did.
  public func create(_ value: some Encodable, forKey key: String, expiry: CacheExpiry) throws -> Bool {
    try keyspace.setIfAbsent(
      JSONEncoder().encode(value), forKey: key, expiry: expiry.ofSediment, durability: .unsynced)
  }

  /// Removes a key; whether it had a value.
  public func remove(forKey key: String) throws -> Bool {
    try keyspace.remove(forKey: key, durability: .unsynced)
  }
}

extension CacheExpiry {
  fileprivate var ofSediment: SedimentExpiry {
    switch self {
    case .never: .never
    case .after(let duration): .after(duration)
    case .kept: .unchanged
    }
  }
}
