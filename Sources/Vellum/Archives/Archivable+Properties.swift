extension Archivable {
  /// Records its archivable properties as archives of their own, as its type's `archivePropertyBehavior` says.
  ///
  /// What fails is told to the observer of the shared factory.
  public func archiveArchivablePropertiesIfNeeded() {
    archiveProperties(Self.archivePropertyBehavior, in: .shared)
  }

  /// Records its archivable properties as archives of their own: as its type's `archivePropertyBehavior` says, and in
  /// place of what is there if that says to ignore them.
  ///
  /// What fails is told to the observer of the shared factory.
  public func archiveArchivableProperties() {
    let behavior = Self.archivePropertyBehavior
    archiveProperties(behavior == .ignore ? .replaceExisting : behavior, in: .shared)
  }

  func archiveProperties(_ behavior: ArchivePropertyBehavior, in factory: ArchivesFactory) {
    guard behavior != .ignore else { return }
    PropertyVisit.visiting(self) {
      for property in archivableProperties(of: self) { property.archive(behavior, in: factory) }
    }
  }

  private func archive(_ behavior: ArchivePropertyBehavior, in factory: ArchivesFactory) {
    factory.reporting(Self.archiveName, .recording) {
      let archives = try factory.archives(for: Self.self)
      try archives.core.record(self, onlyIfAbsent: behavior == .insertIfNotPresent)
    }
  }
}

/// The stored properties of an object, inherited ones too, that are archivable, or optional, arrays or dictionaries
/// of what is.
private func archivableProperties(of object: Any) -> [any Archivable] {
  var found: [any Archivable] = []
  var mirror: Mirror? = Mirror(reflecting: object)
  while let level = mirror {
    for child in level.children { found += archivableParts(of: child.value) }
    mirror = level.superclassMirror
  }
  return found
}

private func archivableParts(of value: Any) -> [any Archivable] {
  if let archive = value as? any Archivable { return [archive] }
  if let archives = value as? [any Archivable] { return archives }
  if let archives = value as? [AnyHashable: any Archivable] { return Array(archives.values) }
  return []
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
