// The package's trait of this name, which is on by default. Without it the library needs no Foundation.
#if Foundation

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  extension Data: SedimentBytes, SedimentDecodable {
    /// Lends the bytes where they lie.
    @inlinable public func withSedimentBytes<Result, Failure: Error>(
      _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try body(bytes)
    }

    /// Copies the bytes.
    @inlinable public init(sedimentBytes bytes: RawSpan) {
      // The initializer that takes a buffer takes a quarter more instructions.
      self = unsafe bytes.withUnsafeBytes { buffer in
        unsafe buffer.baseAddress.map { unsafe Data(bytes: $0, count: buffer.count) } ?? Data()
      }
    }
  }

  @inlinable @inline(__always)
  func isData<Value>(_ type: Value.Type) -> Bool { type == Data.self }

  extension SedimentExpiry {
    /// At a date, rounded up to whole milliseconds.
    ///
    /// A date before 1970 is one that has passed: the value has expired.
    public static func at(_ date: Date) -> SedimentExpiry {
      // The fractions of a date are rarely a whole number of milliseconds: a little too much must not become one more.
      let milliseconds = (date.timeIntervalSince1970 * 1000 - 0.001).rounded(.up)
      return .at(milliseconds: milliseconds <= 1 ? 1 : UInt64(exactly: milliseconds) ?? .max)
    }
  }

  extension SedimentStore {
    /// Opens the store at a file URL; see `init(path:options:)`.
    ///
    /// Throws `invalidArgument` for any other URL.
    public convenience init(url: URL, options: SedimentOptions = SedimentOptions()) throws {
      guard url.isFileURL else {
        throw SedimentError(
          .invalidArgument, path: url.absoluteString,
          message: "The URL is not that of a file. Use one that was made of a file's path.")
      }
      try self.init(path: url.path, options: options)
    }
  }

#else
  @inlinable @inline(__always)
  func isData<Value>(_ type: Value.Type) -> Bool { false }
#endif
