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

  /// The core of a type's archives, which is made with these sizes if nobody has it, and its owner.
  func core<Archive>(
    for type: Archive.Type, maxMemorySize: DataSize, maxDiskSize: DataSize, observer: FailureObserver
  ) throws -> (core: ArchiveCore<Archive>, owner: CoreOwner) {
    let name = type.archiveName
    return try cores.withLock { cores in
      if let known = cores[name], let owner = known.owner {
        if let core = owner.core as? ArchiveCore<Archive> { return (core, owner) }
        throw VellumError.nameTaken(name, by: known.type)
      }
      let core = try ArchiveCore<Archive>(
        name, maxMemorySize: maxMemorySize, maxDiskSize: maxDiskSize, in: self, observer: observer)
      let owner = CoreOwner(core)
      cores[name] = WeakCore(type: type, owner: owner)
      return (core, owner)
    }
  }
}

extension ArchivePlace {
  /// The places in use, by the identities of their stores.
  private static let places = Mutex<[ObjectIdentifier: WeakPlace]>([:])

  private struct WeakPlace: Sendable {
    weak let place: ArchivePlace?
  }

  /// The place of a file, whose store this process opens only once.
  static func at(_ file: URL, options: SedimentOptions) throws -> ArchivePlace {
    guard file.isFileURL else { throw VellumError.notAFile(file) }
    do {
      let shared = try SharedStore.open(file, options)
      return of(shared.store, keeping: shared)
    } catch {
      throw VellumError.location(file.path, error)
    }
  }

  /// The place of a store of the caller's.
  static func of(_ store: SedimentStore) -> ArchivePlace {
    of(store, keeping: nil)
  }

  private static func of(_ store: SedimentStore, keeping shared: SharedStore?) -> ArchivePlace {
    places.withLock { places in
      // The store of a place that is there is there, too, so that no other has its identity.
      if let place = places[ObjectIdentifier(store)]?.place { return place }
      let place = ArchivePlace(store, keeping: shared)
      places = places.filter { $0.value.place != nil }
      places[ObjectIdentifier(store)] = WeakPlace(place: place)
      return place
    }
  }
}
