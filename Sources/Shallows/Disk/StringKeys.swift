extension StorageProtocol where Key == Filename {
  /// The same values under plain strings.
  @inlinable
  public func usingStringKeys() -> Storage<String, Value> {
    Storage(MappedKeys(self, by: StringMapping()))
  }
}

extension ReadOnlyStorageProtocol where Key == Filename {
  /// The same values under plain strings.
  @inlinable
  public func usingStringKeys() -> ReadOnlyStorage<String, Value> {
    ReadOnlyStorage(MappedKeys(self, by: StringMapping()))
  }
}

extension WriteOnlyStorageProtocol where Key == Filename {
  /// The same values under plain strings.
  @inlinable
  public func usingStringKeys() -> WriteOnlyStorage<String, Value> {
    WriteOnlyStorage(MappedKeys(self, by: StringMapping()))
  }
}

/// Strings as names; no closure, so that nothing is called and no reference counted for them.
@usableFromInline
struct StringMapping: KeyMapping {
  @usableFromInline var inverse: ((Filename) throws -> String)? { \.rawValue }

  @inlinable
  init() {}

  @inlinable @inline(__always)
  func mapped(_ key: String) -> Filename { Filename(rawValue: key) }
}
