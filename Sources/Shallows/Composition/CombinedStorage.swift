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
      let frontExpiry = frontExpiry(expiry)
      return reads.marked(key) {
        front.answer(setting: value, forKey: key, expiry: frontExpiry).then { result in
          switch result {
          case .success: back.answer(setting: value, forKey: key, expiry: expiry)
          case .failure(let error) where isRefusal(error, of: frontExpiry):
            back.answer(setting: value, forKey: key, expiry: expiry).andThen {
              front.answer(removing: key).first
            }
          case .failure: .ready(result)
          }
        }
      }
    case .backFirst:
      let frontExpiry = frontExpiry(expiry)
      return reads.marked(key) {
        back.answer(setting: value, forKey: key, expiry: expiry).andThen {
          front.answer(setting: value, forKey: key, expiry: frontExpiry).otherwise { error in
            if isRefusal(error, of: frontExpiry) { return front.answer(removing: key).first }
            // The front's value, if it has one, is older than the back's now.
            return reads.forget(key).map { _ in .failure(error) }
          }
        }
      }
    }
  }

  /// Whether the front refused a value because it cannot let values expire: then the back alone keeps the value, and the
  /// front loses its older one.
  @inlinable
  func isRefusal(_ error: any Error, of expiry: StorageExpiry) -> Bool {
    expiry != .never && error.storageFailureKind == .notSupported
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
}
