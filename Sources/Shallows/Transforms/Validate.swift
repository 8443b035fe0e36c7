/// A value was found or given that is not valid.
public struct ValueValidationError: Error, Sendable, Hashable {
  /// Creates the error.
  public init() {}
}

/// The closure that lets values pass if they are valid.
private func validating<Value>(
  _ isValid: @escaping (Value) async throws -> Bool
) -> (Value) async throws -> Value {
  { value in
    guard try await isValid(value) else { throw ValueValidationError() }
    return value
  }
}

extension StorageProtocol {
  /// The same storage, in which values that are not valid fail, set as well as retrieved.
  public func validate(_ isValid: @escaping (Value) async throws -> Bool) -> Storage<Key, Value> {
    asyncMapValues(transformIn: validating(isValid), transformOut: validating(isValid))
  }
}

extension ReadOnlyStorageProtocol {
  /// The same storage, in which values that are not valid fail.
  public func validate(_ isValid: @escaping (Value) async throws -> Bool) -> ReadOnlyStorage<Key, Value> {
    asyncMapValues(validating(isValid))
  }
}

extension WriteOnlyStorageProtocol {
  /// The same storage, in which values that are not valid fail.
  public func validate(_ isValid: @escaping (Value) async throws -> Bool) -> WriteOnlyStorage<Key, Value> {
    asyncMapValues(validating(isValid))
  }
}
