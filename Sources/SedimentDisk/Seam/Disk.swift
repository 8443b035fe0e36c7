/// What the engine asks of an operating system: files by path, a clock and random bytes.
///
/// `SystemDisk` is the machine's own; the simulated disk of `SedimentTesting` is its twin in memory. Every
/// system call of the package happens behind this protocol or behind `DiskFile`, so that each of them can be
/// made to fail and every state that a power failure leaves can be built.
///
/// Calls may come from any thread. Paths are passed to the system as they are.
public protocol Disk: Sendable {
  /// The unit of the ranges that a `FileMapping` exposes and conceals, in bytes.
  var pageByteCount: Int { get }

  /// Opens a regular file.
  ///
  /// Fails with `DiskError` for anything that is not a regular file, a symbolic link at the last component
  /// included. The descriptor is not inherited by programs that the process starts.
  func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile

  /// Gives a file another name within its directory; durable only after `syncDirectory`.
  ///
  /// An error names `path`, also where the destination is at fault.
  func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError)

  /// Removes a file's name; durable only after `syncDirectory`.
  func remove(_ path: String) throws(DiskError)

  /// Makes names that were created, changed or removed in the directory of `path` durable.
  func syncDirectory(of path: String) throws(DiskError)

  /// Makes the directories that `path` needs and that are missing, durably; those that are made stay if it fails.
  func createDirectories(of path: String) throws(DiskError)

  /// Wall time in milliseconds since 1970; it may jump in both directions.
  func wallClock() -> UInt64

  /// Time in nanoseconds since some fixed moment; it never goes back while the process lives.
  func monotonicClock() -> UInt64

  /// Sixty-four unpredictable bits.
  func random() -> UInt64
}

extension Disk {
  /// Does nothing: a disk without directories lacks none.
  public func createDirectories(of path: String) throws(DiskError) {}
}

extension Disk {
  /// Makes names in the directory of `path` durable, as far as the system does that for this process.
  ///
  /// A directory that may be changed and not read cannot be synced, and some file systems sync none. Then a name is as
  /// durable as they make it by themselves, which is no reason to refuse what needs the name.
  package func secureNames(of path: String) throws(DiskError) {
    do throws(DiskError) {
      try syncDirectory(of: path)
    } catch  where error.code.isRefusal {}
  }
}

/// How a file is opened.
public enum OpenMode: Sendable {
  /// An existing file, for reading alone.
  case read
  /// An existing file, for reading and writing.
  case readWrite
  /// A file that must not exist yet, readable and writable by its owner alone from its first moment.
  case create
}

/// What a rename does where the destination exists.
public enum RenameRule: Sendable {
  /// Fails with the system's "file exists", in one step with the rename itself.
  case keepExisting
  /// Takes its place.
  case replaceExisting
}
