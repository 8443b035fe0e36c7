internal import Foundation

/// The name of a value in a folder: any string, which an encoder turns into the name of a file.
public struct Filename: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name as its user knows it.
  public var rawValue: String

  /// Creates a name of a string.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates a name of a literal.
  public init(stringLiteral value: String) {
    self.init(rawValue: value)
  }

  /// The name's UTF-8 bytes in Base64.
  public func base64Encoded() -> String {
    Data(rawValue.utf8).base64EncodedString()
  }

  /// The same with `-` and `_` for `+` and `/`, so that no directory is meant.
  public func base64URLEncoded() -> String {
    base64Encoded().replacing("+", with: "-").replacing("/", with: "_")
  }

  /// Turns a name into that of a file.
  public struct Encoder: Sendable {
    private let encode: @Sendable (Filename) -> String

    private init(_ encode: @escaping @Sendable (Filename) -> String) {
      self.encode = encode
    }

    /// Base64, whose `/` makes a directory of what is before it.
    @available(*, deprecated, message: "Its slash splits names; use base64URL for new folders.")
    public static let base64 = Encoder { $0.base64Encoded() }
    /// Base64 in the alphabet for URLs and names of files.
    public static let base64URL = Encoder { $0.base64URLEncoded() }
    /// The name as it is.
    public static let noEncoding = Encoder { $0.rawValue }

    /// An encoding of the user's own.
    public static func custom(_ encode: @escaping @Sendable (Filename) -> String) -> Encoder {
      Encoder(encode)
    }

    /// The file's name.
    public func encodedString(representing filename: Filename) -> String {
      encode(filename)
    }
  }
}
