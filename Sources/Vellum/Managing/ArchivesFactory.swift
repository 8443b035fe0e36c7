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
  /// Unless one does, its file is `defaultFile`. If another process has that and does not end within two seconds, every
  /// use of archives fails with `locked` until it has ended; what does not throw tells the observer.
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

  private static let sharedFactory = Mutex(ArchivesFactory(file: defaultFile))

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
  private let open: @Sendable (_ patience: Date) throws -> ArchivePlace
  /// Until when another process that has the file is waited for: two seconds, from when archives are first asked for.
  private var patience: Date?
  private var opened: ArchivePlace?
  private var managers: [ObjectIdentifier: AnyObject] = [:]
  private var defaultSizes = DefaultSizes()
  let failures: FailureObserver

  /// A factory whose archives are in a file; that is made, with its folder, when archives are first asked for.
  ///
  /// All who have the file open in this process must name the same options, but for durability and observer, or asking
  /// for archives fails. Where another process has it, and does not end within two seconds, that fails with `locked`.
  public init(file: URL, options: SedimentOptions = SedimentOptions()) {
    open = { try ArchivePlace.at(file, options: options, until: $0) }
    failures = FailureObserver()
  }

  /// A factory whose archives are in a store, beside what else that holds, in collections whose names begin with
  /// `archive:` and `used:`.
  public init(store: SedimentStore) {
    open = { _ in ArchivePlace.of(store) }
    failures = FailureObserver()
  }

  /// A factory whose archives are in a place that a test has made.
  package init(_ place: ArchivePlace) {
    open = { _ in place }
    failures = FailureObserver()
  }

  /// A factory in the place of one that is gone.
  init(_ place: ArchivePlace, failures: FailureObserver, defaults: DefaultSizes) {
    open = { _ in place }
    self.failures = failures
    defaultSizes = defaults
  }

  /// How large the memory part of a type's archives may become that are asked for without a size: 1 MB unless it is
  /// set.
  public var defaultMaxMemorySize: DataSize {
    get { defaults.memory ?? DefaultSizes.ofMemory }
    set { lock.withLock { defaultSizes.memory = newValue } }
  }

  /// How large the disk part of a type's archives may become that are asked for without a size: 2 MB unless it is set.
  ///
  /// Unless it is set, archives of earlier runs that are more stay, and the size that was asked for last counts.
  public var defaultMaxDiskSize: DataSize {
    get { defaults.disk ?? DefaultSizes.ofDisk }
    set { lock.withLock { defaultSizes.disk = newValue } }
  }

  var defaults: DefaultSizes { lock.withLock { defaultSizes } }

  /// Told, on the thread where it happened, what methods that do not throw could not do.
  ///
  /// As long as there is none, each failure is a line on standard error.
  public var observer: (@Sendable (VellumFailure) -> Void)? {
    get { failures.observe }
    set { failures.observe = newValue }
  }

  /// The archives of a type, always the same manager.
  ///
  /// The sizes count the first time that the program asks; later ones are ignored. Zero stands for the default. Archives
  /// that exceed a size which was asked for are deleted, those first that were not used for the longest. A property or an
  /// object that records itself uses archives without asking for a size, so it deletes none but to make room for what is
  /// recorded, within the size that was asked for last, in this run or an earlier one.
  ///
  /// The identity that objects of classes have counts the first time, too. They are copied unless it says something else;
  /// asking for another one later fails.
  public func archives<Archive>(
    for type: Archive.Type, trySetMaxMemorySize memorySize: DataSize = .zero,
    trySetMaxDiskSize diskSize: DataSize = .zero, identity: ArchiveIdentity? = nil
  ) throws -> ArchiveManager<Archive> where Archive: Archivable {
    try manager(
      ArchiveSizes(
        memory: memorySize <= .zero ? nil : memorySize, disk: diskSize <= .zero ? nil : diskSize,
        defaults: defaults), identity)
  }

  /// The archives of a type for a use that says nothing of sizes.
  func archives<Archive: Archivable>(inPassingFor type: Archive.Type) throws -> ArchiveManager<Archive> {
    try manager(ArchiveSizes(provisionalBy: defaults), nil)
  }

  private func manager<Archive: Archivable>(
    _ sizes: ArchiveSizes, _ identity: ArchiveIdentity?
  ) throws -> ArchiveManager<Archive> {
    let identifier = ObjectIdentifier(Archive.self)
    if identity == nil, let known = lock.withLock({ managers[identifier] }) as? ArchiveManager<Archive> {
      try known.core.settle(sizes)
      return known
    }
    let manager = try ArchiveManager<Archive>(sizes, identity: identity, in: self)
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

  /// The place of its archives, which is opened the first time.
  func place() throws -> ArchivePlace {
    try lock.withLock {
      if let opened { return opened }
      let patience = patience ?? Date(timeIntervalSinceNow: 2)
      self.patience = patience
      let place = try open(patience)
      opened = place
      return place
    }
  }

  /// Does something, and tells the observer if it fails; nil then.
  @discardableResult
  func reporting<Result>(
    _ name: String, _ operation: VellumFailure.Operation, _ body: () throws -> Result
  ) -> Result? {
    failures.reporting(name, operation, body)
  }
}
