#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The operating system's number for an error, with names for those that matter here.
public struct SystemErrorCode: Hashable, Sendable {
  /// The system's number, `errno`.
  public let rawValue: Int32

  /// Creates a code of the system's number.
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
  /// The system has no room for another open file.
  package static let tooManyOpenFilesInSystem = SystemErrorCode(rawValue: ENFILE)
  /// There is no such file or directory.
  public static let notFound = SystemErrorCode(rawValue: ENOENT)
  /// There is a file of that name already.
  public static let exists = SystemErrorCode(rawValue: EEXIST)
  /// A part of the path is a file, not a directory.
  public static let notDirectory = SystemErrorCode(rawValue: ENOTDIR)
  /// The path leads to a directory.
  public static let isDirectory = SystemErrorCode(rawValue: EISDIR)
  /// The last component of the path is a symbolic link, or links on the way lead round in a circle.
  public static let symbolicLink = SystemErrorCode(rawValue: ELOOP)
  /// The process has no right to do that.
  public static let accessDenied = SystemErrorCode(rawValue: EACCES)
  /// The file system is read-only.
  public static let readOnlyFileSystem = SystemErrorCode(rawValue: EROFS)
  /// The system or the file system cannot do that.
  public static let notSupported = SystemErrorCode(rawValue: ENOTSUP)
  /// The file was closed.
  public static let badDescriptor = SystemErrorCode(rawValue: EBADF)
  /// The file is not of the expected kind, or an argument is out of range.
  public static let invalidArgument = SystemErrorCode(rawValue: EINVAL)
  /// The file would become larger than the system allows, or than it allows this process.
  public static let fileTooLarge = SystemErrorCode(rawValue: EFBIG)
  /// The path, or a name in it, is longer than the system takes.
  public static let nameTooLong = SystemErrorCode(rawValue: ENAMETOOLONG)
  /// The process has not the rights of the file's owner, or the file must not be changed.
  public static let notPermitted = SystemErrorCode(rawValue: EPERM)
  /// There is no such device, or no data behind the position.
  public static let noData = SystemErrorCode(rawValue: ENXIO)
  /// There is not enough memory or address space.
  public static let noMemory = SystemErrorCode(rawValue: ENOMEM)

  /// Whether the system refuses the call here, or to this process, so that nothing was tried.
  package var isRefusal: Bool {
    self == .accessDenied || self == .notSupported || self == .invalidArgument || self == .notPermitted
      || rawValue == ENOSYS
  }

  /// Whether there was no space, so that freeing some can help.
  package var isOutOfSpace: Bool {
    self == .noSpace || self == .quotaExceeded || self == .fileTooLarge
  }
}

extension SystemErrorCode: CustomStringConvertible {
  /// The system's own words for the error, and the number.
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
