extension StorageProtocol where Key == Filename {
  /// The same values under plain strings.
  @inlinable
  public func usingStringKeys() -> Storage<String, Value> {
    Storage(MappedKeys(self, Filename.init(rawValue:), inverse: \.rawValue))
  }
}

extension ReadOnlyStorageProtocol where Key == Filename {
  /// The same values under plain strings.
  @inlinable
  public func usingStringKeys() -> ReadOnlyStorage<String, Value> {
    ReadOnlyStorage(MappedKeys(self, Filename.init(rawValue:), inverse: \.rawValue))
  }
}

extension WriteOnlyStorageProtocol where Key == Filename {
  /// The same values under plain strings.
  @inlinable
  public func usingStringKeys() -> WriteOnlyStorage<String, Value> {
    WriteOnlyStorage(MappedKeys(self, Filename.init(rawValue:)))
  }
}
