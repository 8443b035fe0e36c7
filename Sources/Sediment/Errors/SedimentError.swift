public import SedimentDisk

/// Why a call of a store failed: a code to act on, a sentence that says what to do, and the place.
///
/// It never contains keys or values.
public struct SedimentError: Error, Sendable {
  /// Behind a reference, so that a call that may throw returns one word.
  private let details: Details

  private final class Details: Sendable {
    let code: Code
    let message: String
    let path: String
    let offset: UInt64?
    let systemError: SystemError?

    init(_ code: Code, _ message: String, _ path: String, _ offset: UInt64?, _ systemError: SystemError?) {
      self.code = code
      self.message = message
      self.path = path
      self.offset = offset
      self.systemError = systemError
    }
  }

  /// Creates an error of its parts.
  package init(
    _ code: Code, path: String, offset: UInt64? = nil, systemError: DiskError? = nil, message: String
  ) {
    details = Details(code, message, path, offset, systemError.map(SystemError.init))
  }

  /// The kind of failure.
  public var code: Code { details.code }
  /// What happened and what can be done about it.
  public var message: String { details.message }
  /// The path of the store's file.
  public var path: String { details.path }
  /// The byte of the file where the failure is; nil if it is not at one place.
  public var offset: UInt64? { details.offset }
  /// The call of the operating system that failed; nil if none did.
  public var systemError: SystemError? { details.systemError }

  /// A kind of failure; later versions may add more.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// There is no file at the path, or no directory for it.
    public static let notFound = Code(description: "notFound")
    /// There is a file at the path already.
    public static let exists = Code(description: "exists")
    /// The file was not made by Sediment.
    public static let foreign = Code(description: "foreign")
    /// The file was made by a newer version.
    public static let newer = Code(description: "newer")
    /// The file is damaged.
    public static let damaged = Code(description: "damaged")
    /// There is no room: the disk, the user's share of it or the store's capacity is used up.
    public static let outOfSpace = Code(description: "outOfSpace")
    /// The process has no right to read or write the file.
    public static let accessDenied = Code(description: "accessDenied")
    /// A number or a table of the file has reached the limit of the format.
    public static let exhausted = Code(description: "exhausted")
    /// The operating system failed in another way; see `systemError`.
    public static let inputOutput = Code(description: "inputOutput")
    /// The store was closed before.
    public static let closed = Code(description: "closed")
    /// The file is open elsewhere, in another process or in this one.
    public static let locked = Code(description: "locked")
    /// The process is a fork of the one that opened the store, and cannot use it.
    public static let forked = Code(description: "forked")
    /// The store was opened for reading.
    public static let readOnly = Code(description: "readOnly")
    /// A key, value or batch is larger than a store takes.
    public static let tooLarge = Code(description: "tooLarge")
    /// A write or sync failed: changes that were not synced before may be lost, and the store takes no further changes.
    public static let outcomeUnknown = Code(description: "outcomeUnknown")
    /// An argument is not possible: a name, an option, or a collection of another store.
    public static let invalidArgument = Code(description: "invalidArgument")
    /// The collection was dropped before.
    public static let collectionDropped = Code(description: "collectionDropped")
    /// The caller stopped the call.
    ///
    /// No key or value was lost.
    public static let cancelled = Code(description: "cancelled")
    /// The type that was asked for cannot be made of the value's bytes.
    public static let undecodable = Code(description: "undecodable")
  }

  /// A call of the operating system that failed.
  public struct SystemError: Hashable, Sendable, CustomStringConvertible {
    let cause: DiskError

    /// The number of the system's error, `errno`.
    public var number: Int32 { cause.code.rawValue }
    /// The error as a type of `SedimentDisk`, which names many of the numbers.
    public var code: SystemErrorCode { cause.code }
    /// What was tried.
    public var operation: DiskOperation { cause.operation }
    /// The file or directory that the call was about.
    public var path: String { cause.path }
    /// The position in the file; nil if the call has none.
    public var offset: UInt64? { cause.offset }
    /// A sentence with the operation, the place, and the system's own words for the error.
    public var description: String { cause.description }
  }
}

extension SedimentError: CustomStringConvertible {
  /// The path, the offset, the message, and what the system said.
  public var description: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    let cause = systemError.map { " (\($0))" } ?? ""
    return "\(path.isEmpty ? "''" : path)\(place): \(message)\(cause)"
  }
}
