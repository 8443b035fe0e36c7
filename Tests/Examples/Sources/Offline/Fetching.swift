public import Shallows

extension ReadOnlyStorage where Key: Sendable, Value: Sendable {
  /// A storage whose values an async function fetches.
  public static func fetching(
    _ name: String, _ fetch: @escaping @Sendable (Key) async throws -> Value
  ) -> ReadOnlyStorage<Key, Value> {
    ReadOnlyStorage<Key, Key>(storageName: name) { key, completion in completion(.success(key)) }
      .asyncMapValues { try await fetch($0) }
  }
}
