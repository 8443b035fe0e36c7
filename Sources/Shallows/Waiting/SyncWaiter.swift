public import Dispatch
public import Synchronization

/// A result that one thread waits for; the first counts, and later ones are dropped.
@usableFromInline
final class SyncWaiter<Value>: @unchecked Sendable {
  /// How far it is; it only goes on, to `isAwaited` from `isEmpty` alone.
  @usableFromInline let progress = Atomic<UInt8>(0)
  @usableFromInline let isTaken = Atomic<Bool>(false)
  /// Set by who took it, and read once it is there.
  @usableFromInline var result: ShallowsResult<Value>?
  /// Set by the thread that waits before it says so.
  @usableFromInline var semaphore: DispatchSemaphore?

  @inlinable static var isEmpty: UInt8 { 0 }
  @inlinable static var isAwaited: UInt8 { 1 }
  @inlinable static var isThere: UInt8 { 2 }

  @inlinable init() {}

  @inlinable
  func fulfil(_ result: ShallowsResult<Value>) {
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    self.result = result
    if progress.exchange(Self.isThere, ordering: .acquiringAndReleasing) == Self.isAwaited {
      semaphore?.signal()
    }
  }

  /// The result, for which the thread sleeps unless it is there.
  @inlinable
  func wait() throws -> Value {
    if progress.load(ordering: .acquiring) != Self.isThere { sleep() }
    return try result.unwrap().get()
  }

  @usableFromInline
  func sleep() {
    let semaphore = DispatchSemaphore(value: 0)
    self.semaphore = semaphore
    let (isAwaited, _) = progress.compareExchange(
      expected: Self.isEmpty, desired: Self.isAwaited, ordering: .acquiringAndReleasing)
    guard isAwaited else { return }
    DiskQueue.makeWay()
    semaphore.wait()
  }
}

extension StorageAnswer {
  /// The result, for which the thread sleeps unless it is ready.
  @inlinable
  func wait() throws -> Value {
    switch self {
    case .ready(let result): return try result.get()
    case .pending(let start):
      let waiter = SyncWaiter<Value>()
      start { waiter.fulfil($0) }
      return try waiter.wait()
    }
  }
}
