internal import Foundation

/// A property that is an archive of the shared factory: what is assigned is recorded, and nil deletes it.
///
///     @Archived var user: User?
///     @Archived(initialPrimaryKey: "ada") var author: User?  // is looked for at its first use
///
/// It may be used from any thread, if the archive may be. What fails is told to the factory's observer.
@propertyWrapper
public class Archived<Archive> where Archive: Archivable {
  /// Recursive, because what is assigned or goes away may use the property.
  private let lock = NSRecursiveLock()
  private var value: Archive?
  /// The key to be looked for at the first use.
  private var initialKey: String?

  /// A property with a value, which is recorded.
  public init(wrappedValue: Archive?) {
    value = wrappedValue
    if let wrappedValue { wrappedValue.updateArchive() }
  }

  /// A property whose value is the archive of a key, if there is one at its first use.
  public init(initialPrimaryKey key: String) {
    initialKey = key
  }

  /// The archive; assigning one records it, assigning nil deletes the one that was there.
  public var wrappedValue: Archive? {
    get {
      lock.withLock {
        load()
        return value
      }
    }
    set {
      lock.withLock {
        if let newValue {
          newValue.updateArchive()
        } else if let key = initialKey ?? value?.primaryKey {
          delete(key)
        }
        initialKey = nil
        value = newValue
      }
    }
  }

  private func load() {
    guard let key = initialKey else { return }
    initialKey = nil
    let factory = ArchivesFactory.shared
    value =
      factory.reporting(Archive.archiveName, .accessing) {
        try factory.archives(inPassingFor: Archive.self).throwing.access(archiveWithKey: key)
      } ?? nil
  }

  private func delete(_ key: String) {
    let factory = ArchivesFactory.shared
    factory.reporting(Archive.archiveName, .deleting) {
      try factory.archives(inPassingFor: Archive.self).throwing.delete(archiveWithKey: key)
    }
  }
}

// Sendable: the lock guards the variables.
extension Archived: @unchecked Sendable where Archive: Sendable {}
