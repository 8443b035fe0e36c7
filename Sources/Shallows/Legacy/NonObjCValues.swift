public import Foundation

extension StorageProtocol where Value == NSString {
  /// The same values as Swift's strings.
  public func toNonObjCValues() -> Storage<Key, String> {
    mapValues(transformIn: swiftValue, transformOut: objectiveCValue)
  }
}

extension ReadOnlyStorageProtocol where Value == NSString {
  /// The same values as Swift's strings.
  public func toNonObjCValues() -> ReadOnlyStorage<Key, String> {
    mapValues(swiftValue)
  }
}

extension WriteOnlyStorageProtocol where Value == NSString {
  /// The same values as Swift's strings.
  public func toNonObjCValues() -> WriteOnlyStorage<Key, String> {
    mapValues(objectiveCValue)
  }
}

extension StorageProtocol where Value == NSURL {
  /// The same values as Swift's URLs.
  public func toNonObjCValues() -> Storage<Key, URL> {
    mapValues(transformIn: swiftValue, transformOut: objectiveCValue)
  }
}

extension ReadOnlyStorageProtocol where Value == NSURL {
  /// The same values as Swift's URLs.
  public func toNonObjCValues() -> ReadOnlyStorage<Key, URL> {
    mapValues(swiftValue)
  }
}

extension WriteOnlyStorageProtocol where Value == NSURL {
  /// The same values as Swift's URLs.
  public func toNonObjCValues() -> WriteOnlyStorage<Key, URL> {
    mapValues(objectiveCValue)
  }
}

extension StorageProtocol where Value == NSIndexPath {
  /// The same values as Swift's index paths.
  public func toNonObjCValues() -> Storage<Key, IndexPath> {
    mapValues(transformIn: swiftValue, transformOut: objectiveCValue)
  }
}

extension ReadOnlyStorageProtocol where Value == NSIndexPath {
  /// The same values as Swift's index paths.
  public func toNonObjCValues() -> ReadOnlyStorage<Key, IndexPath> {
    mapValues(swiftValue)
  }
}

extension WriteOnlyStorageProtocol where Value == NSIndexPath {
  /// The same values as Swift's index paths.
  public func toNonObjCValues() -> WriteOnlyStorage<Key, IndexPath> {
    mapValues(objectiveCValue)
  }
}

extension StorageProtocol where Value == NSData {
  /// The same values as Swift's data.
  public func toNonObjCValues() -> Storage<Key, Data> {
    mapValues(transformIn: swiftValue, transformOut: objectiveCValue)
  }
}

extension ReadOnlyStorageProtocol where Value == NSData {
  /// The same values as Swift's data.
  public func toNonObjCValues() -> ReadOnlyStorage<Key, Data> {
    mapValues(swiftValue)
  }
}

extension WriteOnlyStorageProtocol where Value == NSData {
  /// The same values as Swift's data.
  public func toNonObjCValues() -> WriteOnlyStorage<Key, Data> {
    mapValues(objectiveCValue)
  }
}

extension StorageProtocol where Value == NSDate {
  /// The same values as Swift's dates.
  public func toNonObjCValues() -> Storage<Key, Date> {
    mapValues(transformIn: swiftValue, transformOut: objectiveCValue)
  }
}

extension ReadOnlyStorageProtocol where Value == NSDate {
  /// The same values as Swift's dates.
  public func toNonObjCValues() -> ReadOnlyStorage<Key, Date> {
    mapValues(swiftValue)
  }
}

extension WriteOnlyStorageProtocol where Value == NSDate {
  /// The same values as Swift's dates.
  public func toNonObjCValues() -> WriteOnlyStorage<Key, Date> {
    mapValues(objectiveCValue)
  }
}
