internal import Foundation

extension Optional {
  /// A value was missing.
  ///
  /// A storage that fails with it has no value for the key. Thrown by the closure of a transform it means that a value
  /// could not be made into another one, or a key.
  public struct UnwrapError: Error, StorageFailure, CustomStringConvertible {
    /// What the failure means.
    public internal(set) var failureKind = FailureKind.noValue

    /// Its name: what the failure means depends on who threw it.
    public var description: String { "UnwrapError()" }

    /// Creates the error.
    public init() {}
  }

  /// The value, or `UnwrapError`.
  public func unwrap() throws -> Wrapped {
    try unwrap(orThrow: UnwrapError())
  }

  /// The value, or the error given.
  public func unwrap(orThrow error: @autoclosure () -> any Error) throws -> Wrapped {
    guard let value = self else { throw error() }
    return value
  }
}

/// An error whose meaning depends on whose failure it is.
private protocol MissingValue: Error {
  var failureKind: FailureKind { get set }
}

extension Optional.UnwrapError: MissingValue {}
extension EmptyCacheError: MissingValue {}

/// A closure that transforms failed with an error that means a missing value to storages, though something is there.
///
/// Errors of Foundation and those that the library has always had keep their types.
public struct TransformError: Error, StorageFailure, CustomStringConvertible {
  /// What the failure means.
  public let failureKind: FailureKind
  /// What the closure threw.
  public let underlyingError: any Error

  /// What the closure threw says.
  public var description: String { "\(underlyingError)" }
}

extension Error {
  /// The error as the failure of a closure that transforms: something is there, and nothing could be made of it.
  @usableFromInline
  func ofTransform(_ kind: FailureKind) -> any Error {
    guard isNoValue else { return self }
    if var missing = self as? any MissingValue {
      missing.failureKind = kind
      return missing
    }
    if let error = self as? CocoaError { return error.ofKind(kind) }
    return TransformError(failureKind: kind, underlyingError: self)
  }
}

/// Turns a function that may have no answer into one that throws `Optional.UnwrapError` then.
public func throwing<In, Out>(_ block: @escaping (In) -> Out?) -> (In) throws -> Out {
  { input in try block(input).unwrap() }
}
