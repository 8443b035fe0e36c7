internal import Synchronization

/// A value that any thread may read and change.
///
/// Copies share the value. What changes it must not use it by another way meanwhile.
public struct ThreadSafe<Value> {
  private let box: Guarded<Value>

  /// Creates a place with a value.
  public init(_ value: Value) { box = Guarded(value) }

  /// The value.
  public func read() -> Value { box.read() }

  /// Changes the value, while nobody else reads or changes it.
  public mutating func write(with modify: (inout Value) -> Void) { box.write(modify) }

  /// Replaces the value.
  public mutating func write(_ newValue: Value) {
    box.write { $0 = newValue }
  }
}

// The value is behind a lock.
extension ThreadSafe: Sendable where Value: Sendable {}

/// A value that is only touched under its lock.
private final class Guarded<Value>: @unchecked Sendable {
  private let lock = Mutex(())
  private var value: Value

  init(_ value: Value) { self.value = value }

  func read() -> Value { lock.withLock { _ in Unchecked(value) }.value }

  func write(_ modify: (inout Value) -> Void) { lock.withLock { _ in modify(&value) } }
}
