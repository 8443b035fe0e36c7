public import SedimentDisk

/// A store of keys and values in one file.
///
/// It may be used from any thread. `SedimentKeyspace` has the operations on keys and values. One process at a time can
/// have a file open for writing, or any number of processes for reading.
///
/// A store that nobody has any more is closed, but an error of that is lost: call `close` to get it. Collections keep
/// their store open.
public final class SedimentStore: SedimentKeyspace {
  let engine: Engine
  // The two components that programs of users call: from the engine each call would count one reference more.
  @usableFromInline let reader: Reader
  @usableFromInline let changes: Changes
  @usableFromInline let defaultState: CollectionState

  /// Opens the store at a path, and creates it unless the options say that it must be there.
  ///
  /// After a crash, opening recovers the store: all changes up to some moment, and at least all that were synced. A
  /// file that is damaged, of another kind or of a newer version stays as it is. If the file is created, so are
  /// missing directories of the path. An empty file, as `mkstemp` makes, is replaced by a new store, if one may be
  /// created. Symbolic links are followed, once, before the file is opened.
  ///
  /// Throws `notFound`, `locked`, `accessDenied`, `foreign`, `newer`, `damaged`, `outOfSpace` or `inputOutput`, and
  /// `invalidArgument` for options that are not possible.
  public convenience init(path: String, options: SedimentOptions = SedimentOptions()) throws {
    try self.init(path: path, options: options, disk: SystemDisk(), scheduler: WorkPool.shared)
  }

  /// Opens the store on a disk of the caller's, such as the simulated one of `SedimentTesting`.
  ///
  /// Threads of the process do the background work. For tests that have to run the same each time, see
  /// `ManualBackground`.
  public convenience init(
    path: String, options: SedimentOptions = SedimentOptions(), disk: any Disk
  ) throws {
    try self.init(path: path, options: options, disk: disk, scheduler: WorkPool.shared)
  }

  /// Opens the store with its background work done by a scheduler of the caller's.
  package init(
    path: String, options: SedimentOptions, disk: any Disk, scheduler: any WorkScheduler
  ) throws {
    let opened = try StoreOpening(path: path, options: options, disk: disk).run()
    engine = Engine(opened, path: path, options: options, disk: disk, scheduler: scheduler)
    reader = engine.reader
    changes = engine.changes
    defaultState = opened.collections.defaultState
    engine.background.tell(.recovered(engine.report))
  }

  // The jobs of the background hold the components, so the end of these would be too late.
  deinit { try? engine.close() }

  /// The path of the file, as it was given when the store was opened.
  public var path: String { engine.path }

  /// What opening the store found and did.
  public var recovery: RecoveryReport { engine.report }

  /// Figures of the store at this moment.
  ///
  /// Making them takes the writer's lock for a moment. In a store that is only read, the figures of writing are zero.
  public var statistics: SedimentStatistics { engine.statistics() }

  /// The segments of the file, in its order, with what each of them holds; empty in a store that is only read.
  public var segments: [SedimentSegment] { engine.segments() }

  // MARK: Durability

  /// Returns once every change that was made before is on the disk, whatever durability it was made with.
  ///
  /// Threads that wait at the same time share a sync. Throws `outcomeUnknown` if the disk failed, so that changes
  /// which were not synced before may be lost, and `readOnly` in a store that was opened for reading.
  public func sync() throws {
    try engine.log.sync()
  }

  /// Syncs all changes and closes the file; closing again does nothing.
  ///
  /// Calls on other threads finish, or throw `closed`. The call waits for closures that read in place on other
  /// threads, and their bytes stay valid until they return; such a closure must not wait for the close. The store can
  /// be opened again once the call has returned.
  ///
  /// Called inside a closure that reads in place, it does not wait: all changes are on the disk when it returns, but
  /// the file is closed only when the closure returns, and until then opening it throws `locked`. If another thread
  /// closes the store already, the call waits for that one and throws the same error; only in the observer, and in a
  /// completion of `sync(completion:)`, it returns at once.
  ///
  /// If it throws, the file is closed all the same, in the state that a crash would leave: the next opening recovers
  /// what was synced.
  public func close() throws {
    try engine.close()
  }

