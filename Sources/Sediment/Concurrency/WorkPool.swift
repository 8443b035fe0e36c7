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
  /// Jobs wait for disks, for locks and for the code of users, so a job has a place for a limited time only: if the jobs
  /// of four stores hang, a fifth store still syncs and compacts.
  package static let shared = WorkPool(
    placeCount: 4, placeNanoseconds: 20_000_000, threadCountMax: 64, idleNanoseconds: 10_000_000_000)

  /// A pool of its own.
  ///
  /// At most `placeCount` jobs begin within `placeNanoseconds`, unless a job has been due for as long as that. A thread
  /// ends after `idleNanoseconds` without a job.
  package init(placeCount: Int, placeNanoseconds: UInt64, threadCountMax: Int, idleNanoseconds: UInt64) {
    precondition(placeCount > 0 && placeCount <= threadCountMax)
    threads = WorkThreads(
      places: WorkPlaces(count: placeCount, nanoseconds: placeNanoseconds), countMax: threadCountMax,
      idleNanoseconds: idleNanoseconds)
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
      threads = WorkThreads(
        places: threads.places.emptied, countMax: threads.countMax, idleNanoseconds: threads.idleNanoseconds)
    }
    return threads
  }
}

/// The threads of a pool and the queue that they serve; each thread holds it.
///
/// Of the threads without a job, one at most leads: it sleeps until the first job of the queue may begin. The
/// others sleep until they are woken, or end. A thread that takes a job first sees to it that another thread looks
/// after the rest of the queue, so one of these always holds: the queue is empty; a thread leads; a thread has
/// been woken or started and is about to look; all threads that there may be run jobs, and look afterwards.
private final class WorkThreads: @unchecked Sendable {
  // Sendable: `Work.lock` guards every variable.
  let queue = WorkQueue()
  let forkCount = Forks.count
  private(set) var count = 0
  private(set) var places: WorkPlaces

  let countMax: Int
  let idleNanoseconds: UInt64
  private let wakeUp = Condition(of: Work.lock)
  private var startingCount = 0
  private var idleCount = 0
  private var hasLeader = false

  init(places: WorkPlaces, countMax: Int, idleNanoseconds: UInt64) {
    self.places = places
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
    while let (work, begun) = Work.lock.withLock({ waitForWork() }) {
      queue.run(work)
      Work.lock.withLock { endRun(begun) }
    }
  }

  /// The next job that may begin, begun, and when; nil when the thread is to end.
  private func waitForWork() -> (Work, begun: UInt64)? {
    let timeToEnd = MonotonicClock.now(plus: idleNanoseconds)
    // A job forked, and this is the child: it has the thread alone, and no pool of the parent's.
    while forkCount == Forks.count {
      let now = MonotonicClock.now
      let timeToBegin = queue.firstTime.map { places.timeToBegin(jobDueAt: $0) }
      if let timeToBegin, timeToBegin <= now, let work = queue.beginFirst(dueAt: now) {
        places.begin(at: now)
        watchQueue()
        return (work, now)
      }
      if let timeToBegin, !hasLeader {
        hasLeader = true
        _ = queue.firstHasChanged.wait(until: timeToBegin)
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

  private func endRun(_ begun: UInt64) {
    // The leader sleeps until a place is free, or longer, if all were taken.
    if places.end(begunAt: begun), hasLeader { queue.firstHasChanged.signal() }
  }
}
