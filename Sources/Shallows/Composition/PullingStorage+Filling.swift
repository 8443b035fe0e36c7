// How a front is filled from the back, and what is written meanwhile is the last to stay in it; see `WriteMarks`.
extension PullingStorage {
  /// What the back has, once the front has it, too.
  @inlinable
  func pull(_ key: Key, after error: any Error) -> StorageAnswer<ExpiringValue<Value>> {
    guard fallThrough.passes(error) else { return .failure(error) }
    let moment = marks.now
    switch back.answer(withExpiryForKey: key) {
    case .ready(let result): return filled(key, result, moment)
    case .pending(let start):
      return .pending { completion in
        start { result in filled(key, result, moment).deliver(to: completion) }
      }
    }
  }

  @inlinable
  func filled(
    _ key: Key, _ result: ShallowsResult<ExpiringValue<Value>>, _ moment: UInt64
  ) -> StorageAnswer<ExpiringValue<Value>> {
    guard strategy != .neverPull, case .success(let stored) = result else { return .ready(result) }
    let result = ShallowsResult<ExpiringValue<Value>>.success(kept(stored))
    switch strategy {
    case .neverPull: return .ready(result)
    case .pullThenComplete:
      switch fill(key, stored, moment) {
      case .ready: return .ready(result)
      case .pending(let start): return .pending { completion in start { _ in completion(result) } }
      }
    case .completeThenPull:
      return .pending { completion in
        completion(result)
        fill(key, stored, moment).deliver { _ in }
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
  func fill(
    _ key: Key, _ stored: ExpiringValue<Value>, _ moment: UInt64
  ) -> StorageAnswer<Void> {
    let hash = hash(key)
    guard marks.isQuiet(hash, since: moment) else { return .done }
    if isFrontAhead { return fillGap(key, stored, hash, moment) }
    marks.beginFill(hash)
    switch set(stored, key) {
    case .ready: return filled(key, hash, moment)
    case .pending(let start):
      return .pending { completion in start { _ in filled(key, hash, moment).deliver(to: completion) } }
    }
  }

  /// Takes a value out of the front again if the key was written since the back was asked for it.
  @inlinable
  func filled(_ key: Key, _ hash: Int, _ moment: UInt64) -> StorageAnswer<Void> {
    if marks.endFill(hash, ifQuietSince: moment) { return .done }
    return forget(key).map { result in
      marks.endFill(hash)
      return result
    }
  }

  /// When a value of the back ceases to be in the front: as soon as on either side.
  @inlinable
  func frontExpiry(_ stored: ExpiringValue<Value>) -> StorageExpiry {
    stored.expiry == .never ? .never : .sooner(stored.expiry, front.defaultExpiry)
  }

  @inlinable
  func set(_ stored: ExpiringValue<Value>, _ key: Key) -> StorageAnswer<Void> {
    switch front.answer(setting: stored.value, forKey: key, expiry: frontExpiry(stored)) {
    case .ready(let result):
      // A front that cannot let values expire is passed by.
      if result.error?.storageFailureKind != .notSupported {
        ShallowsLog.note(result, "keep what it pulled", front.storageName)
      }
      return .ready(result)
    case .pending(let start): return .pending(start)
    }
  }

  /// Gives the front a value if it has none, in one step where it can do that; one that is a composition cannot without
  /// asking its tiers again.
  @usableFromInline
  func fillGap(
    _ key: Key, _ stored: ExpiringValue<Value>, _ hash: Int, _ moment: UInt64
  ) -> StorageAnswer<Void> {
    // A value that is being set is nowhere else.
    let setting: () -> StorageAnswer<Void> = {
      !marks.isBusy(hash) && marks.isQuiet(hash, since: moment) ? set(stored, key) : .done
    }
    guard StorageRoot.of(front)?.level ?? 0 == 0 else { return setting() }
    let filled = front.answer(updating: key, expiry: frontExpiry(stored)) { found in
      guard case .failure = found, marks.isQuiet(hash, since: moment) else { throw WrittenMeanwhile() }
      // A removal that has begun must take it out.
      marks.fill(hash)
      return stored.value
    }
    return filled.then { result in
      guard case .failure(let error) = result, error.storageFailureKind == .notSupported else { return .done }
      return setting()
    }
  }

  /// Takes the value of a key out of the front, or all for nil; one that cannot remove gets the newest instead.
  @usableFromInline
  func forget(_ key: Key?) -> StorageAnswer<Void> {
    guard let key else { return front.answerRemovingAll().first.then { _ in marks.settle() } }
    return front.answer(removing: key).first.then { removed in
      if case .failure = removed { marks.renew(hash(key)) { renew(key) } }
      return marks.settle()
    }
  }

  private func renew(_ key: Key) -> StorageAnswer<Void> {
    let moment = marks.now
    return back.answer(withExpiryForKey: key).first.then { result in
      // What the back has lost by another way than through this composition, a front that cannot remove keeps.
      guard case .success(let stored) = result else { return .done }
      // A write that has begun since must renew it once more.
      marks.fill(hash(key))
      return set(stored, key).first.map { _ in
        if !marks.isQuiet(hash(key), since: moment) { marks.renew(hash(key)) { renew(key) } }
        return .success(())
      }
    }
  }
}

/// Ends an update that has come too late.
private struct WrittenMeanwhile: Error {}

extension PullingStorage {
  /// Marks a key, or all for nil, as being written until the answer is there or cannot come any more; then the front
  /// forgets what others have put into it meanwhile.
  @inlinable
  func marked<Answer>(_ key: Key?, _ write: () -> StorageAnswer<Answer>) -> StorageAnswer<Answer> {
    let hash = key.map(hash)
    marks.begin(hash)
    switch write() {
    case .ready(let result): return ended(key, hash, result)
    case .pending(let start):
      let once = Once { ended(key, hash, ShallowsResult<Void>.success(())).deliver { _ in } }
      return .pending { completion in
        start { result in
          guard once.isFirst() else { return completion(result) }
          ended(key, hash, result).deliver(to: completion)
        }
      }
    }
  }

  @inlinable
  func ended<Answer>(
    _ key: Key?, _ hash: Int?, _ result: ShallowsResult<Answer>
  ) -> StorageAnswer<Answer> {
    let wasAlone = marks.end(hash, cleans: !isFrontAhead)
    if !wasAlone, !isFrontAhead {
      return forget(key).map { _ in
        marks.endFill(hash)
        return result
      }
    }
    return marks.isSettled ? .ready(result) : marks.settle().map { _ in result }
  }
}
