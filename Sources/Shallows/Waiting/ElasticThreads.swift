import Foundation

/// Threads for closures that may wait: each begins at once, on a thread that has nothing to do or on a new one.
///
/// So no closure waits for another one to end, as it may on a pool with a fixed number of threads. There are at most
/// `threadCountMax`; threads that had nothing to do for a while end.
final class ElasticThreads: TaskExecutor, @unchecked Sendable {
  static let shared = ElasticThreads()

  /// How many threads there may be; what is more waits for one.
  static let threadCountMax = 512
  /// How long a thread waits for something to do, in seconds.
  private static let idleSecondsMax = 5.0

  private let condition = NSCondition()
  // All are only touched under the condition's lock.
  private var waiting: [@Sendable () -> Void] = []
  private var idleCount = 0
  private var threadCount = 0

  /// Runs a closure on one of the threads.
  func run(_ body: @escaping @Sendable () -> Void) {
    condition.lock()
    waiting.append(body)
    let needsThread = waiting.count > idleCount && threadCount < Self.threadCountMax
    if needsThread { threadCount += 1 }
    condition.signal()
    condition.unlock()
    if needsThread { Thread.detachNewThread { self.work() } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    run { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  private func work() {
    while let body = next() { body() }
  }

  /// What is to be done next; nil if the thread shall end.
  private func next() -> (@Sendable () -> Void)? {
    condition.lock()
    defer { condition.unlock() }
    let deadline = Date(timeIntervalSinceNow: Self.idleSecondsMax)
    while waiting.isEmpty {
      idleCount += 1
      let isInTime = condition.wait(until: deadline)
      idleCount -= 1
      guard isInTime || !waiting.isEmpty else {
        threadCount -= 1
        return nil
      }
    }
    return waiting.removeFirst()
  }
}
