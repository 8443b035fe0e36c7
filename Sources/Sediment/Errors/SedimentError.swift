public import SedimentDisk

/// What went wrong with a store: a code to act on, a sentence that says what to do, and where it was.
///
/// It never carries keys or values.
public struct SedimentError: Error, Sendable {
  /// What kind of failure it is.
  public let code: Code
  /// What happened and what can be done about it.
  public let message: String
  /// The store's file.
  public let path: String
  /// The byte of the file that it is about, where there is one.
  public let offset: UInt64?
  /// The failed call behind it, where there is one.
  public let systemError: DiskError?

  /// Creates an error of its parts.
  public init(
    _ code: Code, path: String, offset: UInt64? = nil, systemError: DiskError? = nil, message: String
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.offset = offset
    self.systemError = systemError
  }

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
    return "\(path)\(place): \(message)\(cause)"
  }
}
