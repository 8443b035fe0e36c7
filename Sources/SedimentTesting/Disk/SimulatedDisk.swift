public import SedimentDisk
internal import Synchronization

/// A disk in memory that remembers what was synced, so that every state which a crash can leave can be built.
///
/// It behaves as `SystemDisk` does towards the engine. Beyond that it records its history, from which
/// `history` makes the disks that a power failure or the death of the process leaves at any moment; it lets
/// calls fail, writes go astray, space run out and clocks jump. All of it follows from the seed and the calls.
///
/// Directories need not be made: a path's directory is what comes before its last slash, and paths are
/// compared as they are spelled. All calls may come from any thread.
public final class SimulatedDisk: Disk {
  private let state: Mutex<DiskState>
  /// The unit of mapped ranges.
  public let pageByteCount: Int
  /// Tells the files of this disk from those of every other one in the process.
  let device: UInt64

  private static let lastDevice = Atomic<UInt64>(0)

  /// Creates an empty disk with sensible options.
  public convenience init(seed: UInt64) {
    self.init(SimulatedDiskOptions(seed: seed))
  }

  /// Creates an empty disk.
  public convenience init(_ options: SimulatedDiskOptions) {
    let clock = SimulatedClock(wallMilliseconds: options.wallClock)
    self.init(medium: Medium(), setup: ImageSetup(options: options, clock: clock))
  }

  init(medium: Medium, setup: ImageSetup) {
    state = Mutex(DiskState(medium: medium, setup: setup))
    pageByteCount = setup.options.pageByteCount
    device = Self.lastDevice.add(1, ordering: .relaxed).newValue
  }

  func withState<Result, Failure: Error>(
    _ body: (inout DiskState) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try state.withLock { (state) throws(Failure) in try body(&state) }
  }

  /// Opens a file.
  public func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
    let opened = try withState { (state) throws(DiskError) in
      let handle = try state.open(path, mode)
      return (handle, state.openFiles[handle]?.inode ?? 0, state.options.traits)
    }
    return SimulatedFile(self, path: path, handle: opened.0, inode: opened.1, traits: opened.2)
  }

  /// Gives a file another name within its directory, and fails with "invalid argument" across directories.
  public func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError) {
    try withState { (state) throws(DiskError) in try state.rename(path, to: destination, rule) }
  }

  /// Removes a file's name; its bytes stay for those who have it open.
  public func remove(_ path: String) throws(DiskError) {
    try withState { (state) throws(DiskError) in try state.remove(path) }
  }

  /// Makes the changes of one directory durable.
  public func syncDirectory(of path: String) throws(DiskError) {
    try withState { (state) throws(DiskError) in try state.syncDirectory(of: path) }
  }

  /// See `Disk.createDirectories`; every directory is there, so that it only can be made to fail.
  public func createDirectories(of path: String) throws(DiskError) {
    try withState { (state) throws(DiskError) in try state.createDirectories(of: path) }
  }

  /// What the wall clock was set to; it stands still until told otherwise.
  public func wallClock() -> UInt64 {
    withState { $0.clock.wallMilliseconds }
  }

  /// What the monotonic clock was advanced to; it stands still until told otherwise.
  public func monotonicClock() -> UInt64 {
    withState { $0.clock.monotonicNanoseconds }
  }

  /// What `processMemory` says.
  public func memoryByteCount() -> UInt64? {
    withState { $0.options.processMemory }
  }

  /// The next random number that belongs to the seed.
  public func random() -> UInt64 {
    withState { $0.generator.next() }
  }
}
