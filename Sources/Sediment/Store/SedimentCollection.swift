/// A named collection of a store: keys of their own, in the same file.
///
/// A handle keeps its store open.
public final class SedimentCollection: Sendable {
  @usableFromInline let engine: Engine
  @usableFromInline let state: CollectionState
  /// The collection's name.
  public let name: String

  init(_ engine: Engine, _ state: CollectionState, name: String) {
    self.engine = engine
    self.state = state
    self.name = name
  }
}

extension SedimentCollection: SedimentKeyspace {
  /// See `SedimentKeyspace`.
  @inlinable public var keyspace: SedimentKeys { SedimentKeys(engine, state) }
}
