public import SedimentDisk

/// A store of keys and values in one file.
///
/// It may be used from any thread. Reading takes no lock and waits for nobody; changes are made one after the other.
/// One process at a time can have a file open for writing, or any number for reading. A store that is dropped without
/// `close` is closed then; what that reports is lost. Collections keep it open.
public final class SedimentStore: SedimentKeyspace, @unchecked Sendable {
  /// Opens the store at a path, and creates it unless the options say that it must be there.
  ///
  /// After a crash it recovers what was there: a prefix of the history that lacks nothing which was synced. A file
  /// that is damaged, of another kind or of a newer version is left as it is.
  ///
  /// Throws `notFound`, `locked`, `accessDenied`, `foreign`, `newer`, `damaged`, `outOfSpace` or `inputOutput`, and
  /// `invalidArgument` for options that nobody can have. Missing directories of the path are made with the file.
  public convenience init(path: String, options: SedimentOptions = SedimentOptions()) throws {
    try self.init(path: path, options: options, disk: SystemDisk(), scheduler: WorkPool.shared)
  }

  /// Opens the store on a disk of the caller's, such as the simulated one of `SedimentTesting`.
  ///
  /// Background work is done by threads of the process; for tests that are to run the same each time, see
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
    let engine = Engine(opened, path: path, options: options, disk: disk, scheduler: scheduler)
    super.init(EngineOwner(engine), engine.defaultState)
    engine.tell(.recovered(engine.report))
  }

  /// Where the store's file is, as it was named when it was opened.
  public var path: String { engine.path }

  /// What recovery found and did when the store was opened.
  public var recovery: RecoveryReport { engine.report }

  /// Figures of the store at this moment.
  ///
  /// Asking for them takes the writer's lock for a moment. In a store that is only read, what writing counts is zero.
  public var statistics: SedimentStatistics { engine.statistics() }

  /// The segments of the file in their order, with what each of them holds; none of a store that is only read.
  public var segments: [SedimentSegment] { engine.segments() }

  // MARK: Durability

  /// Returns once every change that was made before is on the disk, whatever durability it was made with.
  ///
  /// Threads that wait at the same time share a sync. Throws `readOnly` in a store that is only read, `closed`, and
  /// `outcomeUnknown` if the disk failed: what was not synced before may be lost then.
  public func sync() throws {
    try engine.sync()
  }

  /// Makes everything durable and lets go of the file; closing again does nothing.
  ///
  /// Calls on other threads finish or fail with `closed`. It waits for closures that read in place on other threads,
  /// and their bytes stay as they are until they end: so such a closure must not wait for a close of its store. Once
  /// it has returned, the store can be opened again.
  ///
  /// Inside a reading closure it does not wait: everything is durable when it returns, and the file is let go of when
  /// the closure ends; opening it before that fails with `locked`. A call beside another one waits for that and
  /// throws what it throws, unless it is made by the observer or by what waited for a sync.
  ///
  /// If it throws, the file was let go of all the same, and is as a crash would leave it: the next opening recovers
  /// what was synced.
  public func close() throws {
    try engine.close()
  }

  /// Says the whole catalogue in the log and lets the next recovery begin there, as the background does when it is due.
  package func checkpoint() throws {
    try engine.checkpoint()
  }

  /// Stores the index in the file, as the background does when it is due; false if that cannot be done now.
  @discardableResult
  package func storeIndex() throws -> Bool {
    try engine.checkReadable()
    return engine.storeIndex { [conditions = engine.conditions] in !conditions.isClosed }
  }

  /// Gives a collection, or the store's own keys with nil, a dictionary that nobody has trained.
  package func addDictionary(_ bytes: [UInt8], toCollection name: String?) throws {
    let keys = try name.map { try collection($0) } ?? self
    guard let level = engine.compressionLevel else { return }
    try engine.addDictionary(bytes, for: keys.state, level: level)
  }

  /// The number of the last change, or 0 in a store that is only read.
  package var lastSequence: UInt64 { engine.lastSequence }

  // MARK: Space

  /// Wins back all space of values that were replaced, removed or have expired for good, and gives it to the file
  /// system.
  ///
  /// The background does as much as pays by itself, unless the options say otherwise. Others may read and write
  /// meanwhile. What was done stays done when it is stopped.
  public func compact(
    progress: ((SedimentProgress) throws -> SedimentIteration)? = nil
  ) throws {
    try engine.compact { try progress?($0) ?? .continue }
  }

  // MARK: Collections

  /// The collection of that name, which is created if it is not there; its keys are its own.
  ///
  /// Names are compared by their UTF-8 and have 1 to 255 bytes, none of them zero; others throw `invalidArgument`. A
  /// collection that has to be created is a change, and throws as one.
  public func collection(_ name: String) throws -> SedimentCollection {
    SedimentCollection(sharedOwner, try engine.collection(Array(name.utf8)), name: name)
  }

  /// The names of all collections, in the order of their UTF-8, empty ones included.
  public var collectionNames: [String] {
    // In a fork's child a lock that another thread had would stay taken.
    engine.isForked ? [] : engine.collections.names.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Removes a collection with all its keys at once; false if there is none of that name.
  ///
  /// Handles of it fail with `collectionDropped` from then on. Its space is used again by and by.
  @discardableResult
  public func dropCollection(
    _ name: String, durability: SedimentDurability? = nil
  ) throws -> Bool {
    try engine.drop(Array(name.utf8), durability ?? engine.options.durability)
  }

  /// Removes all keys of the store and of its collections at once, by one small record; the collections stay.
  public func removeEverything(durability: SedimentDurability? = nil) throws {
    try engine.clearEverything(durability ?? engine.options.durability)
  }

  // MARK: Batches

  /// Makes several changes, of one or more collections, all together or not at all.
  ///
  /// The changes are collected by the closure and made when it returns; if it throws, none is made. Of several changes
  /// of a key the last one holds. Readers see all of the batch or nothing, and so does who opens the store after a
  /// crash. Throws `tooLarge` for more than 1,048,576 changes or 256 MiB, and for what `SedimentKeyspace` says.
  public func batch<Result>(
    durability: SedimentDurability? = nil, _ body: (inout SedimentBatch) throws -> Result
  ) throws -> Result {
    var batch = SedimentBatch(engine)
    let result = try body(&batch)
    try engine.commit(batch.members, durability ?? engine.options.durability)
    return result
  }
}
