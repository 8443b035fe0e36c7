/// A storage all of whose calls run one at a time.
struct SynchronizedStorage<Base: StorageProtocol>: AnsweringStorage {
  typealias Key = Base.Key
  typealias Value = Base.Value

  let base: Base
  let queue = CallQueue()

  init(_ base: Base) { self.base = base }

  var storageName: String { base.storageName }

  func answer(forKey key: Key) -> StorageAnswer<Value> {
    inTurn { base.answer(forKey: key) }
  }

  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    inTurn { base.answer(withExpiryForKey: key) }
  }

  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    inTurn { base.answer(forKeys: keys) }
  }

  func keys() -> StorageKeys<Key> { base.keys() }

  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    inTurn { base.answer(setting: value, forKey: key, expiry: expiry) }
  }

  var defaultExpiry: StorageExpiry { base.defaultExpiry }

  func answer(removing key: Key) -> StorageAnswer<Void> {
    inTurn { base.answer(removing: key) }
  }

  func answerRemovingAll() -> StorageAnswer<Void> {
    inTurn { base.answerRemovingAll() }
  }

  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    inTurn { base.answer(updating: key, expiry: expiry, modify) }
  }

  /// The call has ended before its completion is called, so that this may use the storage and wait for it.
  private func inTurn<Answer>(_ call: @escaping () -> StorageAnswer<Answer>) -> StorageAnswer<Answer> {
    .pending { completion in
      queue.run { ended in
        call().deliver { result in
          ended()
          completion(result)
        }
      }
    }
  }
}

extension StorageProtocol {
  /// The same storage, all of whose calls run one at a time on a queue of its own.
  public func synchronizedCalls() -> Storage<Key, Value> { Storage(SynchronizedStorage(self)) }
}
