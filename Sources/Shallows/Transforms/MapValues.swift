extension StorageProtocol {
  /// Values of another kind, made from those of this storage and into them; what a closure throws fails the call.
  @inlinable
  public func mapValues<OtherValue>(
    to type: OtherValue.Type = OtherValue.self, transformIn: @escaping (Value) throws -> OtherValue,
    transformOut: @escaping (OtherValue) throws -> Value
  ) -> Storage<Key, OtherValue> {
    Storage(MappedValues(self, in: transformIn, out: transformOut))
  }

  /// Values that stand for the present ones.
  @inlinable
  public func mapValues<OtherValue: RawRepresentable>(
    toRawRepresentableType type: OtherValue.Type
  ) -> Storage<Key, OtherValue> where OtherValue.RawValue == Value {
    mapValues(transformIn: throwing(OtherValue.init(rawValue:)), transformOut: { $0.rawValue })
  }
}

extension ReadOnlyStorageProtocol {
  /// Values of another kind, made from those of this storage; what the closure throws fails the call.
  @inlinable
  public func mapValues<OtherValue>(
    to type: OtherValue.Type = OtherValue.self, _ transform: @escaping (Value) throws -> OtherValue
  ) -> ReadOnlyStorage<Key, OtherValue> {
    ReadOnlyStorage(
      MappedValues<_, _, _, OtherValue>(
        self, in: transform, out: { _ in throw UnsupportedTransformationStorageError.storageIsReadOnly }))
  }

  /// Values that stand for the present ones.
  @inlinable
  public func mapValues<OtherValue: RawRepresentable>(
    toRawRepresentableType type: OtherValue.Type
  ) -> ReadOnlyStorage<Key, OtherValue> where OtherValue.RawValue == Value {
    mapValues(throwing(OtherValue.init(rawValue:)))
  }
}

extension WriteOnlyStorageProtocol {
  /// Values of another kind, made into those of this storage; what the closure throws fails the call.
  @inlinable
  public func mapValues<OtherValue>(
    to type: OtherValue.Type = OtherValue.self, _ transform: @escaping (OtherValue) throws -> Value
  ) -> WriteOnlyStorage<Key, OtherValue> {
    WriteOnlyStorage(
      MappedValues<_, _, _, OtherValue>(
        self, in: { _ in throw UnsupportedTransformationStorageError.storageIsWriteOnly }, out: transform))
  }

  /// Values that stand for the present ones.
  @inlinable
  public func mapValues<OtherValue: RawRepresentable>(
    toRawRepresentableType type: OtherValue.Type
  ) -> WriteOnlyStorage<Key, OtherValue> where OtherValue.RawValue == Value {
    mapValues { $0.rawValue }
  }
}
