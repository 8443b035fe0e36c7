extension StorageProtocol {
  /// Values of another kind, made from those of this storage and into them by async closures.
  @inlinable
  public func asyncMapValues<OtherValue>(
    to type: OtherValue.Type = OtherValue.self, transformIn: @escaping (Value) async throws -> OtherValue,
    transformOut: @escaping (OtherValue) async throws -> Value
  ) -> Storage<Key, OtherValue> {
    Storage(
      AsyncMappedValues<_, Key, _, _>(base: self, transformIn: transformIn, transformOut: transformOut))
  }

  /// The same values under keys of another kind, which an async closure makes into the present ones.
  public func asyncMapKeys<OtherKey>(
    to type: OtherKey.Type = OtherKey.self, _ transform: @escaping (OtherKey) async throws -> Key
  ) -> Storage<OtherKey, Value> {
    Storage(AsyncMappedKeys<_, _, _, Value>(base: self, transform: transform))
  }
}

extension ReadOnlyStorageProtocol {
  /// Values of another kind, made from those of this storage by an async closure.
  @inlinable
  public func asyncMapValues<OtherValue>(
    to type: OtherValue.Type = OtherValue.self, _ transform: @escaping (Value) async throws -> OtherValue
  ) -> ReadOnlyStorage<Key, OtherValue> {
    ReadOnlyStorage(
      AsyncMappedValues<_, Key, _, OtherValue>(
        base: self, transformIn: transform,
        transformOut: { _ in throw UnsupportedTransformationStorageError.storageIsReadOnly }))
  }

  /// The same values under keys of another kind, which an async closure makes into the present ones.
  public func asyncMapKeys<OtherKey>(
    to type: OtherKey.Type = OtherKey.self, _ transform: @escaping (OtherKey) async throws -> Key
  ) -> ReadOnlyStorage<OtherKey, Value> {
    ReadOnlyStorage(AsyncMappedKeys<_, _, _, Value>(base: self, transform: transform))
  }
}

extension WriteOnlyStorageProtocol {
  /// Values of another kind, made into those of this storage by an async closure.
  @inlinable
  public func asyncMapValues<OtherValue>(
    to type: OtherValue.Type = OtherValue.self, _ transform: @escaping (OtherValue) async throws -> Value
  ) -> WriteOnlyStorage<Key, OtherValue> {
    WriteOnlyStorage(
      AsyncMappedValues<_, Key, Value, OtherValue>(
        base: self,
        transformIn: { _ in throw UnsupportedTransformationStorageError.storageIsWriteOnly },
        transformOut: transform))
  }

  /// The same values under keys of another kind, which an async closure makes into the present ones.
  public func asyncMapKeys<OtherKey>(
    to type: OtherKey.Type = OtherKey.self, _ transform: @escaping (OtherKey) async throws -> Key
  ) -> WriteOnlyStorage<OtherKey, Value> {
    WriteOnlyStorage(AsyncMappedKeys<_, _, _, Value>(base: self, transform: transform))
  }
}
