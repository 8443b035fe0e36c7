public import Foundation
public import Sediment
internal import Synchronization

/// Gives each type its archives, all in one file.
///
///     let users = try ArchivesFactory.shared.archives(for: User.self, trySetMaxDiskSize: 10.megaBytes)
///
/// All factories of a process that name the same file share it. It may be used from any thread. A manager of archives
/// that are not `Sendable` is the same on all threads, too: then it is the program that must not share what they hold.
public final class ArchivesFactory: @unchecked Sendable {
  // Sendable: `lock` guards the variables.

  /// The factory that property wrappers and archives themselves use; another one may take its place.
  ///
  /// Unless one does, its file is `defaultFile`. Where another process has that, and does not end within two seconds, the
  /// archives of this run are its own and are gone with it, which is told to the observer.
  public static var shared: ArchivesFactory {
    get { sharedFactory.withLock { $0 } }
    set {
      // The one before ends without the lock: what it has may ask for the new one.
      let before = sharedFactory.withLock { factory in
        let before = factory
        factory = newValue
        return before
      }
      withExtendedLifetime(before) {}
    }
  }

  private static let sharedFactory = Mutex(ArchivesFactory(file: defaultFile, goesOnAlone: true))

  /// Where the archives of a program are unless it says otherwise: `Vellum/archives.sediment` in a folder of the
  /// program's name, or its bundle's, in the user's folder for application support.
  public static var defaultFile: URL {
    let files = FileManager.default
    let base =
      files.urls(for: .applicationSupportDirectory, in: .userDomainMask).first ?? files.temporaryDirectory
    let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return base.appendingPathComponent(program).appendingPathComponent("Vellum/archives.sediment")
  }

  private let lock = Lock()
  private let open: @Sendable () throws -> ArchivePlace
  /// Whether a file that another process has is no failure.
  private let goesOnAlone: Bool
  private var opened: ArchivePlace?
  private var managers: [ObjectIdentifier: AnyObject] = [:]
  private var defaultSizes = (memory: 1.megaBytes, disk: 2.megaBytes)
  let failures: FailureObserver

  /// A factory whose archives are in a file; that is made, with its folder, when archives are first asked for.
  ///
  /// All who have the file open in this process must name the same options, but for durability and observer, or asking
  /// for archives fails. Where another process has it, and does not end within two seconds, that fails with `locked`.
  public convenience init(file: URL, options: SedimentOptions = SedimentOptions()) {
    self.init(file: file, options: options, goesOnAlone: false)
  }

  private init(file: URL, options: SedimentOptions = SedimentOptions(), goesOnAlone: Bool) {
    open = { try ArchivePlace.at(file, options: options) }
    self.goesOnAlone = goesOnAlone
    failures = FailureObserver()
  }

  /// A factory whose archives are in a store, beside what else that holds, in collections whose names begin with
  /// `archive:` and `used:`.
  public init(store: SedimentStore) {
    open = { ArchivePlace.of(store) }
    goesOnAlone = false
    failures = FailureObserver()
  }

  /// A factory whose archives are in a place that a test has made.
  package init(_ place: ArchivePlace) {
    open = { place }
    goesOnAlone = false
    failures = FailureObserver()
  }

  /// A factory in the place of one that is gone.
  init(
    _ place: ArchivePlace, failures: FailureObserver, defaultSizes: (memory: DataSize, disk: DataSize)
  ) {
    open = { place }
    goesOnAlone = false
    self.failures = failures
    self.defaultSizes = defaultSizes
  }

  /// How large the memory part of a type's archives may become that are asked for without a size: 1 MB unless it is
  /// set.
  public var defaultMaxMemorySize: DataSize {
    get { lock.withLock { defaultSizes.memory } }
    set { lock.withLock { defaultSizes.memory = newValue } }
  }

  /// How large the disk part of a type's archives may become that are asked for without a size: 2 MB unless it is set.
  public var defaultMaxDiskSize: DataSize {
    get { lock.withLock { defaultSizes.disk } }
    set { lock.withLock { defaultSizes.disk = newValue } }
  }

  /// Told, on the thread where it happened, what methods that do not throw could not do.
  ///
  /// As long as there is none, each failure is a line on standard error.
  public var observer: (@Sendable (VellumFailure) -> Void)? {
    get { failures.observe }
    set { failures.observe = newValue }
  }

  /// The archives of a type, always the same manager.
  ///
  /// The sizes count when it is made, which is the first time; the defaults take the place of zero. So does the identity
  /// that objects of classes have, which are copied unless it says something else; asking for another one later fails.
  public func archives<Archive>(
    for type: Archive.Type, trySetMaxMemorySize memorySize: DataSize = .zero,
    trySetMaxDiskSize diskSize: DataSize = .zero, identity: ArchiveIdentity? = nil
  ) throws -> ArchiveManager<Archive> where Archive: Archivable {
    let identifier = ObjectIdentifier(type)
    if identity == nil, let known = lock.withLock({ managers[identifier] }) as? ArchiveManager<Archive> {
      return known
    }
    let manager = try ArchiveManager<Archive>(
      maxMemorySize: memorySize <= .zero ? defaultMaxMemorySize : memorySize,
      maxDiskSize: diskSize <= .zero ? defaultMaxDiskSize : diskSize, identity: identity, in: self)
    return lock.withLock {
      // Another thread may have been quicker; both have the same core.
      if let known = managers[identifier] as? ArchiveManager<Archive> { return known }
      managers[identifier] = manager
      return manager
    }
  }

  /// The archives of the type that the result has; see
  /// `archives(for:trySetMaxMemorySize:trySetMaxDiskSize:identity:)`.
  public func archives<Archive>(
    trySetMaxMemorySize memorySize: DataSize = .zero, trySetMaxDiskSize diskSize: DataSize = .zero,
    identity: ArchiveIdentity? = nil
  ) throws -> ArchiveManager<Archive> where Archive: Archivable {
    try archives(
      for: Archive.self, trySetMaxMemorySize: memorySize, trySetMaxDiskSize: diskSize, identity: identity)
  }

  /// The place of its archives, which is opened the first time, for those of some name.
  func place(for name: String) throws -> ArchivePlace {
    var missed: VellumError?
    let place = try lock.withLock {
      if let opened { return opened }
      let place: ArchivePlace
      do {
        place = try open()
      } catch let error as VellumError where error.code == .locked && goesOnAlone {
        place = try ArchivePlace.ofThisRun(options: SedimentOptions())
        missed = .alone(error)
      }
      opened = place
      return place
    }
    if let missed { failures.tell(VellumFailure(archiveName: name, operation: .opening, error: missed)) }
    return place
  }

  /// Does something, and tells the observer if it fails; nil then.
  @discardableResult
  func reporting<Result>(
    _ name: String, _ operation: VellumFailure.Operation, _ body: () throws -> Result
  ) -> Result? {
    failures.reporting(name, operation, body)
  }
}
