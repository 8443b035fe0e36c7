extension StorageProtocol {
  /// The same storage with calls that return their results; the thread sleeps where the storage has to wait.
  @inlinable
  public func makeSyncStorage() -> SyncStorage<Key, Value> {
    let calls = Storage(self).calls
    return SyncStorage(
      storageName: storageName + "-sync", retrieve: calls.reading.value, set: calls.writing.setAndWait,
      writing: SyncRemovals(self))
  }
}

extension ReadOnlyStorageProtocol {
  /// The same storage with calls that return their results; the thread sleeps where the storage has to wait.
  @inlinable
  public func makeSyncStorage() -> ReadOnlySyncStorage<Key, Value> {
    ReadOnlySyncStorage(storageName: storageName + "-sync", retrieve: ReadOnlyStorage(self).calls.value)
  }
}

extension WriteOnlyStorageProtocol {
  /// The same storage with calls that return their results; the thread sleeps where the storage has to wait.
  @inlinable
  public func makeSyncStorage() -> WriteOnlySyncStorage<Key, Value> {
    WriteOnlySyncStorage(
      storageName: storageName + "-sync", set: WriteOnlyStorage(self).calls.setAndWait,
      writing: SyncRemovals(self))
  }
}

extension SyncStorage where Key == Void {
  /// The value.
  @inlinable
  public func retrieve() throws -> Value { try retrieve(forKey: ()) }

  /// Sets the value.
  @inlinable
  public func set(_ value: Value) throws { try set(value, forKey: ()) }
}

extension ReadOnlySyncStorage where Key == Void {
  /// The value.
  @inlinable
  public func retrieve() throws -> Value { try retrieve(forKey: ()) }
}

extension WriteOnlySyncStorage where Key == Void {
  /// Sets the value.
  @inlinable
  public func set(_ value: Value) throws { try set(value, forKey: ()) }
}
