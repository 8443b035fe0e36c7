/// A storage whose values are set in another one, too.
@usableFromInline
struct PushingStorage<Front: WritableStorageProtocol, Back: WritableStorageProtocol>: AnsweringWritableStorage
where Front.Key == Back.Key, Front.Value == Back.Value {
  @usableFromInline typealias Key = Front.Key
  @usableFromInline typealias Value = Front.Value

  @usableFromInline let storageName: String
  @usableFromInline let front: Front
  @usableFromInline let back: Back

  @inlinable
  init(_ front: Front, _ back: Back) {
    self.front = front
    self.back = back
    storageName = front.storageName + "-" + back.storageName
  }

  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    let expiry = expiry.absolute
    return front.answer(setting: value, forKey: key, expiry: expiry).andThen {
      back.answer(setting: value, forKey: key, expiry: expiry)
    }
  }

  @inlinable
  var defaultExpiry: StorageExpiry { .sooner(front.defaultExpiry, back.defaultExpiry) }

  @inlinable
  func answer(removing key: Key) -> StorageAnswer<Void> {
    front.answer(removing: key).andThen { back.answer(removing: key) }
  }

  @inlinable
  func answerRemovingAll() -> StorageAnswer<Void> {
    front.answerRemovingAll().andThen { back.answerRemovingAll() }
  }
}

extension WritableStorageProtocol {
  /// This storage, and another one which is set after it, unless this fails.
  @inlinable
  public func pushing<WritableStorageType: WritableStorageProtocol>(
    to storage: WritableStorageType
  ) -> WriteOnlyStorage<Key, Value> where WritableStorageType.Key == Key, WritableStorageType.Value == Value {
    WriteOnlyStorage(PushingStorage(self, storage))
  }
}
