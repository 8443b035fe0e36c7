// What many libraries and programs add to results. Each notes that it was called, so that tests know whose it was.

/// The names of the properties that were called.
public nonisolated(unsafe) var calledProperties: [String] = []

extension Result {
  /// Notes the call, and tells whether there is a value.
  public var isSuccess: Bool {
    calledProperties.append("isSuccess")
    if case .success = self { return true }
    return false
  }

  /// Notes the call, and tells whether there is an error.
  public var isFailure: Bool {
    calledProperties.append("isFailure")
    if case .failure = self { return true }
    return false
  }

  /// Notes the call, and returns the value.
  public var value: Success? {
    calledProperties.append("value")
    return try? get()
  }

  /// Notes the call, and returns the error.
  public var error: Failure? {
    calledProperties.append("error")
    if case .failure(let error) = self { return error }
    return nil
  }
}
