public import Dispatch
public import Synchronization

/// A thread that waits for a result, which is put onto its stack; the first counts, and later ones are dropped.
///
/// It has no type of values: the end of a generic object would look its types up each time.
@safe @usableFromInline
final class SyncWaiter: @unchecked Sendable {
  /// How far it is; it only goes on, to `isAwaited` from `isEmpty` alone.
  @usableFromInline let progress = Atomic<UInt8>(0)
  @usableFromInline let isTaken = Atomic<Bool>(false)
  /// Where the result belongs: who took it writes there, once, before the thread goes on, and nobody does later.
  @usableFromInline let place: UnsafeMutableRawPointer
  /// Set by the thread that waits before it says so.
  @usableFromInline var semaphore: DispatchSemaphore?

  @inlinable static var isEmpty: UInt8 { 0 }
  @inlinable static var isAwaited: UInt8 { 1 }
  @inlinable static var isThere: UInt8 { 2 }

  @inlinable
  init(place: UnsafeMutableRawPointer) { unsafe self.place = place }

  @inlinable
  func fulfil<Value>(_ result: ShallowsResult<Value>) {
    guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // `wait()` below made the place for this type.
    unsafe place.assumingMemoryBound(to: ShallowsResult<Value>?.self).pointee = result
    if progress.exchange(Self.isThere, ordering: .acquiringAndReleasing) == Self.isAwaited {
      semaphore?.signal()
    }
  }

  /// Begins what gives the result, and returns once that is there; the thread sleeps unless it is.
  @usableFromInline
  func wait(for begin: () -> Void) {
    CallingThread.calling(for: .waits, begin)
    if progress.load(ordering: .acquiring) != Self.isThere { sleep() }
  }

  private func sleep() {
    let semaphore = DispatchSemaphore(value: 0)
    self.semaphore = semaphore
    let (isAwaited, _) = progress.compareExchange(
      expected: Self.isEmpty, desired: Self.isAwaited, ordering: .acquiringAndReleasing)
    guard isAwaited else { return }
    SerialQueue.makeWay()
    Workers.shared.asleep { semaphore.wait() }
  }
}

extension StorageAnswer {
  /// The result, for which the thread sleeps unless it is ready.
  @inlinable
  consuming func wait() throws -> Value {
    switch consume self {
    case .ready(let result): return try result.get()
    case .pending(let start):
      var result: ShallowsResult<Value>?
      unsafe withUnsafeMutablePointer(to: &result) { place in
        let waiter = unsafe SyncWaiter(place: UnsafeMutableRawPointer(place))
        waiter.wait { start { waiter.fulfil($0) } }
      }
      switch result {
      case .success(let value)?: return value
      case .failure(let error)?: throw error
      case nil: throw Value?.UnwrapError()
      }
    }
  }
}
