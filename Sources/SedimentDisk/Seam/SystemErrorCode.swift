#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The operating system's number for an error, with the ones that the engine treats by name.
public struct SystemErrorCode: Hashable, Sendable {
  /// The system's number, `errno`.
  public let rawValue: Int32

  /// Wraps a number.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The device or the file system failed.
  public static let inputOutput = SystemErrorCode(rawValue: EIO)
  /// The disk is full.
  public static let noSpace = SystemErrorCode(rawValue: ENOSPC)
  /// The user's share of the disk is used up.
  public static let quotaExceeded = SystemErrorCode(rawValue: EDQUOT)
  /// The call was interrupted before it did anything.
  public static let interrupted = SystemErrorCode(rawValue: EINTR)
  /// The process has no descriptor left.
  public static let tooManyOpenFiles = SystemErrorCode(rawValue: EMFILE)
  /// There is no such file or directory.
  public static let notFound = SystemErrorCode(rawValue: ENOENT)
  /// The name is taken.
  public static let exists = SystemErrorCode(rawValue: EEXIST)
  /// What the path leads through is no directory.
  public static let notDirectory = SystemErrorCode(rawValue: ENOTDIR)
  /// It is a directory.
  public static let isDirectory = SystemErrorCode(rawValue: EISDIR)
  /// The last component is a symbolic link.
  public static let symbolicLink = SystemErrorCode(rawValue: ELOOP)
  /// The caller may not do that.
  public static let accessDenied = SystemErrorCode(rawValue: EACCES)
  /// The file system is read-only.
  public static let readOnlyFileSystem = SystemErrorCode(rawValue: EROFS)
  /// The system or the file system cannot do that.
  public static let notSupported = SystemErrorCode(rawValue: ENOTSUP)
  /// The file was closed.
  public static let badDescriptor = SystemErrorCode(rawValue: EBADF)
  /// It is not the kind of file that was expected, or an argument is out of range.
  public static let invalidArgument = SystemErrorCode(rawValue: EINVAL)
  /// The file would become larger than the system allows, or than it allows this process.
  public static let fileTooLarge = SystemErrorCode(rawValue: EFBIG)
  /// There is no such device, or no data behind the position.
  public static let noData = SystemErrorCode(rawValue: ENXIO)
  /// There is not enough memory or address space.
  public static let noMemory = SystemErrorCode(rawValue: ENOMEM)

  /// Whether the system does not do this here at all, or not for this process: nothing was tried that failed.
  public var isRefusal: Bool {
    self == .accessDenied || self == .notSupported || self == .invalidArgument || rawValue == EPERM
      || rawValue == ENOSYS
  }

  /// Whether space is what was lacking, so that freeing some can help.
  public var isOutOfSpace: Bool {
    self == .noSpace || self == .quotaExceeded || self == .fileTooLarge
  }
}

extension SystemErrorCode: CustomStringConvertible {
  /// The system's sentence and the number.
  public var description: String {
    "\(message) (\(rawValue))"
  }

  private var message: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress else { return "error" }
      unsafe start.initialize(repeating: 0, count: buffer.count)
      guard unsafe strerror_r(rawValue, start, buffer.count) == 0 else { return "error" }
      return unsafe String(cString: start)
    }
  }
}
