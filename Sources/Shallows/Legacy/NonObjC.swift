public import Foundation

/// An object of Foundation's older classes, which stands for a value of Swift's.
public protocol SwiftValueObject: NSObject {
  /// What it stands for.
  associatedtype SwiftValue: _ObjectiveCBridgeable
}

extension NSString: SwiftValueObject {
  /// Text.
  public typealias SwiftValue = String
}
extension NSURL: SwiftValueObject {
  /// A URL.
  public typealias SwiftValue = URL
}
extension NSIndexPath: SwiftValueObject {
  /// An index path.
  public typealias SwiftValue = IndexPath
}
extension NSData: SwiftValueObject {
  /// Data.
  public typealias SwiftValue = Data
}
extension NSDate: SwiftValueObject {
  /// A date.
  public typealias SwiftValue = Date
}

// What `as` does on Apple's systems alone.

private func object<Value: _ObjectiveCBridgeable>(_ value: Value) -> Value._ObjectiveCType {
  value._bridgeToObjectiveC()
}

private func value<Value: _ObjectiveCBridgeable>(_ object: Value._ObjectiveCType) -> Value {
  ._unconditionallyBridgeFromObjectiveC(object)
}

extension StorageProtocol where Key: SwiftValueObject, Key.SwiftValue._ObjectiveCType == Key {
  /// The same values under keys of Swift's.
  public func toNonObjCKeys() -> Storage<Key.SwiftValue, Value> {
    mapKeys({ object($0) }, inverse: { value($0) })
  }
}

extension ReadOnlyStorageProtocol where Key: SwiftValueObject, Key.SwiftValue._ObjectiveCType == Key {
  /// The same values under keys of Swift's.
  public func toNonObjCKeys() -> ReadOnlyStorage<Key.SwiftValue, Value> {
    ReadOnlyStorage(MappedKeys(self, { object($0) }, inverse: { value($0) }))
  }
}

extension WriteOnlyStorageProtocol where Key: SwiftValueObject, Key.SwiftValue._ObjectiveCType == Key {
  /// The same values under keys of Swift's.
  public func toNonObjCKeys() -> WriteOnlyStorage<Key.SwiftValue, Value> { mapKeys { object($0) } }
}

extension StorageProtocol where Value: SwiftValueObject, Value.SwiftValue._ObjectiveCType == Value {
  /// The same values as Swift's.
  public func toNonObjCValues() -> Storage<Key, Value.SwiftValue> {
    mapValues(transformIn: { value($0) }, transformOut: { object($0) })
  }
}

extension ReadOnlyStorageProtocol where Value: SwiftValueObject, Value.SwiftValue._ObjectiveCType == Value {
  /// The same values as Swift's.
  public func toNonObjCValues() -> ReadOnlyStorage<Key, Value.SwiftValue> { mapValues { value($0) } }
}

extension WriteOnlyStorageProtocol
where Value: SwiftValueObject, Value.SwiftValue._ObjectiveCType == Value {
  /// The same values as Swift's.
  public func toNonObjCValues() -> WriteOnlyStorage<Key, Value.SwiftValue> { mapValues { object($0) } }
}
