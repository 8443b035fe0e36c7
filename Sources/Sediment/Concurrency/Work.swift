/// What runs jobs later: the pool of threads, or a test by hand.
package protocol WorkScheduler: Sendable {
  /// Lets the job run once, no earlier than the delay says; 0 means as soon as possible.
  ///
  /// A job that waits already keeps the earlier of the two times. One that is running runs again afterwards.
  /// One that was cancelled, or made before a fork that led to this process, never runs.
  func schedule(_ work: Work, after nanoseconds: UInt64)
}

/// A job that can be scheduled again and again, and never runs on two threads at once.
///
/// A scheduler holds it only while it waits or runs. In its life it belongs to one scheduler.
package final class Work: @unchecked Sendable {
  // Sendable: `Work.lock` guards every variable of every job, and of the queues and schedulers.
  private var body: (@Sendable () -> Void)?
  private var isCancelled = false
  private let forkCount = Forks.count

  /// The identity of the thread that runs it, or 0.
  private var runner: UInt = 0
  /// When to run again, if it was scheduled while it ran.
  private var timeOfNextRun: UInt64?
  /// Made by the first who waits for the end of a run.
  private var runHasEnded: Condition?

  /// The queue that it waits in or waited in last, and its place there while it waits.
  private(set) weak var queue: WorkQueue?
  var place: Int?

  /// Guards all jobs, queues and schedulers of the process; nothing of a user's runs under it.
  ///
  /// A fork waits for it, so that no child finds it taken by a thread that it does not have.
  static let lock = Lock.heldAcrossForks()

  /// A job that does this; scheduling it is another matter.
  package init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  /// Sees to it that the job never runs again, waits until it does not run, and drops what it would do.
  ///
  /// Called by the job itself it does not wait: this run is the last, and drops the rest as it ends. Whoever
  /// calls it must hold nothing that the job may wait for.
  package func cancelAndWait() {
    let thread = ThreadIdentity.current
    // Whatever the body holds goes away after the lock was given back.
    let dropped: (@Sendable () -> Void)? = Work.lock.withLock {
      isCancelled = true
      timeOfNextRun = nil
      // Its queue, and the thread that ran it, are the parent's.
      guard forkCount == Forks.count else { return nil }
      queue?.remove(self)
      while runner != 0 && runner != thread {
        let condition = runHasEnded ?? Condition(of: Work.lock)
        runHasEnded = condition
        condition.wait()
      }
      return runner == 0 ? takeBody() : nil
    }
    withExtendedLifetime(dropped) {}
  }

  /// Whether this thread is running it.
  var isRunHere: Bool { Work.lock.withLock { runner == ThreadIdentity.current } }

  // For schedulers, with the lock taken

  var canRun: Bool { !isCancelled && forkCount == Forks.count }

  /// Whether it runs; then it has noted to run again at this time.
  func isRunning(andRunsAgainAt time: UInt64) -> Bool {
    guard runner != 0 else { return false }
    timeOfNextRun = min(time, timeOfNextRun ?? .max)
    return true
  }

  /// Begins a run on this thread, which `run` does and `end` ends.
  func begin() {
    runner = ThreadIdentity.current
  }

  /// Ends a run; the scheduler drops the first result without the lock, and schedules for the second.
  func end() -> (dropped: (@Sendable () -> Void)?, timeOfNextRun: UInt64?) {
    runner = 0
    runHasEnded?.broadcast()
    let time = timeOfNextRun
    timeOfNextRun = nil
    return isCancelled ? (takeBody(), nil) : (nil, time)
  }

  func belongs(to queue: WorkQueue) {
    guard self.queue !== queue else { return }
    precondition(self.queue == nil, "A job belongs to one scheduler.")
    self.queue = queue
    // It may have waited in a queue that went away.
    place = nil
  }

  /// Does what the job does, between `begin` and `end`, without the lock.
  func run() {
    // Constant while it runs: only a cancellation that sees no run takes it.
    body?()
  }

  private func takeBody() -> (@Sendable () -> Void)? {
    defer { body = nil }
    return body
  }
}
