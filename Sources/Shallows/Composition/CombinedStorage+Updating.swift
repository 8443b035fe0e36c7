// Updates of the back, which can make them in one step; the front follows.
extension CombinedStorage {
  /// Updates the back from the value that `retrieve` would give.
  ///
  /// The front is touched last, so that an update which fails leaves every value where it is. While other calls write the key through a composition, the front may hold a value that is older than the back's. Then
  /// the update begins with the back's value if there is one.
  @usableFromInline
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    let expiry = expiry?.absolute
    guard strategy != .frontOnly else { return reads.updateFront(key, expiry, modify) }
    return reads.marked(key) { updateBack(BackUpdate(self, key, expiry, modify)) }
  }

  /// Reads the front, then updates the back; begins anew if the front was written in between.
  private func updateBack(_ update: BackUpdate<Front, Back>) -> StorageAnswer<Value?> {
    let view = reads.marks.view(of: reads.hash(update.key))
    return front.answer(withExpiryForKey: update.key).first.then { own in
      updateBack(update, from: own, view, carried: nil)
    }
  }

  /// Updates the back, given what the front had, and what of its expiry the back is to take over.
  private func updateBack(
    _ update: BackUpdate<Front, Back>, from own: ShallowsResult<ExpiringValue<Value>>,
    _ view: WriteMarks.View, carried: StorageExpiry?
  ) -> StorageAnswer<Value?> {
    let next = UncheckedBox<BackUpdate<Front, Back>.Attempt?>(nil)
    let answer = back.answer(updating: update.key, expiry: update.expiry ?? carried) { found in
      next.value = update.nextAttempt(found, own, view, carried: carried)
      guard next.value == nil else { throw BeginsAnew() }
      return try update.modify(update.start(found, own, view))
    }
    return answer.first.then { result in
      switch (result, next.value) {
      case (.success, _): replaceInFront(update.key).map { $0.flatMap { result } }
      case (.failure, .fromFront?): updateBack(update)
      case (.failure, .withExpiry(let expiry)?): updateBack(update, from: own, view, carried: expiry)
      case (.failure, nil): .ready(result)
      }
    }
  }

  /// Takes the older value of a key out of the front; a front that cannot remove is given the back's value instead.
  private func replaceInFront(_ key: Key) -> StorageAnswer<Void> {
    front.answer(removing: key).first.otherwise { error in
      back.answer(withExpiryForKey: key).first.then { stored in
        guard case .success(let stored) = stored else { return .failure(error) }
        return reads.set(stored, key).first
      }
    }
  }
}

/// Ends an attempt to update the back that would begin with the wrong value or expiry.
private struct BeginsAnew: Error {}

/// An update of the back of a composition.
private struct BackUpdate<Front: StorageProtocol, Back: StorageProtocol>
where Front.Key == Back.Key, Front.Value == Back.Value {
  typealias Value = Front.Value
  typealias Own = ShallowsResult<ExpiringValue<Value>>

  /// How an attempt that cannot go on is followed by another one.
  enum Attempt {
    /// By one that reads the front again.
    case fromFront
    /// By one that gives the back an expiry, or nil for the back's own.
    case withExpiry(StorageExpiry?)
  }

  let composition: CombinedStorage<Front, Back>
  let key: Front.Key
  let expiry: StorageExpiry?
  let modify: (ShallowsResult<Value>) throws -> Value?

  init(
    _ composition: CombinedStorage<Front, Back>, _ key: Front.Key, _ expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) {
    self.composition = composition
    self.key = key
    self.expiry = expiry
    self.modify = modify
  }

  private var marks: WriteMarks { composition.reads.marks }
  private var hash: Int { composition.reads.hash(key) }

  /// The value to begin with, of what the back and the front have.
  func start(_ found: ShallowsResult<Value>, _ own: Own, _ view: WriteMarks.View) -> ShallowsResult<Value> {
    switch own {
    case .success(let own):
      if case .success = found, !isFrontNewest(view) { return found }
      return .success(own.value)
    case .failure(let error):
      return composition.reads.fallThrough.passes(error) ? found : .failure(error)
    }
  }

  /// The attempt that has to follow instead of going on; nil if this one may.
  func nextAttempt(
    _ found: ShallowsResult<Value>, _ own: Own, _ view: WriteMarks.View, carried: StorageExpiry?
  ) -> Attempt? {
    // The front's expiry counts only for a value that the back does not have: a front may let values expire sooner.
    guard case .success(let own) = own, case .failure = found else {
      return carried == nil ? nil : .withExpiry(nil)
    }
    // What the front had may have been removed since, from both.
    guard marks.isQuiet(hash, since: view.moment) else { return .fromFront }
    let wanted = expiry == nil && own.expiry != .never ? own.expiry : nil
    return carried == wanted ? nil : .withExpiry(wanted)
  }

  private func isFrontNewest(_ view: WriteMarks.View) -> Bool {
    view.isSettled && marks.isQuiet(hash, since: view.moment)
  }
}
