public import Foundation

/// A storage whose values expire unless it is said otherwise for one.
@usableFromInline
struct ExpiringStorage<Base, Key, Value>: Wrapping {
  @usableFromInline let base: Base
  @usableFromInline let expiry: StorageExpiry

  @inlinable
  init(_ base: Base, _ expiry: StorageExpiry) {
    self.base = base
    self.expiry = expiry
  }
}

extension ExpiringStorage: StorageDesign where Base: StorageDesign {}

extension ExpiringStorage: ReadableStorageProtocol, AnsweringReadableStorage
where Base: ReadableStorageProtocol, Base.Key == Key, Base.Value == Value {}

extension ExpiringStorage: WritableStorageProtocol, AnsweringWritableStorage
where Base: WritableStorageProtocol, Base.Key == Key, Base.Value == Value {
  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    base.answer(setting: value, forKey: key, expiry: expiry == .never ? self.expiry : expiry)
  }

  @inlinable
  var defaultExpiry: StorageExpiry { expiry }
}

extension ExpiringStorage: StorageProtocol
where Base: StorageProtocol, Base.Key == Key, Base.Value == Value {
  @inlinable
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    base.answer(updating: key, expiry: (expiry ?? .never) == .never ? self.expiry : expiry, modify)
  }
}

extension StorageProtocol {
  /// The same storage, in which what is set ceases to be there so long after; where it cannot do that, setting fails.
  @inlinable
  public func expiring(after duration: Duration) -> Storage<Key, Value> {
    Storage(ExpiringStorage(self, .after(duration)))
  }

  /// The same storage, in which what is set ceases to be there at a time; where it cannot do that, setting fails.
  @inlinable
  public func expiring(at date: Date) -> Storage<Key, Value> {
    Storage(ExpiringStorage(self, .at(date)))
  }
}

extension WriteOnlyStorageProtocol {
  /// The same storage, in which what is set ceases to be there so long after; where it cannot do that, setting fails.
  @inlinable
  public func expiring(after duration: Duration) -> WriteOnlyStorage<Key, Value> {
    WriteOnlyStorage(ExpiringStorage(self, .after(duration)))
  }

  /// The same storage, in which what is set ceases to be there at a time; where it cannot do that, setting fails.
  @inlinable
  public func expiring(at date: Date) -> WriteOnlyStorage<Key, Value> {
    WriteOnlyStorage(ExpiringStorage(self, .at(date)))
  }
}
