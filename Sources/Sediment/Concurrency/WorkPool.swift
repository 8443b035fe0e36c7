internal import CSediment

/// A few threads that run the jobs of all stores of the process.
///
/// Threads are started as they are needed and end after a while without a job, so that an idle process has
/// none and nothing in it wakes up. While jobs wait for their time one thread sleeps until the earliest. In a
/// child after a fork the pool starts over, empty: the jobs are the parent's.
package final class WorkPool: WorkScheduler, @unchecked Sendable {
  // Sendable: `Work.lock` guards the variable and what it leads to.
  private var threads: WorkThreads
  private let threadCountMax: Int
  private let idleNanoseconds: UInt64

  /// The pool of the process.
  ///
  /// Its jobs block on disks, so it may have more threads than there are processors: while one syncs and another
  /// stores an index, a third has to go on moving records.
  package static let shared = WorkPool(threadCountMax: 4, idleNanoseconds: 10_000_000_000)

  /// A pool of its own, whose threads end after so long without a job.
  package init(threadCountMax: Int, idleNanoseconds: UInt64) {
    precondition(threadCountMax > 0)
    self.threadCountMax = threadCountMax
    self.idleNanoseconds = idleNanoseconds
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
      threads = WorkThreads(countMax: threadCountMax, idleNanoseconds: idleNanoseconds)
    }
    return threads
  }
}
