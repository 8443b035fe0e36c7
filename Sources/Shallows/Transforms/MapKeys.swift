extension StorageProtocol {
  /// The same values under keys of another kind; what the closure throws fails the call.
  @inlinable
  public func mapKeys<OtherKey>(
    to type: OtherKey.Type = OtherKey.self, _ transform: @escaping (OtherKey) throws -> Key
  ) -> Storage<OtherKey, Value> {
    Storage(MappedKeys(self, transform))
  }

  /// The same values under keys of another kind that can be made back, so that they can be listed, too.
  @inlinable
  public func mapKeys<OtherKey>(
    to type: OtherKey.Type = OtherKey.self, _ transform: @escaping (OtherKey) throws -> Key,
    inverse: @escaping (Key) throws -> OtherKey
  ) -> Storage<OtherKey, Value> {
    Storage(MappedKeys(self, transform, inverse: inverse))
  }

  /// The same values under keys that stand for the present ones.
  @inlinable
  public func mapKeys<OtherKey: RawRepresentable>(
    toRawRepresentableType type: OtherKey.Type
  ) -> Storage<OtherKey, Value> where OtherKey.RawValue == Key {
    Storage(MappedKeys(self, \.rawValue, inverse: { try OtherKey(rawValue: $0).unwrap() }))
  }

  /// The storage of one key's value alone.
  @inlinable
  public func singleKey(_ key: Key) -> Storage<Void, Value> {
    Storage(MappedKeys(self, { _ in key }))
  }
}

extension ReadOnlyStorageProtocol {
  /// The same values under keys of another kind; what the closure throws fails the call.
  @inlinable
  public func mapKeys<OtherKey>(
    to type: OtherKey.Type = OtherKey.self, _ transform: @escaping (OtherKey) throws -> Key
  ) -> ReadOnlyStorage<OtherKey, Value> {
    ReadOnlyStorage(MappedKeys(self, transform))
  }

  /// The same values under keys that stand for the present ones.
  @inlinable
  public func mapKeys<OtherKey: RawRepresentable>(
    toRawRepresentableType type: OtherKey.Type
  ) -> ReadOnlyStorage<OtherKey, Value> where OtherKey.RawValue == Key {
    ReadOnlyStorage(MappedKeys(self, \.rawValue, inverse: { try OtherKey(rawValue: $0).unwrap() }))
  }

  /// The storage of one key's value alone.
  @inlinable
  public func singleKey(_ key: Key) -> ReadOnlyStorage<Void, Value> {
    ReadOnlyStorage(MappedKeys(self, { _ in key }))
  }
}

extension WriteOnlyStorageProtocol {
  /// The same values under keys of another kind; what the closure throws fails the call.
  @inlinable
  public func mapKeys<OtherKey>(
    to type: OtherKey.Type = OtherKey.self, _ transform: @escaping (OtherKey) throws -> Key
  ) -> WriteOnlyStorage<OtherKey, Value> {
    WriteOnlyStorage(MappedKeys(self, transform))
  }

  /// The same values under keys that stand for the present ones.
  @inlinable
  public func mapKeys<OtherKey: RawRepresentable>(
    toRawRepresentableType type: OtherKey.Type
  ) -> WriteOnlyStorage<OtherKey, Value> where OtherKey.RawValue == Key {
    WriteOnlyStorage(MappedKeys(self, \.rawValue))
  }

  /// The storage of one key's value alone.
  @inlinable
  public func singleKey(_ key: Key) -> WriteOnlyStorage<Void, Value> {
    WriteOnlyStorage(MappedKeys(self, { _ in key }))
  }
}
