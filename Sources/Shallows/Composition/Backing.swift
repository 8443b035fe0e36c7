extension StorageProtocol {
  /// This storage with another one behind it that is never written: values come from there and are set to the front.
  @inlinable
  public func backed<ReadableStorageType: ReadableStorageProtocol>(
    by readableStorage: ReadableStorageType
  ) -> Storage<Key, Value> where ReadableStorageType.Key == Key, ReadableStorageType.Value == Value {
    backed(by: readableStorage, fallingThroughOn: .anyFailure)
  }

  /// This storage with another one behind it that is never written, and with a say in which failures of the front it is
  /// asked after.
  @inlinable
  public func backed<ReadableStorageType: ReadableStorageProtocol>(
    by readableStorage: ReadableStorageType, fallingThroughOn failures: StorageFallThrough
  ) -> Storage<Key, Value> where ReadableStorageType.Key == Key, ReadableStorageType.Value == Value {
    let name = storageName + "<-" + readableStorage.storageName
    return Storage(
      PullingStorage(
        self, readableStorage, storageName: name, .pullThenComplete, failures, isFrontAhead: true))
  }
}

extension ReadOnlyStorageProtocol {
  /// This storage, then another one for what it has not; nothing is set anywhere.
  @inlinable
  public func backed<ReadableStorageType: ReadableStorageProtocol>(
    by storage: ReadableStorageType
  ) -> ReadOnlyStorage<Key, Value> where ReadableStorageType.Key == Key, ReadableStorageType.Value == Value {
    backed(by: storage, fallingThroughOn: .anyFailure)
  }

  /// This storage, then another one for what it has not, with a say in which failures that means.
  @inlinable
  public func backed<ReadableStorageType: ReadableStorageProtocol>(
    by storage: ReadableStorageType, fallingThroughOn failures: StorageFallThrough
  ) -> ReadOnlyStorage<Key, Value> where ReadableStorageType.Key == Key, ReadableStorageType.Value == Value {
    let name = storageName + "-" + storage.storageName
    return ReadOnlyStorage(ReadingThrough(self, storage, storageName: name, failures))
  }
}
