/// Keys with their values: those that a store keeps outside of any named collection, or those of one collection.
///
/// A store and a collection have the same operations, and all of them may be called from any thread. A function that
/// works with either takes `some SedimentKeyspace`. A variable that holds either is a `SedimentCollection`: a store
/// has one as its `defaultCollection`.
///
/// A key without a value is no error: reading it gives nil or false. All errors are of the type `SedimentError`, but
/// for those that a closure of the caller's throws.
///
/// Reading takes no lock and waits for nobody. It sees each change once the call that makes it has returned, and a
/// batch as a whole. It throws `damaged` for a record that does not match its checksum, unless `verifiesReads` of the
/// options is false, and `inputOutput` for a record that the disk cannot read. Other keys can still be read.
///
/// Changes are made one after the other. `durability` says what a change survives once its call has returned; without
/// it, the options of the store say so. A call that throws has changed nothing. It throws `tooLarge` for a key above
/// 65,535 bytes or a value above 1 GiB, `outOfSpace` where there is no room, and `readOnly` in a store that was opened
/// for reading. The one exception is `outcomeUnknown`: the disk failed, so the next opening may find the change or
/// not, and the store takes no further changes.
///
/// Any call throws `closed` once the store was closed, `collectionDropped` once the collection was dropped, and
/// `forked` in a child of the process that opened the store.
public protocol SedimentKeyspace: Sendable {
  /// The collection that has the keys: the one without a name of a store, and a collection itself.
  var defaultCollection: SedimentCollection { get }
}

extension SedimentKeyspace {
  /// What a change survives unless its call says otherwise.
  public var durability: SedimentDurability { changes.options.durability }

  @inlinable var reader: Reader { defaultCollection.store.reader }
  @inlinable var changes: Changes { defaultCollection.store.changes }
  @inlinable var state: CollectionState { defaultCollection.state }
}

/// Whether a call goes on that calls a closure again and again.
public enum SedimentIteration: Sendable {
  /// The call goes on.
  case `continue`
  /// The call ends.
  case stop
}
