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
    let behavior = Self.archivePropertyBehavior
    guard behavior != .ignore else { return }
    PropertyVisit.visiting(self) {
      for property in archivableProperties(of: self) { property.archive(behavior, in: factory) }
    }
  }

  /// Records it as the property of another object, its own properties before it.
  private func archive(_ behavior: ArchivePropertyBehavior, in factory: ArchivesFactory) {
    factory.reporting(Self.archiveName, .recording) {
      let core = try factory.archives(for: Self.self).core
      let onlyIfAbsent = behavior == .insertIfNotPresent
      if onlyIfAbsent, core.useIfPresent(primaryKey) { return }
      archiveProperties(in: factory)
      try core.record(self, onlyIfAbsent: onlyIfAbsent)
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

/// The objects whose properties are being recorded, so that objects which lead to each other end somewhere.
private struct PropertyVisit: Hashable, Sendable {
  @TaskLocal private static var current: Set<PropertyVisit> = []

  let type: ObjectIdentifier
  let key: String

  static func visiting(_ object: some Archivable, _ body: () -> Void) {
    let visit = PropertyVisit(type: ObjectIdentifier(Swift.type(of: object)), key: object.primaryKey)
    guard !current.contains(visit) else { return }
    $current.withValue(current.union([visit]), operation: body)
  }
}
