internal import Synchronization

/// A value that threads change one at a time.
///
/// It is a value as any other: a copy has a value of its own. Threads that are to share one share the place that it is in.
public struct ThreadSafe<Value> {
  private var value: Value
  private let lock = Lock()

  /// Creates a place with a value.
  public init(_ value: Value) { self.value = value }

  /// The value.
  public func read() -> Value { lock.with { value } }

  /// Changes the value, while nobody else reads or changes it.
  public mutating func write(with modify: (inout Value) -> Void) { lock.with { modify(&value) } }

  /// Replaces the value.
  public mutating func write(_ newValue: Value) { lock.with { value = newValue } }
}

extension ThreadSafe: Sendable where Value: Sendable {}

/// A lock that the copies of a value share.
private final class Lock: Sendable {
  private let mutex = Mutex(())

  func with<Result>(_ body: () -> Result) -> Result { mutex.withLock { _ in Unchecked(body()) }.value }
}
