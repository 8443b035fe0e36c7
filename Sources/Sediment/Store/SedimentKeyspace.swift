/// Keys and their values: a store's own, or those of a collection.
///
/// The operations are the same for both; a function that takes a keyspace works with either. It may be used from any
/// thread.
public class SedimentKeyspace: @unchecked Sendable {
  // Sendable: constants, which are Sendable themselves.
  @usableFromInline final let engine: Engine
  @usableFromInline final let state: CollectionState
  private let owner: EngineOwner

  init(_ owner: EngineOwner, _ state: CollectionState) {
    self.owner = owner
    engine = owner.engine
    self.state = state
  }

  /// What a change survives unless its call says otherwise.
  public final var durability: SedimentDurability { engine.options.durability }

  /// What others of the same store are made with.
  final var sharedOwner: EngineOwner { owner }
}

/// Whether an iteration goes on.
public enum SedimentIteration: Sendable {
  /// With the next key.
  case `continue`
  /// No further.
  case stop
}

/// Closes an engine when nobody can use it any more.
///
/// The engine's own background work holds the engine, so its end cannot be told from the engine itself. (A weak
/// reference could, and would make counting references to it slow.)
final class EngineOwner: Sendable {
  let engine: Engine

  init(_ engine: Engine) {
    self.engine = engine
  }

  deinit {
    try? engine.close()
  }
}
