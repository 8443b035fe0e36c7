import Shallows

// As programs have them of their own.
extension Result {
  var value: Success? {
    guard case .success(let value) = self else { return nil }
    return value
  }

  var error: Failure? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
}

extension StorageAnswer {
  /// The result if it is there at once.
  var result: ShallowsResult<Value>? {
    guard case .ready(let result) = self else { return nil }
    return result
  }
}
