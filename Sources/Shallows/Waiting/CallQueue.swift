import Synchronization

/// Lets calls begin one at a time, in the order in which they came.
///
/// Each begins on a thread that nobody waits for, so that what comes after a call may wait for later ones.
final class CallQueue: @unchecked Sendable {
  typealias Call = (_ ended: @escaping @Sendable () -> Void) -> Void

  // All are only touched under the lock.
  private let lock = Mutex(())
  private var arrived: [Call] = []
  /// Those that came first, the last of them in front.
  private var next: [Call] = []
  private var isBusy = false

  /// Runs a call once those before it have ended; it says that it has by the closure that it is given.
  func run(_ call: @escaping Call) {
    let mayBegin = lock.withLock { _ in
      arrived.append(call)
      defer { isBusy = true }
      return !isBusy
    }
    if mayBegin { beginNext() }
  }

  private func beginNext() {
    ElasticThreads.shared.run {
      let once = Once()
      self.takeNext()? { if once.isFirst() { self.beginNext() } }
    }
  }

  private func takeNext() -> Call? {
    let call: Unchecked<Call?> = lock.withLock { _ in
      if next.isEmpty {
        next = arrived.reversed()
        arrived = []
      }
      isBusy = !next.isEmpty
      return Unchecked(next.popLast())
    }
    return call.value
  }
}
