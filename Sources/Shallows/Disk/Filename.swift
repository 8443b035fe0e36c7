public import Foundation

/// The name of a value in a folder: any string, which an encoder turns into the name of a file.
///
/// Names are equal as strings are, in memory, in files and in the log: "é" is one name, whether it is written as one
/// scalar or as two.
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

extension Filename {
  /// The one way to write the name that files and the log have, among those that are equal.
  @inlinable
  var canonical: String { isASCII ? rawValue : rawValue.precomposedStringWithCanonicalMapping }

  /// Whether the name is ASCII, so that there is but one way to write it.
  @inlinable @inline(__always)
  var isASCII: Bool { withASCII { _ in true } ?? false }

  /// Lends the bytes of a name that is ASCII to a closure; nil if it is not.
  @inlinable @inline(__always)
  func withASCII<Result>(_ body: (RawSpan) -> Result) -> Result? {
    unsafe rawValue.utf8.withContiguousStorageIfAvailable { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      return unsafe Self.isASCII(bytes) ? body(unsafe RawSpan(_unsafeBytes: bytes)) : nil
    } ?? nil
  }

  @inlinable @inline(__always)
  static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var (bits, index): (UInt64, Int) = (0, 0)
    if bytes.count >= 8 {
      // Words, of which the last one may overlap the one before.
      while index < bytes.count &- 8 {
        bits |= unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        index &+= 8
      }
      bits |= unsafe bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
    } else {
      while index < bytes.count {
        bits |= UInt64(unsafe bytes[index])
        index &+= 1
      }
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// The ways to write the name that a file may have, the one of new files first: folders of before have the others.
  var forms: [Filename] {
    if isASCII { return [self] }
    return [canonical, rawValue, rawValue.decomposedStringWithCanonicalMapping].map(Filename.init(rawValue:))
  }
}
