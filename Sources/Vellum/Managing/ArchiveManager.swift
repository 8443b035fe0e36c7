public import Foundation

/// The archives of one type, in a memory part and a disk part, each with a size that it never exceeds.
///
/// What was used least recently, of either part, makes room for what is new. An archive that fits into one part alone
/// is in that. Recording and accessing are uses; queries, `accessAll` and what asks for times are none. Archives come
/// in the order in which their keys were first recorded.
///
/// It may be used from any thread, if the archives may be. Objects of classes are copied through their data, so nobody
/// shares one by accessing it, unless ``ArchiveIdentity/shared`` is asked for. The methods here do not throw: what fails is told to the observer of the factory. The
/// same ones that throw are those of ``throwing``, and ``asynchronous`` has some that wait for the disk.
///
/// All managers of a type in one file share its archives and their sizes.
public final class ArchiveManager<Archive: Archivable>: Archivist {
  let core: ArchiveCore<Archive>
  private let owner: CoreOwner
  private let observer: FailureObserver
  private weak let factory: ArchivesFactory?
  /// Makes what stands for the factory once that is gone.
  private let successor: () -> ArchivesFactory

  /// A manager in the file of the shared factory; the sizes count if nobody has a manager of this type yet.
  public convenience init(maxMemorySize: DataSize, maxDiskSize: DataSize) throws {
    try self.init(maxMemorySize: maxMemorySize, maxDiskSize: maxDiskSize, in: .shared)
  }

  /// A manager in the file of a factory; the sizes count if nobody has a manager of this type in it yet.
  ///
  /// It fails if an identity is given and others have managers of this type with another one.
  public convenience init(
    maxMemorySize: DataSize, maxDiskSize: DataSize, identity: ArchiveIdentity? = nil,
    in factory: ArchivesFactory
  ) throws {
    let defaults = factory.defaults
    try self.init(
      ArchiveSizes(memory: maxMemorySize, disk: maxDiskSize, defaults: defaults), identity: identity,
      in: factory)
  }

  init(_ sizes: ArchiveSizes, identity: ArchiveIdentity? = nil, in factory: ArchivesFactory) throws {
    self.factory = factory
    observer = factory.failures
    let place = try factory.place()
    let defaults = factory.defaults
    successor = { [observer] in ArchivesFactory(place, failures: observer, defaults: defaults) }
    (core, owner) = try place.core(for: Archive.self, sizes, identity: identity, observer: observer)
    try core.settle(sizes)
    let damage = core.withLock {
      defer { core.shelf.damage = nil }
      return core.shelf.damage
    }
    if let damage {
      observer.tell(
        VellumFailure(archiveName: core.name, operation: .opening, error: .store(core.name, damage)))
    }
  }

  // MARK: Figures

  /// The size that both parts together may have.
  public var maxSize: DataSize { core.maxSize }

  /// The size of the archives in both parts together; one that is in both counts twice.
  public var currentSize: DataSize { currentMemorySize + currentDiskSize }

  /// The size of the archives in memory.
  public var currentMemorySize: DataSize { .bytes(core.byteCounts.memory) }

  /// The size of the archives on the disk, without what the file takes beside them.
  public var currentDiskSize: DataSize { .bytes(core.byteCounts.disk) }

  /// When the archive of a key was last recorded or accessed, to the millisecond; nil if there is none.
  ///
  /// That is in the file about a second later, so it is still known when the program runs again.
  public func latestAccessedTime(for key: String) -> Date? {
    core.latestUse(key)
  }

  // MARK: Archives

  /// Records an object, in place of an archive with its primary key.
  ///
  /// What was used least recently makes room. When it returns, the archive survives the death of the process; a power
  /// failure, once the store has synced. An object larger than both parts is refused, and what was there stays.
  public func record(_ object: Archive) {
    report(.recording) { try throwing.record(object) }
  }

  /// Records an object, in place of an archive with its primary key; the same as `record`.
  public func update(_ object: Archive) {
    record(object)
  }

  /// The archive of a key; nil if there is none, or it could not be read.
  ///
  /// That counts as a use of it. It comes from memory if it is there, else from the disk, and then goes to memory, too.
  public func access(archiveWithKey key: String) -> Archive? {
    report(.accessing) { try throwing.access(archiveWithKey: key) } ?? nil
  }

  /// The first archives in the order in which their keys were first recorded, at most so many; those that cannot be
  /// read are left out.
  public func accessAll(limitedBy limit: Int) -> [Archive] {
    process(queries: [QueryLimiter(limit: limit)])
  }

  /// All archives in the order in which their keys were first recorded; those that cannot be read are left out.
  public func accessAll() -> [Archive] {
    process(queries: [])
  }

  /// What the steps of a query make of all archives, one step after the other; those that cannot be read are left out.
  public func process(queries: [Query<Archive>]) -> [Archive] {
    report(.querying) {
      var run = try QueryRun(queries, of: core) { [observer, core] error in
        observer.reporting(core.name, .querying) { throw error }
      }
      while try run.step() {}
      return run.finished()
    } ?? []
  }

  // MARK: Deleting

  /// Deletes the archive of a key, if there is one.
  public func delete(archiveWithKey key: String) {
    report(.deleting) { try throwing.delete(archiveWithKey: key) }
  }

  /// Deletes all archives.
  public func deleteAll() {
    report(.deleting) { try throwing.deleteAll() }
  }

  /// Deletes all archives that were last recorded or accessed longer ago than an interval in seconds.
  public func deleteAllInvalidateArchives(invalidateTimeInterval: TimeInterval) {
    report(.deleting) {
      try throwing.deleteAllInvalidateArchives(invalidateTimeInterval: invalidateTimeInterval)
    }
  }

  @discardableResult
  private func report<Result>(
    _ operation: VellumFailure.Operation, _ body: () throws -> Result
  ) -> Result? {
    observer.reporting(core.name, operation, body)
  }

  // MARK: Properties

  /// Records the archivable properties of an object, if its type wants that, and then the object, which fails before if
  /// it cannot be recorded.
  func recordAll(_ object: Archive) throws {
    try core.record(object) { object.archiveProperties(in: factory ?? successor()) }
  }
}

// The core may be used from any thread, and hands archives from one to another only as values that are Sendable then.
extension ArchiveManager: @unchecked Sendable where Archive: Sendable {}
