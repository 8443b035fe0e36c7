internal import SedimentFormat

/// Changes that are made all together or not at all.
///
/// Limits are checked when the batch is made: what is too large is then an error, and nothing was changed.
public struct SedimentBatch {
  @usableFromInline let engine: Engine
  @usableFromInline var members: BatchMembers

  init(_ engine: Engine) {
    self.engine = engine
    members = BatchMembers(path: engine.path)
  }

  /// Gives a key of the store a value when the batch is made; without a duration it stays until it is removed.
  @inlinable
  public mutating func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, expiresIn duration: Duration? = nil
  ) {
    set(value, key, engine.defaultState, duration)
  }

  /// Gives a key of a collection a value when the batch is made.
  ///
  /// A collection of another store makes the batch fail with `invalidArgument`.
  @inlinable
  public mutating func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, in collection: SedimentCollection, expiresIn duration: Duration? = nil
  ) {
    guard isOwn(collection) else { return }
    set(value, key, collection.state, duration)
  }

  /// Removes a key of the store when the batch is made; it may have no value.
  @inlinable
  public mutating func remove<Key: SedimentBytes & ~Escapable>(forKey key: Key) {
    remove(key, engine.defaultState)
  }

  /// Removes a key of a collection when the batch is made; it may have no value.
  ///
  /// A collection of another store makes the batch fail with `invalidArgument`.
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
    let expiry = duration.map { engine.time(after: $0) } ?? 0
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
    if collection.engine === engine { return true }
    members.fail(
      SedimentError(
        .invalidArgument, path: engine.path,
        message: "A collection of another store cannot take part in a batch. Use one batch for each store."))
    return false
  }
}
