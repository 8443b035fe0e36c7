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

// Published programs use these names, and others have properties of results with these names of their own, or from
// another library: those are preferred, so that both compile.
extension Result {
  /// Whether there is a value.
  @_disfavoredOverload
  public var isSuccess: Bool { value != nil }

  /// Whether there is none.
  @_disfavoredOverload
  public var isFailure: Bool { error != nil }

  /// The value, nil for a failure.
  @inlinable @_disfavoredOverload
  public var value: Success? {
    guard case .success(let value) = self else { return nil }
    return value
  }

  /// The error, nil where there is a value.
  @inlinable @_disfavoredOverload
  public var error: Failure? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
}
