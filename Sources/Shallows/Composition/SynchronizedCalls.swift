/// A storage whose calls begin one at a time.
@usableFromInline
struct SynchronizedStorage<Base: StorageProtocol>: AnsweringStorage, Wrapping {
  @usableFromInline typealias Key = Base.Key
  @usableFromInline typealias Value = Base.Value

  @usableFromInline let base: Base
  @usableFromInline let queue: SerialQueue

  @inlinable
  init(_ base: Base) {
    self.base = base
    queue = SerialQueue()
  }

  @inlinable
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    inTurn { base.answer(forKey: key) }
  }

  @inlinable
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    inTurn { base.answer(withExpiryForKey: key) }
  }

  @inlinable
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    inTurn { base.answer(forKeys: keys) }
  }

  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    let expiry = expiry.absolute
    return inTurn { base.answer(setting: value, forKey: key, expiry: expiry) }
  }

  @inlinable
  func answer(removing key: Key) -> StorageAnswer<Void> {
    inTurn { base.answer(removing: key) }
  }

  @inlinable
  func answerRemovingAll() -> StorageAnswer<Void> {
    inTurn { base.answerRemovingAll() }
  }

  @inlinable
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    let expiry = expiry?.absolute
    return inTurn { base.answer(updating: key, expiry: expiry, modify) }
  }

  @inlinable
  func inTurn<Answer>(_ call: @escaping () -> StorageAnswer<Answer>) -> StorageAnswer<Answer> {
    .pending { completion in
      queue.run {
        // If the base waits, it keeps its turn; whom it calls may wait for others of the queue.
        var answer: StorageAnswer<Answer>?
        CallingThread.draining(nil) { answer = call() }
        switch answer {
        case nil: break
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
  @inlinable
  public func synchronizedCalls() -> Storage<Key, Value> { Storage(SynchronizedStorage(self)) }
}
