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
  @usableFromInline let unsettled = UnsettledKeys<Key>()
  @usableFromInline let strategy: StorageCombinationPullStrategy
  @usableFromInline let fallThrough: StorageFallThrough
  /// Whether what is written goes to the front alone, so that filling must neither replace nor remove it.
  @usableFromInline let isFrontAhead: Bool

  @inlinable
  init(
    _ front: Front, _ back: Back, _ marks: Marks, storageName: String,
    _ strategy: StorageCombinationPullStrategy, _ fallThrough: StorageFallThrough, isFrontAhead: Bool
  ) {
    self.isFrontAhead = isFrontAhead
    self.front = front
    self.back = back
    self.marks = marks
    self.storageName = storageName
    self.strategy = strategy
    self.fallThrough = fallThrough
  }

  @inlinable
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
      let tokens = missing.map(marks.token)
      return back.answer(forKeys: missing).then { answer in
        guard strategy != .neverPull else { return .ready(answer) }
        let results = answer.spread(over: missing.count, back.storageName)
        let filled: StorageAnswer<[ShallowsResult<Void>]> = .each(missing.count) { index in
          guard case .success(let stored) = results[index] else { return .done }
          return fill(missing[index], stored, tokens[index])
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
    guard strategy != .neverPull, case .success(let stored) = result else { return .ready(result) }
    let result = ShallowsResult<ExpiringValue<Value>>.success(kept(stored))
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

  /// A value as the front keeps it: whoever keeps it before this storage must not have it longer.
  @inlinable
  func kept(_ stored: ExpiringValue<Value>) -> ExpiringValue<Value> {
    let expiry = front.defaultExpiry
    return expiry == .never ? stored : ExpiringValue(stored.value, expiry: .sooner(stored.expiry, expiry))
  }

  /// Puts a value into the front, unless the key was written since the back was asked.
  @inlinable
  func fill(_ key: Key, _ stored: ExpiringValue<Value>, _ token: UInt64?) -> StorageAnswer<Void> {
    guard let token, marks.isQuiet(key, since: token) else { return .done }
    if isFrontAhead { return fillGap(key, stored, token) }
    switch set(stored, key) {
    case .ready: return settled(key, token)
    case .pending(let start):
      return .pending { completion in start { _ in settled(key, token).deliver(to: completion) } }
    }
  }

  /// Gives the front a value, for as long as both sides let it live.
  @inlinable
  func set(_ stored: ExpiringValue<Value>, _ key: Key) -> StorageAnswer<Void> {
    let expiry =
      stored.expiry == .never ? stored.expiry : StorageExpiry.sooner(stored.expiry, front.defaultExpiry)
    switch front.answer(setting: stored.value, forKey: key, expiry: expiry) {
    case .ready(let result):
      ShallowsLog.note(result, "keep what it pulled", front.storageName)
      return .ready(result)
    case .pending(let start): return .pending(start)
    }
  }

  /// Takes a value out of the front again if the key was written meanwhile.
  @inlinable
  func settled(_ key: Key, _ token: UInt64) -> StorageAnswer<Void> {
    marks.isQuiet(key, since: token) ? .done : forget(key)
  }

  /// Gives the front a value if it has none, in one step where it can do that.
  @usableFromInline
  func fillGap(
    _ key: Key, _ stored: ExpiringValue<Value>, _ token: UInt64
  ) -> StorageAnswer<Void> {
    let filled = front.answer(updating: key, expiry: stored.expiry) { found in
      guard case .failure = found, marks.isQuiet(key, since: token) else { throw WrittenMeanwhile() }
      return stored.value
    }
    return filled.then { result in
      guard case .failure(let error) = result, error.storageFailureKind == .notSupported else { return .done }
      guard marks.isQuiet(key, since: token) else { return .done }
      return set(stored, key)
    }
  }
}

/// Ends an update that has come too late.
private struct WrittenMeanwhile: Error {}

extension PullingStorage {
  /// Marks a key, or all, as being written until the answer is there.
  @inlinable
  func marked<Answer>(_ key: Key?, _ write: () -> StorageAnswer<Answer>) -> StorageAnswer<Answer> {
    _ = marks.begin(key)
    switch write() {
    case .ready(let result): return finished(key, result)
    case .pending(let start):
      let once = Once()
      return .pending { completion in
        start { result in
          guard once.isFirst() else { return completion(result) }
          finished(key, result).deliver(to: completion)
        }
      }
    }
  }

  /// The same for a write to both sides; if others write the key at the same time, the front forgets it in the end,
  /// since they may come to the sides in another order, or gets what the back has.
  @inlinable
  func markedOnBothSides(_ key: Key, _ write: () -> StorageAnswer<Void>) -> StorageAnswer<Void> {
    let token = marks.begin(key)
    switch write() {
    case .ready(let result): return ended(key, token, result)
    case .pending(let start):
      let once = Once()
      return .pending { completion in
        start { result in
          guard once.isFirst() else { return completion(result) }
          ended(key, token, result).deliver(to: completion)
        }
      }
    }
  }

  @inlinable
  func ended(_ key: Key, _ token: UInt64?, _ result: ShallowsResult<Void>) -> StorageAnswer<Void> {
    if marks.wasAlone(key, since: token) { return finished(key, result) }
    return front.answer(removing: key).first.then { removed in
      if case .failure = removed { unsettled.add(key) }
      return finished(key, result)
    }
  }

  /// Ends the mark of a write, and does what others could not do before.
  @inlinable
  func finished<Answer>(_ key: Key?, _ result: ShallowsResult<Answer>) -> StorageAnswer<Answer> {
    marks.end(key)
    return unsettled.isEmpty ? .ready(result) : settle().map { _ in result }
  }

  /// The front is updated, from the back's value where it has none.
  @usableFromInline
  func updateFront(
    _ key: Key, _ expiry: StorageExpiry?, _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    answer(forKey: key).first.then { found in
      marked(key) {
        front.answer(updating: key, expiry: expiry) { result in
          guard case .failure = result else { return try modify(result) }
          return try modify(found)
        }
      }
    }
  }
}
