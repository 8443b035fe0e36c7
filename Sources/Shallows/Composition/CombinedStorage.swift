/// A front and a back that both have what is set.
@usableFromInline
struct CombinedStorage<Front: StorageProtocol, Back: StorageProtocol, Marks: WriteMarks>: AnsweringStorage
where Front.Key == Back.Key, Front.Value == Back.Value, Marks.Key == Front.Key {
  @usableFromInline typealias Key = Front.Key
  @usableFromInline typealias Value = Front.Value

  @usableFromInline let reads: PullingStorage<Front, Back, Marks>
  @usableFromInline let strategy: StorageCombinationSetStrategy

  @inlinable
  init(_ reads: PullingStorage<Front, Back, Marks>, _ strategy: StorageCombinationSetStrategy) {
    self.reads = reads
    self.strategy = strategy
  }

  @inlinable var storageName: String { reads.storageName }
  @inlinable var front: Front { reads.front }
  @inlinable var back: Back { reads.back }

  @inlinable
  func answer(forKey key: Key) -> StorageAnswer<Value> { reads.answer(forKey: key) }

  @inlinable
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    reads.answer(withExpiryForKey: key)
  }

  @inlinable
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    reads.answer(forKeys: keys)
  }

  @inlinable
  func keys() -> StorageKeys<Key> { back.keys() }

  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    reads.marked(key) {
      switch strategy {
      case .frontOnly: front.answer(setting: value, forKey: key, expiry: expiry)
      case .backOnly: back.answer(setting: value, forKey: key, expiry: expiry)
      case .frontFirst:
        front.answer(setting: value, forKey: key, expiry: expiry).andThen {
          back.answer(setting: value, forKey: key, expiry: expiry)
        }
      case .backFirst:
        back.answer(setting: value, forKey: key, expiry: expiry).andThen {
          front.answer(setting: value, forKey: key, expiry: expiry)
        }
      }
    }
  }

  @usableFromInline
  func answer(removing key: Key) -> StorageAnswer<Void> {
    reads.marked(key) { front.answer(removing: key).andThen { back.answer(removing: key) } }
  }

  @usableFromInline
  func answerRemovingAll() -> StorageAnswer<Void> {
    reads.marked(nil) { front.answerRemovingAll().andThen { back.answerRemovingAll() } }
  }

  /// The back is what can do it in one step; the front forgets the key, because two who update at once may come to it in
  /// another order than to the back.
  @usableFromInline
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    reads.marked(key) {
      back.answer(updating: key, expiry: expiry, modify).then { result in
        guard case .success = result else { return .ready(result) }
        return front.answer(removing: key).map { removed in removed.flatMap { result } }
      }
    }
  }
}

extension StorageAnswer<Void> {
  /// What comes next unless this fails.
  @inlinable
  func andThen(_ next: @escaping () -> StorageAnswer<Void>) -> StorageAnswer<Void> {
    switch self {
    case .ready(.success): next()
    case .ready(.failure(let error)): .failure(error)
    case .pending(let start):
      .pending { completion in
        start { result in
          guard case .success = result else { return completion(result) }
          next().deliver(to: completion)
        }
      }
    }
  }
}
