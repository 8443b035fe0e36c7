import Synchronization

/// A value that completions on other threads change.
final class Shared<Value: Sendable>: Sendable {
  private let lock: Mutex<Value>

  init(_ value: Value) { lock = Mutex(value) }

  var value: Value { lock.withLock { $0 } }

  @discardableResult
  func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { value in body(&value) }
  }
}
