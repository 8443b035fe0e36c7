/// Keys and their values: a store's own, or those of a collection.
public protocol SedimentKeyspace: Sendable {
  /// What the operations below work on.
  var keyspace: SedimentKeys { get }
}

/// The keys of a store or collection, as its operations know them.
public struct SedimentKeys: Sendable {
  @usableFromInline let engine: Engine
  @usableFromInline let state: CollectionState

  @usableFromInline init(_ engine: Engine, _ state: CollectionState) {
    self.engine = engine
    self.state = state
  }
}

/// Whether an iteration goes on.
public enum SedimentIteration: Sendable {
  /// With the next key.
  case `continue`
  /// No further.
  case stop
}
