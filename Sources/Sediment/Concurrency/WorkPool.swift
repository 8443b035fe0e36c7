/// A few threads that run the jobs of all stores of the process.
///
/// Threads are started as they are needed and end after a while without a job, so that an idle process has
/// none and nothing in it wakes up. While jobs wait for their time one thread sleeps until the earliest. In a
/// child after a fork the pool starts over, empty: the jobs are the parent's.
package final class WorkPool: WorkScheduler, @unchecked Sendable {
  // Sendable: `Work.lock` guards the variable and what it leads to.
  private var threads: WorkThreads

  /// The pool of the process.
  ///
  /// Its jobs block on disks, so it may have more threads than there are processors: while one syncs and another
  /// stores an index, a third has to go on moving records.
  package static let shared = WorkPool(threadCountMax: 4, idleNanoseconds: 10_000_000_000)

  /// A pool of its own, whose threads end after so long without a job.
  package init(threadCountMax: Int, idleNanoseconds: UInt64) {
    precondition(threadCountMax > 0)
    threads = WorkThreads(countMax: threadCountMax, idleNanoseconds: idleNanoseconds)
  }

  /// Lets the job run once; see the protocol.
  ///
  /// Should the system refuse the pool its only thread, the job waits for the next call.
  package func schedule(_ work: Work, after nanoseconds: UInt64) {
    let time = MonotonicClock.now(plus: nanoseconds)
    Work.lock.withLock {
      let threads = threadsOfThisProcess()
      threads.queue.schedule(work, at: time)
      threads.watchQueue()
    }
  }

  /// How many jobs wait for their time or a thread.
  package var waitingCount: Int { Work.lock.withLock { threadsOfThisProcess().queue.count } }

  /// How many threads there are.
  package var threadCount: Int { Work.lock.withLock { threadsOfThisProcess().count } }

  private func threadsOfThisProcess() -> WorkThreads {
    if threads.forkCount != Forks.count {
      // Neither freed nor used: its jobs lead to stores, and a store that went away here would give up locks
      // on its file that are the parent's too.
      _ = unsafe Unmanaged.passRetained(threads)
      threads = WorkThreads(countMax: threads.countMax, idleNanoseconds: threads.idleNanoseconds)
    }
    return threads
  }
}

/// The threads of a pool and the queue that they serve; each thread holds it.
///
/// Of the threads without a job, one at most leads: it sleeps until the first job of the queue is due. The
/// others sleep until they are woken, or end. A thread that takes a job first sees to it that somebody looks
/// after the rest of the queue, so one of these always holds: the queue is empty; a thread leads; a thread has
/// been woken or started and is about to look; as many threads as there may be run jobs, and look afterwards.
private final class WorkThreads: @unchecked Sendable {
  // Sendable: `Work.lock` guards every variable.
  let queue = WorkQueue()
  let forkCount = Forks.count
  private(set) var count = 0

  let countMax: Int
  let idleNanoseconds: UInt64
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
    } else if count < countMax, startThread({ [self] in runThread() }) {
      count += 1
      startingCount += 1
    }
  }

  private func runThread() {
    Work.lock.withLock { startingCount -= 1 }
    // The job may end with its run, and that of what it holds call the pool: each is let go of without the lock.
    while let work = Work.lock.withLock({ waitForWork() }) { queue.run(work) }
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
