public import Foundation

/// Data that `T` could not make a value of: a `JSONDecoder`, for instance.
///
/// Swift's own error of this name is `Swift.DecodingError` where this module is imported.
public struct DecodingError<T>: Error, StorageFailure {
  /// What could not be decoded.
  @StringPrinted public var originalData: Data
  /// What the decoder said.
  public var rawError: any Error

  /// Creates the error.
  public init(originalData: Data, rawError: any Error) {
    _originalData = StringPrinted(wrappedValue: originalData)
    self.rawError = rawError
  }

  /// What the failure means.
  public var failureKind: FailureKind { .cannotDecode }
}

/// Data that is printed as the text it is, if it is one.
@propertyWrapper
public struct StringPrinted: CustomStringConvertible, Sendable {
  /// The data.
  public var wrappedValue: Data

  /// Creates it of data.
  public init(wrappedValue: Data) { self.wrappedValue = wrappedValue }

  /// The text; of data that is no UTF-8, how long it is.
  public var description: String {
    String(validating: wrappedValue, as: UTF8.self) ?? "\(wrappedValue.count) bytes that are no text"
  }
}
