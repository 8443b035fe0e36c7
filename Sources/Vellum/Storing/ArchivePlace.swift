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
  /// Whether all of it is gone with the process.
  let isOfThisRun: Bool

  package convenience init(_ store: SedimentStore, scheduler: any WorkScheduler, clock: ArchiveClock = .wall)
  {
    self.init(store, keeping: nil, scheduler: scheduler, clock: clock)
  }

  private init(
    _ store: SedimentStore, keeping shared: SharedStore?, scheduler: any WorkScheduler = WorkPool.shared,
    clock: ArchiveClock = .wall, isOfThisRun: Bool = false
  ) {
    self.store = store
    self.shared = shared
    self.isOfThisRun = isOfThisRun
    self.scheduler = scheduler
    self.clock = clock
  }

  /// The core of a type's archives, which is made with these sizes and copies of objects unless something else is asked
  /// for, if nobody has it; and its owner.
  func core<Archive>(
    for type: Archive.Type, maxMemorySize: DataSize, maxDiskSize: DataSize, identity: ArchiveIdentity?,
    observer: FailureObserver
  ) throws -> (core: ArchiveCore<Archive>, owner: CoreOwner) {
    let archiveName = type.archiveName
    return try cores.withLock { cores in
      let name = try name(of: type, archiveName, cores)
      if let owner = cores[name]?.owner, let core = owner.core as? ArchiveCore<Archive> {
        if let identity, type is AnyClass, core.sharesInstances != (identity == .shared) {
          throw VellumError.otherIdentity(name, isShared: core.sharesInstances)
        }
        return (core, owner)
      }
      let core = try ArchiveCore<Archive>(
        name, maxMemorySize: maxMemorySize, maxDiskSize: maxDiskSize, identity: identity ?? .copied, in: self,
        observer: observer)
      let owner = CoreOwner(core)
      cores[name] = WeakCore(type: type, owner: owner)
      return (core, owner)
    }
  }

  /// Does something with the disk part of a name's archives; of one that nobody uses, whatever size it has.
  ///
  /// Others who look for archives wait meanwhile.
  func withShelf<Result>(
    named name: String, observer: FailureObserver, _ body: (ArchiveShelf) throws -> Result
  ) throws -> Result {
    try cores.withLock { cores in
      try body(
        cores[name]?.owner?.core.shelf
          ?? ArchiveShelf(name, byteCountMax: .max, in: self, observer: observer))
    }
  }

  /// What the archives of a type are called in the file: its `archiveName`, or where another type of the program had
  /// that first, in this run or in an earlier one, a name of its own behind it.
  private func name(of type: Any.Type, _ archiveName: String, _ cores: [String: WeakCore]) throws -> String {
    let ownName = archiveName + ":" + typeCode(type)
    let isFree = { (name: String) in cores[name].map { $0.type == type } ?? true }
    if isFree(archiveName), !store.collectionNames.contains(ArchiveShelf.collectionName(ownName)) {
      return archiveName
    }
    guard isFree(ownName) else { throw VellumError.nameTaken(archiveName, by: cores[ownName]?.type ?? type) }
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
  /// If another process has the file, that is given two seconds to end.
  static func at(_ file: URL, options: SedimentOptions) throws -> ArchivePlace {
    guard file.isFileURL else { throw VellumError.notAFile(file) }
    let patience = Date(timeIntervalSinceNow: 2)
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

  /// A place that nobody else finds, and that is gone with the process.
  static func ofThisRun(options: SedimentOptions) throws -> ArchivePlace {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("vellum-\(UUID().uuidString).sediment", isDirectory: false)
    do {
      let place = of(try SedimentStore(url: file, options: options), keeping: nil, isOfThisRun: true)
      // It stays open, without a name.
      try? FileManager.default.removeItem(at: file)
      return place
    } catch {
      throw VellumError.location(file.path, error)
    }
  }

  /// The place of a store of the caller's.
  static func of(_ store: SedimentStore) -> ArchivePlace {
    of(store, keeping: nil)
  }

  private static func of(
    _ store: SedimentStore, keeping shared: SharedStore?, isOfThisRun: Bool = false
  ) -> ArchivePlace {
    savesAtExit
    return places.withLock { places in
      // The store of a place that is there is there, too, so that no other has its identity.
      if let place = places[ObjectIdentifier(store)]?.place { return place }
      let place = ArchivePlace(store, keeping: shared, isOfThisRun: isOfThisRun)
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
