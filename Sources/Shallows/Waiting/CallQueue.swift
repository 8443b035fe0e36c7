import Dispatch
import Synchronization

/// Lets calls begin one at a time, in the order in which they came, on a queue of its own.
final class CallQueue: @unchecked Sendable {
  private let queue: DispatchQueue
  // Both are only touched under the lock.
  private let lock = Mutex(())
  private var waiting: [(@escaping @Sendable () -> Void) -> Void] = []
  private var isBusy = false

  init(label: String) { queue = DispatchQueue(label: label) }

  /// Runs a call once those before it have ended; it says that it has by the closure that it is given.
  func run(_ call: @escaping (_ ended: @escaping @Sendable () -> Void) -> Void) {
    let mayBegin = lock.withLock { _ in
      waiting.append(call)
      defer { isBusy = true }
      return !isBusy
    }
    if mayBegin { beginNext() }
  }

  private func beginNext() {
    queue.async {
      let call: Unchecked<((@escaping @Sendable () -> Void) -> Void)?> = self.lock.withLock { _ in
        guard self.waiting.isEmpty else { return Unchecked(self.waiting.removeFirst()) }
        self.isBusy = false
        return Unchecked(nil)
      }
      let once = Once()
      call.value? { if once.isFirst() { self.beginNext() } }
    }
  }
}
