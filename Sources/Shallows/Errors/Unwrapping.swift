extension Optional {
  /// A value was missing.
  public struct UnwrapError: Error {
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

/// Turns a function that may have no answer into one that throws `Optional.UnwrapError` then.
public func throwing<In, Out>(_ block: @escaping (In) -> Out?) -> (In) throws -> Out {
  { input in try block(input).unwrap() }
}
