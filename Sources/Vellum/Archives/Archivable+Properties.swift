internal import Synchronization

extension Archivable {
  /// Records its archivable properties as archives of their own, as its type's `archivePropertyBehavior` says.
  ///
  /// What fails is told to the observer of the shared factory.
  public func archiveArchivablePropertiesIfNeeded() {
    archiveProperties(in: .shared)
  }

  /// Records its archivable properties as archives of their own, as its type's `archivePropertyBehavior` says; the same
  /// as `archiveArchivablePropertiesIfNeeded()`.
  ///
  /// What fails is told to the observer of the shared factory.
  public func archiveArchivableProperties() {
    archiveProperties(in: .shared)
  }

  func archiveProperties(in factory: ArchivesFactory) {
    PropertyVisit.visiting(self) { archivePropertiesOfVisited(in: factory) }
  }

  private func archivePropertiesOfVisited(in factory: ArchivesFactory) {
    let behavior = Self.archivePropertyBehavior
    guard behavior != .ignore else { return }
    for property in archivableProperties(of: self) { property.archive(behavior, in: factory) }
  }

  /// Records it as the property of another object, its own properties before it.
  private func archive(_ behavior: ArchivePropertyBehavior, in factory: ArchivesFactory) {
    PropertyVisit.visiting(self) {
      factory.reporting(Self.archiveName, .recording) {
        let core = try factory.archives(inPassingFor: Self.self).core
        let onlyIfAbsent = behavior == .insertIfNotPresent
        if onlyIfAbsent, core.useIfPresent(primaryKey) { return }
        try core.record(self, onlyIfAbsent: onlyIfAbsent) { archivePropertiesOfVisited(in: factory) }
      }
    }
  }
}

/// The stored properties of an object, inherited ones too, that are archivable or optional of what is.
private func archivableProperties(of object: Any) -> [any Archivable] {
  var found: [any Archivable] = []
  var mirror: Mirror? = Mirror(reflecting: object)
  while let level = mirror {
    found += level.children.compactMap { $0.value as? any Archivable }
    mirror = level.superclassMirror
  }
  return found
}

/// The objects that are recorded with one, so that each is once, and those which lead to each other end somewhere.
private final class PropertyVisit: Sendable {
  private struct Object: Hashable {
    let type: ObjectIdentifier
    let key: String
  }

  @TaskLocal private static var current: PropertyVisit?

  private let visited = Mutex<Set<Object>>([])

  /// Calls a closure unless the object was visited before.
  static func visiting(_ object: some Archivable, _ body: () -> Void) {
    let visit = current ?? PropertyVisit()
    let object = Object(type: ObjectIdentifier(type(of: object)), key: object.primaryKey)
    guard visit.visited.withLock({ $0.insert(object).inserted }) else { return }
    if current == nil { $current.withValue(visit, operation: body) } else { body() }
  }
}
