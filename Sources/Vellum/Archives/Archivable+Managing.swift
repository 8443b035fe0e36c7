internal import Foundation

extension Archivable {
  /// Records the object with the shared factory's archives of its type.
  ///
  /// What fails is told to the factory's observer.
  public func updateArchive() {
    let factory = ArchivesFactory.shared
    factory.reporting(Self.archiveName, .recording) {
      try factory.archives(inPassingFor: Self.self).throwing.update(self)
    }
  }

  /// What the shared factory's archives of its type have under its primary key.
  ///
  /// What fails is told to the factory's observer.
  public func archivedVersion() -> Self? {
    let factory = ArchivesFactory.shared
    return factory.reporting(Self.archiveName, .accessing) {
      try factory.archives(inPassingFor: Self.self).throwing.access(archiveWithKey: primaryKey)
    } ?? nil
  }

  /// A copy that shares nothing with it: of a struct or enumeration it itself, of an `NSCopying` object what that
  /// copies, of another object what its data decodes to; and it itself if none of that can be had.
  public func tryCopy() -> Self {
    guard Self.self is AnyClass else { return self }
    if let object = self as? any NSCopying, let copy = object.copy(with: nil) as? Self { return copy }
    return (try? Self.decode(archive: archiveData()) as? Self) ?? self
  }
}
