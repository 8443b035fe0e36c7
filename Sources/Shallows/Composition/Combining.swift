extension StorageProtocol {
  /// This storage in front of another one: what this one has not comes from the back and is set to the front; what is
  /// set goes to the front, then to the back.
  ///
  /// Once all calls have ended, the front holds no value that the back does not: neither one that was pulled while
  /// another was written, nor one of two that were set at the same time, through this composition or another one that has
  /// the same storage in front, and the same keys. A storage that `pushing(to:)` makes is no such composition.
  @inlinable
  public func combined<StorageType: StorageProtocol>(
    with backStorage: StorageType
  ) -> Storage<Key, Value> where StorageType.Key == Key, StorageType.Value == Value {
    combined(backStorage, .pullThenComplete, .frontFirst, .anyFailure)
  }

  /// This storage in front of another one, with a say in which failures of the front the back is asked after.
  @inlinable
  public func combined<StorageType: StorageProtocol>(
    with backStorage: StorageType, fallingThroughOn failures: StorageFallThrough
  ) -> Storage<Key, Value> where StorageType.Key == Key, StorageType.Value == Value {
    combined(backStorage, .pullThenComplete, .frontFirst, failures)
  }

  /// This storage in front of another one, with a say in what is pulled and where values are set.
  @inlinable
  public func combined<StorageType: StorageProtocol>(
    with backStorage: StorageType, pullStrategy: StorageCombinationPullStrategy,
    setStrategy: StorageCombinationSetStrategy = .frontFirst
  ) -> Storage<Key, Value> where StorageType.Key == Key, StorageType.Value == Value {
    combined(backStorage, pullStrategy, setStrategy, .anyFailure)
  }

  /// This storage in front of another one, with a say in where values are set.
  @inlinable
  public func combined<StorageType: StorageProtocol>(
    with backStorage: StorageType, setStrategy: StorageCombinationSetStrategy
  ) -> Storage<Key, Value> where StorageType.Key == Key, StorageType.Value == Value {
    combined(backStorage, .pullThenComplete, setStrategy, .anyFailure)
  }

  /// This storage in front of one that is only read: the same as `backed(by:)`.
  @available(*, deprecated, renamed: "backed(by:)")
  @_disfavoredOverload
  @inlinable
  public func combined<StorageType: ReadOnlyStorageProtocol>(
    with backStorage: StorageType
  ) -> Storage<Key, Value> where StorageType.Key == Key, StorageType.Value == Value {
    backed(by: backStorage)
  }

  @inlinable
  func combined<StorageType: StorageProtocol>(
    _ back: StorageType, _ pullStrategy: StorageCombinationPullStrategy,
    _ setStrategy: StorageCombinationSetStrategy, _ fallThrough: StorageFallThrough
  ) -> Storage<Key, Value> where StorageType.Key == Key, StorageType.Value == Value {
    let name = storageName + "<->" + back.storageName
    let reads = PullingStorage(
      self, back, storageName: name, pullStrategy, fallThrough, isFrontAhead: setStrategy == .frontOnly)
    return Storage(CombinedStorage(reads, setStrategy))
  }
}
