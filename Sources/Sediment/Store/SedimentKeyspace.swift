/// Keys and their values: a store's own, or those of a collection.
///
/// The operations are the same for both; a function that takes a keyspace works with either. It may be used from any
/// thread.
///
/// Everything throws a `SedimentError`. A key without a value is none: it is nil, or false.
///
/// Reading takes no lock and waits for nobody. It sees each change once the call that makes it has returned, and a
/// batch as a whole. It throws `damaged` for a record that does not match its checksum, unless the options say that
/// reads verify nothing, and `inputOutput` for one that the disk cannot read; other keys can be read all the same.
///
/// Changes are made one after the other. What one survives once its call has returned says its `durability`, or else
/// that of the store. If it throws, nothing was changed: `tooLarge` for a key above 65,535 bytes or a value above a
/// GiB, `outOfSpace` where there is no room, `readOnly` in a store that was opened for reading. The one exception is
/// `outcomeUnknown`: then the change may be found after the next opening or not, and the store takes no more of them.
///
/// Any call throws `closed` once the store was closed, `collectionDropped` once the collection was dropped, and
/// `forked` in a child of the process that opened the store.
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

/// Whether an iteration, or something long that tells its progress, goes on.
public enum SedimentIteration: Sendable {
  /// With what comes next.
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
