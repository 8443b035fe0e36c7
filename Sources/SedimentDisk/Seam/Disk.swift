/// What the engine asks of an operating system: files by path, a clock and random bytes.
///
/// `SystemDisk` is the real one, and `SedimentTesting` has a simulated one in memory. Every system call of the package
/// is behind this protocol or behind `DiskFile`, so a test can make each of them fail, and can build every state that
/// a power failure leaves.
///
/// Calls may come from any thread. The system gets paths exactly as they are.
public protocol Disk: Sendable {
  /// The bytes of a page: the ranges that a `FileMapping` exposes and conceals consist of whole pages.
  var pageByteCount: Int { get }

  /// Opens a regular file.
  ///
  /// Throws for anything else than a regular file, also if the last component of the path is a symbolic link. Programs
  /// that the process starts do not inherit the open file.
  func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile

  /// Returns the path of the file that a path leads to, which `open` takes: symbolic links in the place of the last
  /// component are followed, also if they lead nowhere.
  func target(of path: String) throws(DiskError) -> String

  /// Gives a file another name in its directory, which survives a power failure only after `syncDirectory`.
  ///
  /// The path of an error is `path`, even if the destination is the reason.
  func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError)

  /// Removes a file's name, which survives a power failure only after `syncDirectory`.
  func remove(_ path: String) throws(DiskError)

  /// Makes durable which names were created, changed or removed in the directory of `path`.
  func syncDirectory(of path: String) throws(DiskError)

  /// Makes the missing directories of `path`, durably; if it throws, those that were made stay.
  func createDirectories(of path: String) throws(DiskError)

  /// The time of the wall clock, in milliseconds since 1970, which may jump forward and back.
  func wallClock() -> UInt64

  /// The nanoseconds since some fixed moment, which never go back while the process lives.
  func monotonicClock() -> UInt64

  /// 64 random bits that nobody can predict.
  func random() -> UInt64

  /// The bytes of memory that the process may have, the page cache of its files included; nil if they are not known.
  func memoryByteCount() -> UInt64?
}

extension Disk {
  /// Knows of no bound.
  public func memoryByteCount() -> UInt64? { nil }
}

extension Disk {
  /// Does nothing, as is right for a disk without directories.
  public func createDirectories(of path: String) throws(DiskError) {}

  /// Returns the path itself, as is right for a disk without symbolic links.
  public func target(of path: String) throws(DiskError) -> String { path }
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
public enum OpenMode: Sendable, Hashable {
  /// An existing file, for reading alone.
  case read
  /// An existing file, for reading and writing.
  case readWrite
  /// A new file with these permission bits, less those of the process's mask; opening throws if there is one of the
  /// name.
  case creating(permissions: UInt16)

  /// A new file, which its owner alone may read and write; opening throws if there is one of the name.
  public static var create: OpenMode { .creating(permissions: 0o600) }
}

/// What a rename does if there is a file of the new name.
public enum RenameRule: Sendable {
  /// It throws with the code `exists`. No file can appear between the check and the rename.
  case keepExisting
  /// It replaces that file.
  case replaceExisting
}
