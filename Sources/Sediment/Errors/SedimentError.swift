public import SedimentDisk

/// What went wrong with a store: a code to act on, a sentence that says what to do, and where it was.
///
/// It never carries keys or values.
public struct SedimentError: Error, Sendable {
  /// Behind a reference, so that what may throw it has little to carry.
  private let details: Details

  private final class Details: Sendable {
    let code: Code
    let message: String
    let path: String
    let offset: UInt64?
    let systemError: DiskError?

    init(_ code: Code, _ message: String, _ path: String, _ offset: UInt64?, _ systemError: DiskError?) {
      self.code = code
      self.message = message
      self.path = path
      self.offset = offset
      self.systemError = systemError
    }
  }

  /// Creates an error of its parts.
  public init(
    _ code: Code, path: String, offset: UInt64? = nil, systemError: DiskError? = nil, message: String
  ) {
    details = Details(code, message, path, offset, systemError)
  }

  /// What kind of failure it is.
  public var code: Code { details.code }
  /// What happened and what can be done about it.
  public var message: String { details.message }
  /// The store's file.
  public var path: String { details.path }
  /// The byte of the file that it is about, where there is one.
  public var offset: UInt64? { details.offset }
  /// The failed call behind it, where there is one.
  public var systemError: DiskError? { details.systemError }

  /// A kind of failure; later versions may add some.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    public let description: String

    /// There is no file at the path.
    public static let notFound = Code(description: "notFound")
    /// There is a file at the path already.
    public static let exists = Code(description: "exists")
    /// The file was not made by Sediment.
    public static let foreign = Code(description: "foreign")
    /// The file was made by a newer version.
    public static let newer = Code(description: "newer")
    /// The file is damaged.
    public static let damaged = Code(description: "damaged")
    /// The disk, or the user's share of it, is full.
    public static let outOfSpace = Code(description: "outOfSpace")
    /// The caller may not read or write there.
    public static let accessDenied = Code(description: "accessDenied")
    /// A number or a table of the file has reached its limit.
    public static let exhausted = Code(description: "exhausted")
    /// The operating system failed in another way.
    public static let inputOutput = Code(description: "inputOutput")
  }
}

extension SedimentError: CustomStringConvertible {
  /// The message with the path, the offset and what the system said.
  public var description: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    let cause = systemError.map { " (\($0))" } ?? ""
    return "\(path.isEmpty ? "''" : path)\(place): \(message)\(cause)"
  }
}
