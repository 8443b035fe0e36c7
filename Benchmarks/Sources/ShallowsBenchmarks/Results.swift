extension Result {
  /// The value, nil for a failure.
  var value: Success? {
    guard case .success(let value) = self else { return nil }
    return value
  }
}
