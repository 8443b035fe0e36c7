internal import CSediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
/// The machine's own files, clocks and random bytes.
public struct SystemDisk: Disk {
  /// The system's pages.
  static let pageByteCount = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// Creates the disk, which has no state.
  public init() {}

  /// The size of the system's pages.
  public var pageByteCount: Int { Self.pageByteCount }

  /// Opens a regular file.
  ///
  /// The errors are "is a directory", "too many symbolic links" for a link, and "invalid argument" for a pipe, a socket
  /// or a device.
  public func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
    try SystemFile.open(path, mode)
  }

  /// Returns the path of the file that a path leads to.
  ///
  /// Links that the system does not follow for this process are an error.
  public func target(of path: String) throws(DiskError) -> String {
    do throws(SystemCallFailure) {
      return try followLinks(path)
    } catch {
      throw DiskError(.open, path: path, code: error.code)
    }
  }

  /// Gives a file another name within its directory, in one step of the system's; durable only after `syncDirectory`.
  public func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError) {
    guard SystemPath.isWhole(path), SystemPath.isWhole(destination) else {
      throw DiskError(.rename, path: path, code: .invalidArgument)
    }
    let code =
      switch rule {
      case .keepExisting: renameKeeping(path, destination)
      case .replaceExisting: systemRename(path, destination)
      }
    if let code { throw DiskError(.rename, path: path, code: code) }
  }

  /// Removes a file's name; the file itself goes when nobody has it open any more.
  public func remove(_ path: String) throws(DiskError) {
    guard SystemPath.isWhole(path) else { throw DiskError(.remove, path: path, code: .invalidArgument) }
    if let code = attempt({ unsafe unlink(path) }) { throw DiskError(.remove, path: path, code: code) }
  }

  /// Makes names that were created, changed or removed in the directory of `path` durable.
  public func syncDirectory(of path: String) throws(DiskError) {
    if let code = syncParent(of: path) { throw DiskError(.syncDirectory, path: path, code: code) }
  }

  /// Makes the directories that `path` needs and that are missing, durably.
  ///
  /// Others may use them as the process's mask of modes allows. Those that are made stay if it fails.
  public func createDirectories(of path: String) throws(DiskError) {
    if let code = createParents(of: path) { throw DiskError(.createDirectories, path: path, code: code) }
  }

  /// The system's real time in milliseconds since 1970.
  public func wallClock() -> UInt64 {
    let time = Self.time(CLOCK_REALTIME)
    return UInt64(clamping: time.tv_sec) &* 1_000 &+ UInt64(clamping: time.tv_nsec) / 1_000_000
  }

  /// The system's monotonic clock in nanoseconds.
  public func monotonicClock() -> UInt64 {
    let time = Self.time(CLOCK_MONOTONIC)
    return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
  }

  /// Sixty-four bits of `SystemRandomNumberGenerator`.
  public func random() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// The memory of the machine, or less where a control group bounds it.
  public func memoryByteCount() -> UInt64? { SystemMemory().byteCount }

  private static func time(_ clock: clockid_t) -> timespec {
    var time = timespec()
    let code = attempt { unsafe clock_gettime(clock, &time) }
    precondition(code == nil, "the system has no clock")
    return time
  }
}
