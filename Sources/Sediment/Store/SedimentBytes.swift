/// A type whose values can be keys and values of a store: bytes that lie side by side in memory.
///
/// Text stands for its UTF-8. To conform, a type lends its bytes to a closure.
public protocol SedimentBytes: ~Escapable {
  /// Calls `body` once with the bytes, which must stay where they are until it returns, and throws what it throws.
  func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result
}

/// A type that can be made of the bytes of a stored value.
///
/// Calls that retrieve a value throw `undecodable` where the initializer returns nil.
public protocol SedimentDecodable {
  /// Makes a value of the bytes; nil if they do not stand for one.
  ///
  /// The bytes are valid only during the call: what is kept has to be copied.
  init?(sedimentBytes bytes: RawSpan)
}

extension RawSpan: SedimentBytes {
  /// Lends the bytes that the span covers.
  @inlinable public func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(self)
  }
}

extension Array: SedimentBytes where Element == UInt8 {
  /// Lends the elements where they lie.
  @inlinable public func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe span.bytes)
  }
}

extension ArraySlice: SedimentBytes where Element == UInt8 {
  /// Lends the elements where they lie.
  @inlinable public func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe span.bytes)
  }
}

extension ContiguousArray: SedimentBytes where Element == UInt8 {
  /// Lends the elements where they lie.
  @inlinable public func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe span.bytes)
  }
}

extension String: SedimentBytes {
  /// Lends the UTF-8 of the text.
  @inlinable public func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Nearly all strings hold UTF-8, and lend it without a copy of themselves.
    if let outcome = unsafe utf8.withContiguousStorageIfAvailable({ unsafe sedimentOutcome($0, body) }) {
      return try outcome.get()
    }
    var copy = self
    return try copy.withUTF8 { unsafe sedimentOutcome($0, body) }.get()
  }
}

extension Substring: SedimentBytes {
  /// Lends the UTF-8 of a copy of the text.
  @inlinable public func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try String(self).withSedimentBytes(body)
  }
}

extension StaticString: SedimentBytes {
  /// Lends the UTF-8 of a copy of the text.
  @inlinable public func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try description.withSedimentBytes(body)
  }
}

extension Optional where Wrapped: SedimentBytes & ~Escapable {
  /// Lends the bytes of a value, or nil if there is none.
  @inlinable func withBytesIfAny<Result, Failure: Error>(
    _ body: (RawSpan?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let value = self else { return try body(nil) }
    return try value.withSedimentBytes { (bytes) throws(Failure) -> Result in try body(bytes) }
  }
}

/// Calls `body` with UTF-8 that a string lends to a closure, which could not throw a typed error itself.
@inlinable func sedimentOutcome<Result, Failure: Error>(
  _ bytes: UnsafeBufferPointer<UInt8>, _ body: (RawSpan) throws(Failure) -> Result
) -> Swift.Result<Result, Failure> {
  do throws(Failure) {
    // The bytes live as long as the closure that they are lent to.
    return .success(try body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes))))
  } catch {
    return .failure(error)
  }
}

/// Whether a type only copies the bytes that it is decoded from, so that no code of a user runs.
@inlinable @inline(__always)
func copiesBytes<Value: SedimentDecodable>(_ type: Value.Type) -> Bool {
  type == [UInt8].self || type == String.self || isData(type)
}

extension Array: SedimentDecodable where Element == UInt8 {
  /// Copies the bytes.
  @inlinable public init(sedimentBytes bytes: RawSpan) {
    // Half as many instructions as by an initializer that fills uninitialized memory, which looks its storage's type up.
    self = unsafe bytes.withUnsafeBytes { buffer in unsafe [UInt8](buffer) }
  }
}

extension String: SedimentDecodable {
  /// The text whose UTF-8 the bytes are; nil if they are not UTF-8.
  @inlinable public init?(sedimentBytes bytes: RawSpan) {
    let text = unsafe bytes.withUnsafeBytes { buffer in unsafe String(validating: buffer, as: UTF8.self) }
    guard let text else { return nil }
    self = text
  }
}

extension [UInt8] {
  /// Makes the elements those of a buffer, most of them where the ones before lie: values are often as long as others.
  @inlinable @inline(__always)
  mutating func replaceAll(by bytes: UnsafeRawBufferPointer) {
    if count > bytes.count { removeLast(count &- bytes.count) }
    let keptCount = count
    unsafe withUnsafeMutableBytes { target in
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<keptCount]))
    }
    if keptCount < bytes.count { unsafe append(contentsOf: bytes[keptCount...]) }
  }
}
