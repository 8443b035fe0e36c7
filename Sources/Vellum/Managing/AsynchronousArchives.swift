public import Foundation

/// The methods of an archive manager for tasks: they throw a `VellumError` when they fail, and hold no thread while
/// they wait.
///
/// Changes return once they are on the disk, and share the wait with those of other tasks. Queries give way to other
/// tasks now and then, and end when theirs is cancelled.
public struct AsynchronousArchives<Archive: Archivable> {
  let manager: ArchiveManager<Archive>
  private var core: ArchiveCore<Archive> { manager.core }

  /// Records an object, in place of an archive with its primary key.
  nonisolated(nonsending) public func record(_ object: Archive) async throws {
    try awaited { try manager.recordAll(object) }
    try await core.synced()
  }

  /// Makes changes that are waited for together.
  private func awaited(_ change: () throws -> Void) throws {
    try ArchiveShelf.$areAwaited.withValue(true, operation: change)
  }

  /// Records an object, in place of an archive with its primary key; the same as `record`.
  nonisolated(nonsending) public func update(_ object: Archive) async throws {
    try await record(object)
  }

  /// Records objects, one after the other, until one fails; one wait is for all.
  nonisolated(nonsending) public func insert(all objects: [Archive]) async throws {
    try awaited { try manager.throwing.insert(all: objects) }
    try await core.synced()
  }

  /// The archive of a key; nil if there is none.
  nonisolated(nonsending) public func access(archiveWithKey key: String) async throws -> Archive? {
    try core.access(key)
  }

  /// The first archives in the order in which their keys were first recorded, at most so many.
  nonisolated(nonsending) public func accessAll(limitedBy limit: Int) async throws -> [Archive] {
    try await process(queries: [QueryLimiter(limit: limit)])
  }

  /// All archives in the order in which their keys were first recorded.
  nonisolated(nonsending) public func accessAll() async throws -> [Archive] {
    try await process(queries: [])
  }

  /// What the steps of a query make of all archives, one step after the other.
  ///
  /// It fails with the first archive that cannot be read.
  nonisolated(nonsending) public func process(queries: [Query<Archive>]) async throws -> [Archive] {
    var run = try QueryRun(queries, of: core) { throw $0 }
    while try run.step() {
      try Task.checkCancellation()
      await Task.yield()
    }
    return run.finished()
  }

  /// Deletes the archive of a key, if there is one.
  nonisolated(nonsending) public func delete(archiveWithKey key: String) async throws {
    try awaited { try core.delete(key) }
    try await core.synced()
  }

  /// Deletes the archive with an object's primary key.
  nonisolated(nonsending) public func delete(_ object: Archive) async throws {
    try await delete(archiveWithKey: object.primaryKey)
  }

  /// Deletes the archives of keys, until one fails; one wait is for all.
  nonisolated(nonsending) public func delete(allKeys objectsKeys: [String]) async throws {
    try awaited { try manager.throwing.delete(allKeys: objectsKeys) }
    try await core.synced()
  }

  /// Deletes all archives.
  nonisolated(nonsending) public func deleteAll() async throws {
    try awaited { try core.deleteAll() }
    try await core.synced()
  }

  /// Deletes all archives that were last recorded or accessed longer ago than an interval in seconds.
  nonisolated(nonsending) public func deleteAllInvalidateArchives(
    invalidateTimeInterval: TimeInterval
  ) async throws {
    try awaited { try core.deleteAll(unusedFor: invalidateTimeInterval) }
    try await core.synced()
  }

  /// Returns once all that was recorded, deleted and accessed before is on the disk.
  nonisolated(nonsending) public func sync() async throws {
    try core.saveUses()
    try await core.synced()
  }
}

extension AsynchronousArchives: Sendable where Archive: Sendable {}

extension ArchiveManager {
  /// The same methods in a form for tasks.
  public var asynchronous: AsynchronousArchives<Archive> { AsynchronousArchives(manager: self) }
}
