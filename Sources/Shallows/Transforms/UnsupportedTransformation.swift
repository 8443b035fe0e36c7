/// Half of a storage is missing.
public enum UnsupportedTransformationStorageError: Error, Sendable, Hashable {
  /// It can only be read.
  case storageIsReadOnly
  /// It can only be written.
  case storageIsWriteOnly
}

extension UnsupportedTransformationStorageError: StorageFailure {
  /// What the failure means.
  public var failureKind: FailureKind { .notSupported }
}

extension ReadOnlyStorageProtocol {
  /// The storage after a transformation that is only there for full storages; writing would fail in it.
  public func usingUnsupportedTransformation<OtherKey, OtherValue>(
    _ transformation: (Storage<Key, Value>) -> Storage<OtherKey, OtherValue>
  ) -> ReadOnlyStorage<OtherKey, OtherValue> {
    let half = WriteOnlyStorage<Key, Value>(
      storageName: storageName,
      calls: WriteCalls(failing: UnsupportedTransformationStorageError.storageIsReadOnly))
    return transformation(Storage(read: asReadOnlyStorage(), write: half)).asReadOnlyStorage()
  }
}

extension WriteOnlyStorageProtocol {
  /// The storage after a transformation that is only there for full storages; reading would fail in it.
  public func usingUnsupportedTransformation<OtherKey, OtherValue>(
    _ transformation: (Storage<Key, Value>) -> Storage<OtherKey, OtherValue>
  ) -> WriteOnlyStorage<OtherKey, OtherValue> {
    let half = ReadOnlyStorage<Key, Value>(
      storageName: storageName,
      calls: ReadCalls(failing: UnsupportedTransformationStorageError.storageIsWriteOnly))
    return transformation(Storage(read: half, write: asWriteOnlyStorage())).asWriteOnlyStorage()
  }
}
