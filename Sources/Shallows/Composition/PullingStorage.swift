/// Reading from a front, then from what is behind it, whose values are put into the front.
@usableFromInline
struct PullingStorage<Front: StorageProtocol, Back: ReadableStorageProtocol, Marks: WriteMarks>:
  AnsweringReadableStorage
where Front.Key == Back.Key, Front.Value == Back.Value, Marks.Key == Front.Key {
  @usableFromInline typealias Key = Front.Key
  @usableFromInline typealias Value = Front.Value

  @usableFromInline let storageName: String
  @usableFromInline let front: Front
  @usableFromInline let back: Back
  @usableFromInline let marks: Marks
  @usableFromInline let strategy: StorageCombinationPullStrategy
  @usableFromInline let fallThrough: StorageFallThrough

  @inlinable
  init(
    _ front: Front, _ back: Back, _ marks: Marks, storageName: String,
    _ strategy: StorageCombinationPullStrategy, _ fallThrough: StorageFallThrough
  ) {
    self.front = front
    self.back = back
    self.marks = marks
    self.storageName = storageName
    self.strategy = strategy
    self.fallThrough = fallThrough
  }

  @inlinable
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    switch front.answer(forKey: key) {
    case .ready(.success(let value)): .value(value)
    case .ready(.failure(let error)): pull(key, after: error).map { $0.map(\.value) }
    case .pending(let start):
      .pending { completion in
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
    front.answer(forKeys: keys, fallThrough) { missing in
      let tokens = missing.map(marks.token)
      return back.answer(forKeys: missing).then { results in
        var filled = StorageAnswer<Void>.done
        for (index, result) in results.spread(over: missing.count).enumerated() {
          guard strategy != .neverPull, case .success(let stored) = result else { continue }
          filled = filled.then { _ in fill(missing[index], stored, tokens[index]) }
        }
        return filled.map { _ in results }
      }
    }
  }

  @usableFromInline
  func keys() -> StorageKeys<Key> { back.keys() }
}

extension PullingStorage {
  /// What the back has, once the front has it, too.
  @inlinable
  func pull(_ key: Key, after error: any Error) -> StorageAnswer<ExpiringValue<Value>> {
    guard fallThrough.passes(error) else { return .failure(error) }
    let token = marks.token(key)
    switch back.answer(withExpiryForKey: key) {
    case .ready(let result): return filled(key, result, token)
    case .pending(let start):
      return .pending { completion in
        start { result in filled(key, result, token).deliver(to: completion) }
      }
    }
  }

  @inlinable
  func filled(
    _ key: Key, _ result: ShallowsResult<ExpiringValue<Value>>, _ token: UInt64?
  ) -> StorageAnswer<ExpiringValue<Value>> {
    guard case .success(let stored) = result else { return .ready(result) }
    switch strategy {
    case .neverPull: return .ready(result)
    case .pullThenComplete:
      switch fill(key, stored, token) {
      case .ready: return .ready(result)
      case .pending(let start): return .pending { completion in start { _ in completion(result) } }
      }
    case .completeThenPull:
      return .pending { completion in
        completion(result)
        fill(key, stored, token).deliver { _ in }
      }
    }
  }

  /// Puts a value into the front, unless the key was written since the back was asked.
  @inlinable
  func fill(_ key: Key, _ stored: ExpiringValue<Value>, _ token: UInt64?) -> StorageAnswer<Void> {
    guard let token, marks.isQuiet(key, since: token) else { return .done }
    switch front.answer(setting: stored.value, forKey: key, expiry: stored.expiry) {
    case .ready: return settled(key, token)
    case .pending(let start):
      return .pending { completion in start { _ in settled(key, token).deliver(to: completion) } }
    }
  }

  /// Takes a value out of the front again if the key was written meanwhile.
  @inlinable
  func settled(_ key: Key, _ token: UInt64) -> StorageAnswer<Void> {
    marks.isQuiet(key, since: token) ? .done : front.answer(removing: key)
  }
}

extension PullingStorage {
  /// Marks a key, or all, as being written until the answer is there.
  @inlinable
  func marked<Answer>(_ key: Key?, _ write: () -> StorageAnswer<Answer>) -> StorageAnswer<Answer> {
    marks.begin(key)
    switch write() {
    case .ready(let result):
      marks.end(key)
      return .ready(result)
    case .pending(let start):
      let once = Once()
      return .pending { completion in
        start { result in
          if once.isFirst() { marks.end(key) }
          completion(result)
        }
      }
    }
  }
}
