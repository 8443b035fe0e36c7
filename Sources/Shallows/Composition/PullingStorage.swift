/// Reading from a front, then from what is behind it, whose values are put into the front.
@usableFromInline
struct PullingStorage<Front: StorageProtocol, Back: ReadableStorageProtocol>: AnsweringReadableStorage
where Front.Key == Back.Key, Front.Value == Back.Value {
  @usableFromInline typealias Key = Front.Key
  @usableFromInline typealias Value = Front.Value

  @usableFromInline let storageName: String
  @usableFromInline let front: Front
  @usableFromInline let back: Back
  @usableFromInline let marks: WriteMarks
  @usableFromInline let hash: (Key) -> Int
  @usableFromInline let strategy: StorageCombinationPullStrategy
  @usableFromInline let fallThrough: StorageFallThrough
  /// Whether what is written goes to the front alone, so that filling must neither replace nor remove it.
  @usableFromInline let isFrontAhead: Bool

  @inlinable
  init(
    _ front: Front, _ back: Back, storageName: String,
    _ strategy: StorageCombinationPullStrategy, _ fallThrough: StorageFallThrough, isFrontAhead: Bool
  ) {
    self.isFrontAhead = isFrontAhead
    self.front = front
    self.back = back
    marks = .of(front)
    hash = hashing(Key.self)
    self.storageName = storageName
    self.strategy = strategy
    self.fallThrough = fallThrough
  }

  @inlinable @inline(__always)
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    let answer = front.answer(forKey: key)
    switch answer {
    case .ready(.success): return answer
    case .ready(.failure(let error)): return pull(key, after: error).map { $0.map(\.value) }
    case .pending(let start):
      return .pending { completion in
        start { result in
          guard case .failure(let error) = result else { return completion(result) }
          pull(key, after: error).deliver { completion($0.map(\.value)) }
        }
      }
    }
  }

  @usableFromInline
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    front.answer(withExpiryForKey: key).otherwise { pull(key, after: $0) }
  }

  @usableFromInline
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    front.answer(forKeys: keys, fallThrough, back.storageName) { missing in
      let moment = marks.now
      return back.answer(forKeys: missing).then { answer in
        guard strategy != .neverPull else { return .ready(answer) }
        let results = answer.spread(over: missing.count, back.storageName)
        let filled: StorageAnswer<[ShallowsResult<Void>]> = .each(missing.count) { index in
          guard case .success(let stored) = results[index] else { return .done }
          return fill(missing[index], stored, moment)
        }
        return filled.map { _ in
          front.defaultExpiry == .never ? answer : answer.map { $0.map { $0.map(kept) } }
        }
      }
    }
  }

  @usableFromInline
  func keys() -> StorageKeys<Key> {
    isFrontAhead ? front.keys().joined(with: back.keys(), storageName: storageName) : back.keys()
  }
}

// What is written goes to the front alone, unless `CombinedStorage` says otherwise.
extension PullingStorage: StorageProtocol, AnsweringWritableStorage, Rooted {
  @usableFromInline var root: StorageRoot? {
    var root = StorageRoot.of(front) ?? StorageRoot(storage: marks)
    root.level += 1
    return root
  }

  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    marked(key) { front.answer(setting: value, forKey: key, expiry: expiry) }
  }

  @inlinable var defaultExpiry: StorageExpiry { front.defaultExpiry }

  @inlinable
  func answer(removing key: Key) -> StorageAnswer<Void> { marked(key) { front.answer(removing: key) } }

  @inlinable
  func answerRemovingAll() -> StorageAnswer<Void> { marked(nil) { front.answerRemovingAll() } }

  /// The front is updated, from the back's value where it has none.
  @usableFromInline
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    updateFront(key, expiry, modify)
  }
}