  // MARK: Space

  /// Wins back the space of all values that were replaced, were removed or have expired, and gives it to the file
  /// system.
  ///
  /// A value that expired less than ten minutes ago keeps its space, because the clock may be wrong.
  /// The background compacts by itself as far as that pays, unless the options say otherwise. Others may read and
  /// write meanwhile. If the closure returns `stop`, the call throws `cancelled`, and the space won so far stays won.
  ///
  /// With `erasing`, the file holds no byte of a key or value when the call returns that was replaced or removed before
  /// it, or had expired by the wall clock, also if that was less than ten minutes ago; nor of dictionaries, and nothing of
  /// dropped collections. For this everything that lives is written anew, slots that were used are overwritten with zeros
  /// before they become free, and the call waits for closures and backups that read from them. Called inside a closure
  /// that reads in place it throws `invalidArgument`. If it throws or the process dies, the store is sound, and another
  /// call finishes. It reaches this file alone: not copies that the file system or the disk has made of its blocks
  /// (snapshots, clones, journals, worn cells of an SSD), not earlier backups, not the memory of processes.
  public func compact(
    erasing: Bool = false, progress: ((SedimentProgress) throws -> SedimentIteration)? = nil
  ) throws {
    if erasing {
      try engine.compactor.erase { try progress?($0) ?? .continue }
    } else {
      try engine.compactor.compact { try progress?($0) ?? .continue }
    }
  }

  // MARK: Collections

  /// The collection without a name, whose keys are those of the store outside of any named collection.
  @inlinable
  public var defaultCollection: SedimentCollection { SedimentCollection(self, defaultState) }

  /// The collection of a name, which is created if it is not there.
  ///
  /// Names have 1 to 255 bytes of UTF-8, none of them zero; others throw `invalidArgument`. Names are equal if their
  /// UTF-8 is. Creating a collection is a change, and throws the errors of one.
  public func collection(_ name: String) throws -> SedimentCollection {
    SedimentCollection(self, try engine.changes.collection(Array(name.utf8)))
  }

  /// The names of all named collections, also of those without keys, in the order of their UTF-8.
  public var collectionNames: [String] {
    // In a fork's child a lock that another thread had would stay taken.
    engine.lifetime.isForked
      ? [] : engine.reader.collections.names.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Removes a collection with all its keys at once, and returns whether there was one of that name.
  ///
  /// Every `SedimentCollection` of it throws `collectionDropped` from then on. Its space is won back later.
  @discardableResult
  public func dropCollection(
    _ name: String, durability: SedimentDurability? = nil
  ) throws -> Bool {
    try engine.changes.drop(Array(name.utf8), engine.changes.written(durability))
  }

  /// Removes all keys of all collections at once, by one small record.
  ///
  /// The collections stay, without keys.
  public func removeEverything(durability: SedimentDurability? = nil) throws {
    try engine.changes.clearEverything(engine.changes.written(durability))
  }

  // MARK: Batches

  /// Makes several changes, of one or more collections, all together or not at all.
  ///
  /// The closure collects the changes, which are made when it returns; if it throws, none is made. Of several changes
  /// of one key the last counts. Readers see all changes of the batch or none, also after a crash. Throws `tooLarge`
  /// for more than 1,048,576 changes or 256 MiB, to which values above 128 KiB do not count, and otherwise as
  /// `SedimentKeyspace` says.
  public func batch<Result>(
    durability: SedimentDurability? = nil, _ body: (inout SedimentBatch) throws -> Result
  ) throws -> Result {
    var batch = SedimentBatch(self)
    let result = try body(&batch)
    try batch.commit(durability: durability)
    return result
  }
}
