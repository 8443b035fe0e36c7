/// A front and a back that both have what is set.
@usableFromInline
struct CombinedStorage<Front: StorageProtocol, Back: StorageProtocol>: AnsweringStorage, Rooted
where Front.Key == Back.Key, Front.Value == Back.Value {
  @usableFromInline typealias Key = Front.Key
  @usableFromInline typealias Value = Front.Value

  @usableFromInline let reads: PullingStorage<Front, Back>
  @usableFromInline let strategy: StorageCombinationSetStrategy

  @inlinable
  init(_ reads: PullingStorage<Front, Back>, _ strategy: StorageCombinationSetStrategy) {
    self.reads = reads
    self.strategy = strategy
  }

  @inlinable var storageName: String { reads.storageName }
  @inlinable var front: Front { reads.front }
  @inlinable var back: Back { reads.back }
  @usableFromInline var root: StorageRoot? { reads.root }

  @inlinable @inline(__always)
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
  func keys() -> StorageKeys<Key> { reads.keys() }

  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    // Counted from now for both, however long the first of them takes.
    let expiry = expiry.absolute
    switch strategy {
    case .frontOnly: return reads.marked(key) { front.answer(setting: value, forKey: key, expiry: expiry) }
    case .backOnly: return reads.marked(key) { back.answer(setting: value, forKey: key, expiry: expiry) }
    case .frontFirst:
      return reads.marked(key) {
        front.answer(setting: value, forKey: key, expiry: frontExpiry(expiry)).andThen {
          back.answer(setting: value, forKey: key, expiry: expiry)
        }
      }
    case .backFirst:
      let frontExpiry = frontExpiry(expiry)
      return reads.marked(key) {
        back.answer(setting: value, forKey: key, expiry: expiry).andThen {
          // What the front has otherwise is older now.
          front.answer(setting: value, forKey: key, expiry: frontExpiry).otherwise { error in
            reads.forget(key).map { _ in .failure(error) }
          }
        }
      }
    }
  }

  /// No value lives longer in the front than in the back, which may have an expiry of its own.
  @inlinable
  func frontExpiry(_ expiry: StorageExpiry) -> StorageExpiry {
    guard expiry == .never else { return expiry }
    let backExpiry = back.defaultExpiry
    return backExpiry == .never ? .never : .sooner(front.defaultExpiry, backExpiry).absolute
  }

  @inlinable
  var defaultExpiry: StorageExpiry { strategy == .frontOnly ? front.defaultExpiry : back.defaultExpiry }

  @usableFromInline
  func answer(removing key: Key) -> StorageAnswer<Void> {
    reads.marked(key) { front.answer(removing: key).andThen { back.answer(removing: key) } }
  }

  @usableFromInline
  func answerRemovingAll() -> StorageAnswer<Void> {
    reads.marked(nil) { front.answerRemovingAll().andThen { back.answerRemovingAll() } }
  }

  /// The back is what can do it in one step, and the front forgets the key.
  ///
  /// It does so first, so that nothing is changed if it cannot, and once more in the end, because others may have set
  /// it meanwhile.
  @usableFromInline
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    let expiry = expiry?.absolute
    guard strategy != .frontOnly else { return reads.updateFront(key, expiry, modify) }
    return reads.marked(key) {
      front.answer(removing: key).first.then { removed in
        if case .failure(let error) = removed { return .failure(error) }
        return back.answer(updating: key, expiry: expiry, modify).then { result in
          guard case .success = result else { return .ready(result) }
          return front.answer(removing: key).map { removed in removed.flatMap { result } }
        }
      }
    }
  }
}
