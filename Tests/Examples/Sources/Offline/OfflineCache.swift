public import Sediment
public import Shallows

/// What a web service says, kept in memory and in a file so that it is quick, asked for once, and there without a network.
///
/// Three tiers, each a storage, each in front of the next: the values used last; all that are not too old, in a file; the
/// service itself. What is retrieved comes from the first that has it, and is put into those before.
public struct OfflineCache<Value: Codable & Sendable>: Sendable {
  /// Values used last, in memory.
  public let memory: LRUStorage<String, Value>
  /// Values that are not too old, in the file.
  public let disk: Storage<String, Value>
  /// All three tiers; values come out of it, and what the program itself changes goes into the first two.
  public let values: Storage<String, Value>

  /// Creates a cache in a store, whose values are asked for again when they are older than `age`.
  ///
  /// - Parameters:
  ///   - store: Where values are kept, in the collection `name`.
  ///   - name: What kind of values they are.
  ///   - countInMemory: How many are in memory at most.
  ///   - age: How long after it was fetched a value is there.
  ///   - fetch: Asks the service for the value of a key; what it throws is thrown by who retrieves.
  public init(
    _ store: SedimentStore, name: String, countInMemory: Int, age: Duration,
    fetch: @escaping @Sendable (String) async throws -> Value
  ) {
    memory = LRUStorage(capacity: .count(countInMemory))
    disk = SedimentStorage(store, collection: name).usingStringKeys().mapJSONObject(Value.self)
      .expiring(after: age)
    // However many views ask for the same thing at once, the service is asked once.
    let service = ReadOnlyStorage.fetching(name, fetch).coalescingRetrievals()
    // `backed` reads only: nothing is ever set to a service. A value that memory takes from the file expires with the one
    // there.
    values = memory.combined(with: disk.backed(by: service))
  }

  /// The value of a key: of the first tier that has it.
  public func value(forKey key: String) async throws -> Value {
    try await values.retrieve(forKey: key)
  }

  /// Forgets a value, so that it is fetched the next time.
  public func forget(key: String) async throws {
    try await values.remove(forKey: key)
  }
}
