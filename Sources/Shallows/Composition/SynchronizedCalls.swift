/// A storage whose calls begin one at a time.
struct SynchronizedStorage<Base: StorageProtocol>: AnsweringStorage, Wrapping {
  typealias Key = Base.Key
  typealias Value = Base.Value

  let base: Base
  let queue = SerialQueue()

  init(_ base: Base) { self.base = base }

  func answer(forKey key: Key) -> StorageAnswer<Value> {
    inTurn { base.answer(forKey: key) }
  }

  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    inTurn { base.answer(withExpiryForKey: key) }
  }

  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    inTurn { base.answer(forKeys: keys) }
  }

  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    let expiry = expiry.absolute
    return inTurn { base.answer(setting: value, forKey: key, expiry: expiry) }
  }

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
    let expiry = expiry?.absolute
    return inTurn { base.answer(updating: key, expiry: expiry, modify) }
  }

  private func inTurn<Answer>(_ call: @escaping () -> StorageAnswer<Answer>) -> StorageAnswer<Answer> {
    .pending { completion in
      queue.run {
        // If the base waits, it keeps its turn; whom it calls may wait for others of the queue.
        switch CallingThread.draining(nil, call) {
        case .ready(let result): completion(result)
        case .pending(let start):
          let turn = CallingThread.Turn()
          turn.keep { start { result in turn.pass { completion(result) } } }
        }
      }
    }
  }
}

extension StorageProtocol {
  /// The same storage, whose calls run one at a time, in their order, on a queue of its own.
  ///
  /// A call ends there when it returns, whatever it waits for meanwhile, so it must not wait for another call of the same
  /// queue: a storage that completes later lets the next one begin before. Completions that it calls at once are called
  /// one after another, and may wait for other calls.
  public func synchronizedCalls() -> Storage<Key, Value> { Storage(SynchronizedStorage(self)) }
}
