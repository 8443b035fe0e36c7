/// A collection of a store: keys of its own, in the same file.
///
/// A store has one collection without a name, and any number of named ones; see `SedimentStore.collection(_:)`. A
/// value of this type keeps the store open as long as it is kept.
public struct SedimentCollection: SedimentKeyspace {
  /// The store that the collection belongs to.
  public let store: SedimentStore
  @usableFromInline let state: CollectionState

  @inlinable
  init(_ store: SedimentStore, _ state: CollectionState) {
    self.store = store
    self.state = state
  }

  /// The collection itself.
  @inlinable public var defaultCollection: SedimentCollection { self }

  /// Whether a change of that durability, nil for the store's own, is on the disk when its call returns.
  package func syncs(_ durability: SedimentDurability?) -> Bool {
    store.changes.written(durability) == .synced
  }

  /// The name of the collection; empty for the one without a name.
  public var name: String { String(decoding: state.name, as: UTF8.self) }
}
