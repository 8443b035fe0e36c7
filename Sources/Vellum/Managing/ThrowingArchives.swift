public import Foundation

/// The methods of an archive manager, but that each throws when it fails, a `VellumError`.
public struct ThrowingArchives<Archive: Archivable> {
  let manager: ArchiveManager<Archive>
  private var core: ArchiveCore<Archive> { manager.core }

  /// Records an object, in place of an archive with its primary key.
  ///
  /// If it throws, what was there is still there.
  public func record(_ object: Archive) throws {
    try manager.recordAll(object)
  }

  /// Records an object, in place of an archive with its primary key; the same as `record`.
  public func update(_ object: Archive) throws {
    try record(object)
  }

  /// Records objects, one after the other, until one fails.
  public func insert(all objects: [Archive]) throws {
    for object in objects { try record(object) }
  }

  /// Records objects, one after the other, until one fails.
  public func insert(_ objects: Archive...) throws {
    try insert(all: objects)
  }

  /// The archive of a key; nil if there is none.
  public func access(archiveWithKey key: String) throws -> Archive? {
    try core.access(key)
  }

  /// The first archives in the order in which their keys were first recorded, at most so many.
  public func accessAll(limitedBy limit: Int) throws -> [Archive] {
    try process(queries: [QueryLimiter(limit: limit)])
  }

  /// All archives in the order in which their keys were first recorded.
  public func accessAll() throws -> [Archive] {
    try process(queries: [])
  }

  /// What the steps of a query make of all archives, one step after the other.
  ///
  /// It fails with the first archive that cannot be read.
  public func process(queries: [Query<Archive>]) throws -> [Archive] {
    var run = try QueryRun(queries, of: core) { throw $0 }
    while try run.step() {}
    return run.finished()
  }

  /// Deletes the archive of a key, if there is one.
  public func delete(archiveWithKey key: String) throws {
    try core.delete(key)
  }

  /// Deletes the archive with an object's primary key.
  public func delete(_ object: Archive) throws {
    try delete(archiveWithKey: object.primaryKey)
  }

  /// Deletes the archives with the primary keys of objects, until one fails.
  public func delete(all objects: [Archive]) throws {
    for object in objects { try delete(object) }
  }

  /// Deletes the archives with the primary keys of objects, until one fails.
  public func delete(_ objects: Archive...) throws {
    try delete(all: objects)
  }

  /// Deletes the archives of keys, until one fails.
  public func delete(keys: String...) throws {
    try delete(allKeys: keys)
  }

  /// Deletes the archives of keys, until one fails.
  public func delete(allKeys objectsKeys: [String]) throws {
    for key in objectsKeys { try delete(archiveWithKey: key) }
  }

  /// Deletes all archives.
  public func deleteAll() throws {
    try core.deleteAll()
  }

  /// Deletes all archives that were last recorded or accessed longer ago than an interval in seconds.
  public func deleteAllInvalidateArchives(invalidateTimeInterval: TimeInterval) throws {
    try core.deleteAll(unusedFor: invalidateTimeInterval)
  }

  /// Returns once all that was recorded, deleted and accessed before is on the disk.
  public func sync() throws {
    try core.sync()
  }
}

extension ThrowingArchives: Sendable where Archive: Sendable {}

extension ArchiveManager {
  /// The same methods in a form that throws.
  public var throwing: ThrowingArchives<Archive> { ThrowingArchives(manager: self) }
}
