internal import Synchronization

/// A moment of a history; the same order for all its threads.
public struct OperationMoment: Hashable, Sendable, Comparable {
  let number: UInt64

  init(_ number: UInt64) {
    self.number = number
  }

  /// Whether a moment was earlier.
  public static func < (one: OperationMoment, other: OperationMoment) -> Bool { one.number < other.number }
}

/// An operation on a key as its caller saw it.
public struct RecordedOperation<Key: Hashable & Sendable, Value: Hashable & Sendable>: Hashable, Sendable {
  /// The key.
  public var key: Key
  /// What the operation did.
  public var step: RegisterStep<Value>
  /// A moment before it began.
  public var begin: OperationMoment
  /// A moment after it had ended; nil if it is not known whether it ever took effect, as after an error.
  public var end: OperationMoment?
}

/// What several threads did to a storage and when, for `LinearizabilityChecker`.
///
/// Each thread notes what it does in a log of its own, without waiting for the others:
///
///     var log = history.log()
///     let begin = log.now()
///     try store.set(value, forKey: key)
///     log.note(.set(value), on: key, since: begin)
///     ...
///     history.add(log)
///
/// What orders the moments is one counter that all threads add to. So the moments are exact, and each orders memory
/// between threads as an atomic with acquire and release does.
public final class OperationHistory<Key: Hashable & Sendable, Value: Hashable & Sendable>: Sendable {
  private let clock = Atomic<UInt64>(0)
  private let recorded = Mutex<[RecordedOperation<Key, Value>]>([])

  /// Creates a history in which nothing has happened.
  public init() {}

  /// This moment, later than every one before.
  public func now() -> OperationMoment {
    OperationMoment(clock.add(1, ordering: .acquiringAndReleasing).newValue)
  }

  /// A log for one thread.
  public func log() -> OperationLog<Key, Value> {
    OperationLog(self)
  }

  /// Adds what a thread noted in its log.
  public func add(_ log: consuming OperationLog<Key, Value>) {
    let operations = log.operations
    recorded.withLock { $0 += operations }
  }

  /// What is in the logs that were added, in no order.
  public var operations: [RecordedOperation<Key, Value>] {
    recorded.withLock { $0 }
  }
}

/// What one thread did.
public struct OperationLog<Key: Hashable & Sendable, Value: Hashable & Sendable>: Sendable {
  private let history: OperationHistory<Key, Value>
  /// What was noted so far, in that order.
  public private(set) var operations: [RecordedOperation<Key, Value>] = []

  init(_ history: OperationHistory<Key, Value>) {
    self.history = history
  }

  /// This moment: to be taken before an operation begins.
  public func now() -> OperationMoment { history.now() }

  /// Notes an operation that has ended.
  public mutating func note(_ step: RegisterStep<Value>, on key: Key, since begin: OperationMoment) {
    note(step, on: key, from: begin, to: now())
  }

  /// Notes an operation with the moments before and after it, as one of several keys has them in common; without an
  /// end, one that may take effect at any time after its beginning, or never.
  public mutating func note(
    _ step: RegisterStep<Value>, on key: Key, from begin: OperationMoment, to end: OperationMoment?
  ) {
    operations.append(RecordedOperation(key: key, step: step, begin: begin, end: end))
  }
}
