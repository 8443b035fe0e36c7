/// The threads of a pool and the queue that they serve; each thread holds it.
///
/// Of the threads without a job, one at most leads: it sleeps until the first job of the queue is due. The
/// others sleep until they are woken, or end. A thread that takes a job first sees to it that somebody looks
/// after the rest of the queue, so one of these always holds: the queue is empty; a thread leads; a thread has
/// been woken or started and is about to look; as many threads as there may be run jobs, and look afterwards.
final class WorkThreads: @unchecked Sendable {
  // Sendable: `Work.lock` guards every variable.
  let queue = WorkQueue()
  let forkCount = Forks.count
  private(set) var count = 0

  private let countMax: Int
  private let idleNanoseconds: UInt64
  private let wakeUp = Condition(of: Work.lock)
  private var startingCount = 0
  private var idleCount = 0
  private var hasLeader = false

  init(countMax: Int, idleNanoseconds: UInt64) {
    self.countMax = countMax
    self.idleNanoseconds = idleNanoseconds
  }

  /// Sees to it that somebody looks at the queue; called with the lock taken.
  func watchQueue() {
    // The queue tells the leader itself when it has to wake up earlier.
    guard queue.count > 0, !hasLeader, startingCount == 0 else { return }
    if idleCount > 0 {
      wakeUp.signal()
    } else if count < countMax {
      start()
    }
  }

  private func start() {
    guard startThread({ [self] in runThread() }) else { return }
    count += 1
    startingCount += 1
  }

  private func runThread() {
    Work.lock.withLock { startingCount -= 1 }
    while let work = Work.lock.withLock({ waitForWork() }) {
      work.run()
      let dropped = Work.lock.withLock { queue.end(work) }
      // This may be the last reference to the job or to what it holds, whose end may call the pool.
      withExtendedLifetime((work, dropped)) {}
    }
  }

  /// The next job that is due, begun; nil when the thread is to end.
  private func waitForWork() -> Work? {
    let timeToEnd = MonotonicClock.now(plus: idleNanoseconds)
    // A job forked, and this is the child: it has the thread alone, and no pool of the parent's.
    while forkCount == Forks.count {
      let now = MonotonicClock.now
      if let work = queue.beginFirst(dueAt: now) {
        watchQueue()
        return work
      }
      if let time = queue.firstTime, !hasLeader {
        hasLeader = true
        _ = queue.firstHasChanged.wait(until: time)
        hasLeader = false
      } else if now < timeToEnd {
        idleCount += 1
        _ = wakeUp.wait(until: timeToEnd)
        idleCount -= 1
      } else {
        count -= 1
        return nil
      }
    }
    return nil
  }
}
