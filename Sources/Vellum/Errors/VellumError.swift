public import Foundation
internal import Sediment

/// What went wrong with archives: what could not be done, and why.
///
/// It carries neither primary keys nor archives.
public struct VellumError: LocalizedError, Sendable {
  /// What kind of failure it is.
  public let code: Code
  /// What could not be done.
  public let errorDescription: String?
  /// Why, and what helps.
  public let failureReason: String?
  /// The error behind it, of the store or of an archive's own methods, where there is one.
  public let underlyingError: (any Error)?

  /// Creates an error of its parts.
  public init(
    _ code: Code, errorDescription: String, failureReason: String, underlyingError: (any Error)? = nil
  ) {
    self.code = code
    self.errorDescription = errorDescription
    self.failureReason = failureReason
    self.underlyingError = underlyingError
  }

  /// A kind of failure; later versions may add some.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    public let description: String

    /// An archive could not be turned into data.
    public static let notEncodable = Code(description: "notEncodable")
    /// Data could not be turned into an archive of its type.
    public static let notDecodable = Code(description: "notDecodable")
    /// An archive is larger than both parts may become.
    public static let tooLarge = Code(description: "tooLarge")
    /// Another type has the same name of archives.
    public static let nameTaken = Code(description: "nameTaken")
    /// Something is not what it must be, such as a pattern that is no regular expression.
    public static let invalidArgument = Code(description: "invalidArgument")
    /// Another process has the file of the archives.
    public static let locked = Code(description: "locked")
    /// The store failed; the underlying error tells how.
    public static let store = Code(description: "store")
    /// The archives were stored by a newer version.
    public static let newer = Code(description: "newer")
    /// What is stored for an archive is not what was written for it.
    public static let damaged = Code(description: "damaged")
  }
}

extension VellumError: CustomStringConvertible {
  /// All that is known of it.
  public var description: String {
    let texts = [errorDescription, failureReason, underlyingError.map(Self.text)]
    return texts.compactMap(\.self).joined(separator: " ")
  }

  /// An error in words, without what may be a part of an archive.
  private static func text(_ error: any Error) -> String {
    switch error {
    case let error as SedimentError: "\(error)"
    case DecodingError.keyNotFound(let key, let context): "There is no \(path(context.codingPath + [key]))."
    case DecodingError.valueNotFound(_, let context): "There is nothing at \(path(context.codingPath))."
    case DecodingError.typeMismatch(let type, let context):
      "There is no \(type) at \(path(context.codingPath))."
    case DecodingError.dataCorrupted(let context): "What is at \(path(context.codingPath)) is not possible."
    default: "It was a \(type(of: error))."
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    "'\(keys.map(\.stringValue).joined(separator: "."))'"
  }
}
