import Dispatch
import Synchronization

/// A result that one thread waits for; the first counts, and later ones are dropped.
@usableFromInline
final class SyncWaiter<Value>: @unchecked Sendable {
  // The fields are only touched under the lock.
  private let lock = Mutex(())
  private var result: ShallowsResult<Value>?
  /// There from when a thread has to be woken.
  private var semaphore: DispatchSemaphore?

  @usableFromInline init() {}

  @usableFromInline
  func fulfil(_ result: ShallowsResult<Value>) {
    let waiting: DispatchSemaphore? = lock.withLock { _ in
      guard self.result == nil else { return nil }
      self.result = result
      return semaphore
    }
    waiting?.signal()
  }

  /// The result, for which the thread sleeps unless it is there.
  @usableFromInline
  func wait() throws -> Value {
    let semaphore: DispatchSemaphore? = lock.withLock { _ in
      if result == nil { self.semaphore = DispatchSemaphore(value: 0) }
      return self.semaphore
    }
    semaphore?.wait()
    return try lock.withLock { _ in Unchecked(result) }.value.unwrap().get()
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
