public import Foundation

extension StorageProtocol where Key == NSString {
  /// The same values under Swift's strings.
  public func toNonObjCKeys() -> Storage<String, Value> {
    Storage(MappedKeys(self, objectiveCValue, inverse: swiftValue))
  }
}

extension ReadOnlyStorageProtocol where Key == NSString {
  /// The same values under Swift's strings.
  public func toNonObjCKeys() -> ReadOnlyStorage<String, Value> {
    ReadOnlyStorage(MappedKeys(self, objectiveCValue, inverse: swiftValue))
  }
}

extension WriteOnlyStorageProtocol where Key == NSString {
  /// The same values under Swift's strings.
  public func toNonObjCKeys() -> WriteOnlyStorage<String, Value> {
    WriteOnlyStorage(MappedKeys(self, objectiveCValue))
  }
}

extension StorageProtocol where Key == NSURL {
  /// The same values under Swift's URLs.
  public func toNonObjCKeys() -> Storage<URL, Value> {
    Storage(MappedKeys(self, objectiveCValue, inverse: swiftValue))
  }
}

extension ReadOnlyStorageProtocol where Key == NSURL {
  /// The same values under Swift's URLs.
  public func toNonObjCKeys() -> ReadOnlyStorage<URL, Value> {
    ReadOnlyStorage(MappedKeys(self, objectiveCValue, inverse: swiftValue))
  }
}

extension WriteOnlyStorageProtocol where Key == NSURL {
  /// The same values under Swift's URLs.
  public func toNonObjCKeys() -> WriteOnlyStorage<URL, Value> {
    WriteOnlyStorage(MappedKeys(self, objectiveCValue))
  }
}

extension StorageProtocol where Key == NSIndexPath {
  /// The same values under Swift's index paths.
  public func toNonObjCKeys() -> Storage<IndexPath, Value> {
    Storage(MappedKeys(self, objectiveCValue, inverse: swiftValue))
  }
}

extension ReadOnlyStorageProtocol where Key == NSIndexPath {
  /// The same values under Swift's index paths.
  public func toNonObjCKeys() -> ReadOnlyStorage<IndexPath, Value> {
    ReadOnlyStorage(MappedKeys(self, objectiveCValue, inverse: swiftValue))
  }
}

extension WriteOnlyStorageProtocol where Key == NSIndexPath {
  /// The same values under Swift's index paths.
  public func toNonObjCKeys() -> WriteOnlyStorage<IndexPath, Value> {
    WriteOnlyStorage(MappedKeys(self, objectiveCValue))
  }
}
