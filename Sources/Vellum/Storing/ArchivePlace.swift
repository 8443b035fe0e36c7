internal import Foundation
package import Sediment
internal import Shallows
internal import Synchronization

/// A store that archives lie in, with the cores of the types that are in use: one for each file in a process.
package final class ArchivePlace: Sendable {
  let store: SedimentStore
  let scheduler: any WorkScheduler
  let clock: ArchiveClock

  private let cores = Mutex<[String: WeakCore]>([:])

  /// What is known of a core that somebody may still have.
  private struct WeakCore: Sendable {
    let type: Any.Type
    weak let owner: CoreOwner?
  }

  /// Of a file that is closed when nobody uses it any more.
  private let shared: SharedStore?
  package convenience init(_ store: SedimentStore, scheduler: any WorkScheduler, clock: ArchiveClock = .wall)
  {
    self.init(store, keeping: nil, scheduler: scheduler, clock: clock)
  }

  private init(
    _ store: SedimentStore, keeping shared: SharedStore?, scheduler: any WorkScheduler = WorkPool.shared,
    clock: ArchiveClock = .wall
  ) {
    self.store = store
    self.shared = shared
    self.scheduler = scheduler
    self.clock = clock
  }

  var notes: ArchiveNotes { ArchiveNotes(store: store) }

  /// The core of a type's archives, which is made with these sizes and copies of objects unless something else is asked
  /// for, if nobody has it; and its owner.
  func core<Archive>(
    for type: Archive.Type, _ sizes: ArchiveSizes, identity: ArchiveIdentity?, observer: FailureObserver
  ) throws -> (core: ArchiveCore<Archive>, owner: CoreOwner) {
    try cores.withLock { cores in
      let name = try name(of: type, cores)
      if let owner = cores[name]?.owner, let core = owner.core as? ArchiveCore<Archive> {
        if let identity, type is AnyClass, core.sharesInstances != (identity == .shared) {
          throw VellumError.otherIdentity(name, isShared: core.sharesInstances)
        }
        return (core, owner)
      }
      let core = try ArchiveCore<Archive>(
        name, sizes, identity: identity ?? .copied, in: self, observer: observer)
      let owner = CoreOwner(core)
      cores[name] = WeakCore(type: type, owner: owner)
      return (core, owner)
    }
  }

  /// Does something with the disk part of a name's archives; of one that nobody uses, whatever size it has.
  ///
  /// Others who look for archives wait until the closure returns.
  func withShelf<Result>(
    named choose: () throws -> ImportName, observer: FailureObserver, _ body: (ArchiveShelf) throws -> Result
  ) throws -> Result {
    try cores.withLock { cores in
      let name = try choose()
      // Before the archives have a place: a type must not find it without the note.
      if name.isUnclaimed { try unclaim(name.text) }
      let shelf =
        try cores[name.text]?.owner?.core.shelf
        ?? ArchiveShelf(name.text, .unbounded, in: self, observer: observer)
      return try body(shelf)
    }
  }

  /// Whether no other type that is in use has a name.
  private func isFree(_ name: String, for type: Any.Type, _ cores: [String: WeakCore]) -> Bool {
    cores[name].map { $0.type == type } ?? true
  }

  /// What the archives of a type are called in the file: its `archiveName`, or where another type of the program had
  /// that first, in this run or in an earlier one, a name of its own behind it; or else the name under which an import
  /// has left them.
  private func name<Archive: Archivable>(
    of type: Archive.Type, _ cores: [String: WeakCore]
  ) throws -> String {
    let archiveName = type.archiveName
    let ownName = archiveName + ":" + typeCode(type)
    let imported = try claimedImport(for: type) { isFree($0, for: type, cores) }
    if let imported { return imported }
    if isFree(archiveName, for: type, cores), try claim(archiveName), !has(ownName) { return archiveName }
    guard isFree(ownName, for: type, cores) else {
      throw VellumError.nameTaken(archiveName, by: cores[ownName]?.type ?? type)
    }
    return ownName
  }

  /// Those whose archives are in use; none if others are looking for archives until a moment.
  func shelvesInUse(until patience: Date) -> [ArchiveShelf] {
    cores.withLock(until: patience) { $0.values.compactMap { $0.owner?.core.shelf } } ?? []
  }
}

extension ArchivePlace {
  /// The places in use, by the identities of their stores.
  private static let places = Mutex<[ObjectIdentifier: WeakPlace]>([:])

  private struct WeakPlace: Sendable {
    weak let place: ArchivePlace?
  }

  /// Those of all places in use.
  static func shelvesInUse(until patience: Date) -> [ArchiveShelf] {
    let places = places.withLock(until: patience) { $0.values.compactMap(\.place) } ?? []
    return places.flatMap { $0.shelvesInUse(until: patience) }
  }

  /// The place of a file, whose store this process opens only once.
  ///
  /// If another process has the file, that is waited for until a moment.
  static func at(_ file: URL, options: SedimentOptions, until patience: Date) throws -> ArchivePlace {
    guard file.isFileURL else { throw VellumError.notAFile(file) }
    while true {
      do {
        let shared = try SharedStore.open(file, options)
        return of(shared.store, keeping: shared)
      } catch let error as SedimentError where error.code == .locked && Date() < patience {
        Thread.sleep(forTimeInterval: 0.01)
      } catch {
        throw VellumError.location(file.path, error)
      }
    }
  }

  /// The place of a store of the caller's.
  static func of(_ store: SedimentStore) -> ArchivePlace {
    of(store, keeping: nil)
  }

  private static func of(_ store: SedimentStore, keeping shared: SharedStore?) -> ArchivePlace {
    savesAtExit
    return places.withLock { places in
      // The store of a place that is there is there, too, so that no other has its identity.
      if let place = places[ObjectIdentifier(store)]?.place { return place }
      let place = ArchivePlace(store, keeping: shared)
      places = places.filter { $0.value.place != nil }
      places[ObjectIdentifier(store)] = WeakPlace(place: place)
      return place
    }
  }
}

extension Mutex {
  /// Does something with what it guards; nil if others have it until a moment.
  ///
  /// Unlike waiting for the mutex, this comes to an end on a thread that has it itself.
  fileprivate borrowing func withLock<Result>(
    until patience: Date, _ body: (inout sending Value) -> sending Result
  ) -> sending Result? {
    while true {
      if let result = withLockIfAvailable(body) { return result }
      if Date() >= patience { return nil }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }
}
