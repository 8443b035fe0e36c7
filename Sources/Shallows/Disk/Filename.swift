/// The name of a value in a folder: any string, which an encoder turns into the name of a file.
public struct Filename: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name as its user knows it.
  public var rawValue: String

  /// Creates a name of a string.
  @inlinable
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates a name of a literal.
  @inlinable
  public init(stringLiteral value: String) {
    self.init(rawValue: value)
  }

  /// Creates a name of a literal of one scalar.
  @inlinable
  public init(unicodeScalarLiteral value: String) {
    self.init(rawValue: value)
  }

  /// Creates a name of a literal of one character.
  @inlinable
  public init(extendedGraphemeClusterLiteral value: String) {
    self.init(rawValue: value)
  }
}
