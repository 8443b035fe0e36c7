extension StorageProtocol {
  /// The same storage under another name.
  @inlinable
  public func renaming(to newName: String) -> Storage<Key, Value> { Storage(self, storageName: newName) }
}

extension ReadOnlyStorageProtocol {
  /// The same storage under another name.
  @inlinable
  public func renaming(to newName: String) -> ReadOnlyStorage<Key, Value> {
    ReadOnlyStorage(self, storageName: newName)
  }
}

extension WriteOnlyStorageProtocol {
  /// The same storage under another name.
  @inlinable
  public func renaming(to newName: String) -> WriteOnlyStorage<Key, Value> {
    WriteOnlyStorage(self, storageName: newName)
  }
}
