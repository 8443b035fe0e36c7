/// What a storage answers with.
public typealias ShallowsResult<Value> = Result<Value, any Error>

/// Builds a failed result.
public func fail<Value>(with error: any Error) -> ShallowsResult<Value> {
  .failure(error)
}

/// Builds a result that has a value.
public func succeed<Value>(with value: Value) -> ShallowsResult<Value> {
  .success(value)
}

extension Result {
  /// Whether there is a value.
  public var isSuccess: Bool { value != nil }

  /// Whether there is none.
  public var isFailure: Bool { error != nil }
}

// Not public: programs have properties of these names of their own.
extension Result {
  /// The value, nil for a failure.
  @usableFromInline var value: Success? {
    guard case .success(let value) = self else { return nil }
    return value
  }

  /// The error, nil where there is a value.
  @usableFromInline var error: Failure? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
}
