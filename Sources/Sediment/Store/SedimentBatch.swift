internal import SedimentFormat

/// Changes that `SedimentStore.batch` makes all together or not at all.
///
/// Adding a change never throws: a key or value that is too large is an error of the whole batch, which then changes
/// nothing.
public struct SedimentBatch {
  @usableFromInline let changes: Changes
  @usableFromInline let defaultState: CollectionState
  @usableFromInline var members: BatchMembers

  package init(_ store: SedimentStore) {
    changes = store.changes
    defaultState = store.defaultState
    members = BatchMembers(path: store.path)
  }

  /// Gives a key a value, which expires so long after now, or stays until it is replaced or removed.
  @inlinable
  public mutating func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, expiresIn duration: Duration? = nil
  ) {
    set(value, key, defaultState, duration)
  }

  /// Gives a key of a collection a value, which expires so long after now, or stays until it is replaced or removed.
  ///
  /// With a collection of another store, the batch throws `invalidArgument`.
  @inlinable
  public mutating func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, in collection: SedimentCollection, expiresIn duration: Duration? = nil
  ) {
    guard isOwn(collection) else { return }
    set(value, key, collection.state, duration)
  }

  /// Removes the value of a key, if it has one.
  @inlinable
  public mutating func remove<Key: SedimentBytes & ~Escapable>(forKey key: Key) {
    remove(key, defaultState)
  }

  /// Removes the value of a key of a collection, if it has one.
  ///
  /// With a collection of another store, the batch throws `invalidArgument`.
  @inlinable
  public mutating func remove<Key: SedimentBytes & ~Escapable>(
    forKey key: Key, in collection: SedimentCollection
  ) {
    guard isOwn(collection) else { return }
    remove(key, collection.state)
  }

  @inlinable
  mutating func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, _ key: Key, _ state: CollectionState, _ duration: Duration?
  ) {
    let expiry = duration.map { changes.time(after: $0) } ?? 0
    key.withSedimentBytes { key in
      value.withSedimentBytes { value in members.addPut(value, key, state, expiry: expiry) }
    }
  }

  @inlinable
  mutating func remove<Key: SedimentBytes & ~Escapable>(_ key: Key, _ state: CollectionState) {
    key.withSedimentBytes { key in members.addRemoval(key, state) }
  }

  @usableFromInline
  mutating func isOwn(_ collection: SedimentCollection) -> Bool {
    if collection.store.changes === changes { return true }
    members.fail(
      SedimentError(
        .invalidArgument, path: changes.path,
        message: "A collection of another store cannot take part in a batch. Use one batch for each store."))
    return false
  }
}

// MARK: Batches without a closure

extension SedimentBatch {
  /// The first thing that was wrong; nil if nothing was.
  package var failure: SedimentError? { members.failure }

  /// Gives a key of a collection a value with an expiry; `unchanged` is taken as `never`.
  package mutating func set(
    _ value: RawSpan, forKey key: RawSpan, in collection: SedimentCollection, expiry: SedimentExpiry
  ) {
    guard isOwn(collection) else { return }
    let time = if case .at(let time) = changes.written(expiry) { time } else { UInt64(0) }
    members.addPut(value, key, collection.state, expiry: time)
  }

  /// Makes the changes all together or not at all.
  package func commit(durability: SedimentDurability?) throws {
    try changes.commit(members, changes.written(durability))
  }
}
