public import Foundation

/// Who keeps archives of one type.
public protocol Archivist {
  /// The type of the archives.
  associatedtype Archive: Archivable

  /// How large the archives may become.
  var maxSize: DataSize { get }
  /// How large the archives are.
  var currentSize: DataSize { get }
  /// When the archive of a key was last recorded or accessed; nil if there is none.
  func latestAccessedTime(for key: String) -> Date?
  /// Deletes all archives that were last recorded or accessed longer ago than an interval in seconds.
  func deleteAllInvalidateArchives(invalidateTimeInterval: TimeInterval)
  /// Records an object, in place of an archive with its primary key.
  func record(_ object: Archive)
  /// Records an object, in place of an archive with its primary key; unless the type says how, the archive is deleted
  /// before.
  func update(_ object: Archive)
  /// The archive of a key; nil if there is none.
  func access(archiveWithKey key: String) -> Archive?
  /// The first archives in the order in which their keys were first recorded, at most so many.
  func accessAll(limitedBy limit: Int) -> [Archive]
  /// All archives in the order in which their keys were first recorded.
  func accessAll() -> [Archive]
  /// Deletes the archive of a key, if there is one.
  func delete(archiveWithKey key: String)
  /// Deletes all archives.
  func deleteAll()
  /// What the steps of a query make of all archives, one step after the other.
  func process(queries: [Query<Archive>]) -> [Archive]
}

extension Archivist {
  /// A query of the archives that meet some conditions.
  public func findWhere(_ finder: (QueryFinder<Archive>) -> QueryFinder<Archive>) -> QueryBuilder<Self> {
    QueryBuilder(self).findWhere(finder)
  }

  /// A query of the archives in an order.
  public func sorted(_ sorter: (QuerySorter<Archive>) -> QuerySorter<Archive>) -> QueryBuilder<Self> {
    QueryBuilder(self).sorted(sorter)
  }
}

extension Archivist {
  /// When the archive with an object's primary key was last recorded or accessed; nil if there is none.
  public func latestAccessedTime(for object: Archive) -> Date? {
    latestAccessedTime(for: object.primaryKey)
  }

  /// Records objects, one after the other.
  public func insert(all objects: [Archive]) {
    for object in objects { record(object) }
  }

  /// Deletes the archive with an object's primary key, then records the object.
  public func update(_ object: Archive) {
    delete(archiveWithKey: object.primaryKey)
    record(object)
  }

  /// Records objects, one after the other.
  public func insert(_ objects: Archive...) {
    insert(all: objects)
  }

  /// Deletes the archive with an object's primary key.
  public func delete(_ object: Archive) {
    delete(archiveWithKey: object.primaryKey)
  }

  /// Deletes the archives with the primary keys of objects.
  public func delete(all objects: [Archive]) {
    for object in objects { delete(archiveWithKey: object.primaryKey) }
  }

  /// Deletes the archives with the primary keys of objects.
  public func delete(_ objects: Archive...) {
    delete(all: objects)
  }

  /// Deletes the archives of keys.
  public func delete(keys: String...) {
    delete(allKeys: keys)
  }

  /// Deletes the archives of keys.
  public func delete(allKeys objectsKeys: [String]) {
    for key in objectsKeys { delete(archiveWithKey: key) }
  }
}
