/// A storage that is made of another one, and passes on to it what it does not say itself.
@usableFromInline
protocol Wrapping: Rooted {
  associatedtype Base
  var base: Base { get }
}

/// A storage that knows its root.
@usableFromInline
protocol Rooted {
  var root: StorageRoot? { get }
}

/// What a storage is made of, by which compositions of the same front know each other.
@usableFromInline
struct StorageRoot {
  /// The storage whose values are in front of all others.
  let storage: AnyObject
  /// Which of those that the object stands for, if they are several: the path of a file or folder.
  var name = ""
  /// In how many compositions it is the front.
  var level = 0

  /// The root of a storage; nil if it is made of no object.
  @usableFromInline
  static func of(_ storage: Any) -> StorageRoot? {
    if let storage = storage as? any Rooted { return storage.root }
    return type(of: storage) is AnyClass ? StorageRoot(storage: storage as AnyObject) : nil
  }
}

extension Wrapping {
  @usableFromInline var root: StorageRoot? { .of(base) }
}

extension Wrapping where Self: StorageDesign, Base: StorageDesign {
  @inlinable var storageName: String { base.storageName }
}

extension Wrapping
where Self: ReadableStorageProtocol, Base: ReadableStorageProtocol, Self.Key == Base.Key {
  @inlinable
  func keys() -> StorageKeys<Key> { base.keys() }
}

extension Wrapping
where
  Self: AnsweringReadableStorage, Base: ReadableStorageProtocol, Self.Key == Base.Key,
  Self.Value == Base.Value
{
  @inlinable
  func answer(forKey key: Key) -> StorageAnswer<Value> { base.answer(forKey: key) }

  @inlinable
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    base.answer(withExpiryForKey: key)
  }

  @inlinable
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    base.answer(forKeys: keys)
  }
}

extension Wrapping where Self: WritableStorageProtocol, Base: WritableStorageProtocol {
  @inlinable var defaultExpiry: StorageExpiry { base.defaultExpiry }

  @inlinable
  func answerRemovingAll() -> StorageAnswer<Void> { base.answerRemovingAll() }
}

extension Wrapping
where Self: WritableStorageProtocol, Base: WritableStorageProtocol, Self.Key == Base.Key {
  @inlinable
  func answer(removing key: Key) -> StorageAnswer<Void> { base.answer(removing: key) }
}

extension Wrapping
where
  Self: WritableStorageProtocol, Base: WritableStorageProtocol, Self.Key == Base.Key, Self.Value == Base.Value
{
  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    base.answer(setting: value, forKey: key, expiry: expiry)
  }
}
