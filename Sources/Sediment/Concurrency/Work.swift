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
/// A scheduler holds it only while it waits or runs. A job belongs to one scheduler for its whole life.
package final class Work: @unchecked Sendable {
  // Sendable: `Work.lock` guards every variable of every job, and of the queues and schedulers.
  private var body: (@Sendable () -> Void)?
  fileprivate private(set) var isCancelled = false
  fileprivate let forkCount = Forks.count

  /// The identity of the thread that runs it, or 0.
  fileprivate var runner: UInt = 0
  /// When to run again, if it was scheduled while it ran.
  fileprivate var timeOfNextRun: UInt64?
  /// Made by the first who waits for the end of a run.
  fileprivate private(set) var runHasEnded: Condition?

  /// The queue that the job waits in or is run by; nil at other times, because the queue holds the job, too.
  fileprivate var queue: WorkQueue?
  /// The job's turn in the queue while it waits.
  fileprivate var turn: WorkQueue.Turn?

  /// Guards all jobs, queues and schedulers of the process; nothing of a user's runs under it.
  ///
  /// A fork waits for it, so that no child finds it taken by a thread that it does not have.
  static let lock = Lock(isHeldAcrossForks: true)

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

  /// Whether it waits for its time, or runs.
  var isPending: Bool { Work.lock.withLock { turn != nil || runner != 0 } }

  /// Whether this thread is running it.
  var isRunHere: Bool { Work.lock.withLock { runner == ThreadIdentity.current } }

  /// Does what the job does, without the lock, in a run that its queue has begun.
  fileprivate func run() {
    // Constant while it runs: only a cancellation that sees no run takes it.
    body?()
  }

  fileprivate func takeBody() -> (@Sendable () -> Void)? {
    defer { body = nil }
    return body
  }
}

/// The jobs that wait, the earliest first; of those with one time, the one that was given it first.
///
/// `Work.lock` guards it: all methods but `run` are called with it taken.
final class WorkQueue {
  /// Signalled when another job, or an earlier time, has become the first.
  let firstHasChanged = Condition(of: Work.lock)

  /// In the order of their turns: there are a few jobs for each open store.
  private var entries: [(turn: Turn, work: Work)] = []
  /// The number that the next job to be added gets, and all waiting ones are below.
  private(set) var nextNumber: UInt64 = 0

  /// When a job is to run, and which number it got when that was said.
  typealias Turn = (time: UInt64, number: UInt64)

  var count: Int { entries.count }

  /// When the first job is due.
  var firstTime: UInt64? { entries.first?.turn.time }

  /// Lets the job run at this time, in the way `WorkScheduler.schedule` says.
  func schedule(_ work: Work, at time: UInt64) {
    guard !work.isCancelled, work.forkCount == Forks.count else { return }
    precondition(work.queue == nil || work.queue === self, "A job belongs to one scheduler.")
    work.queue = self
    if work.runner != 0 {
      work.timeOfNextRun = min(time, work.timeOfNextRun ?? .max)
      return
    }
    if let turn = work.turn {
      guard time < turn.time else { return }
      entries.remove(at: place(of: turn))
    }
    let turn = (time, nextNumber)
    let place = place(of: turn)
    entries.insert((turn, work), at: place)
    work.turn = turn
    nextNumber += 1
    if place == 0 { firstHasChanged.signal() }
  }

  /// Takes the job out, if it waits.
  fileprivate func remove(_ work: Work) {
    guard let turn = work.turn else { return }
    let place = place(of: turn)
    entries.remove(at: place)
    work.turn = nil
    work.queue = nil
    if place == 0 { firstHasChanged.signal() }
  }

  /// Takes out all jobs, and returns them, to be let go of without the lock.
  func removeAll() -> [Work] {
    let works = entries.map(\.work)
    for work in works { remove(work) }
    return works
  }

  /// Where the entry of a turn is or belongs.
  private func place(of turn: Turn) -> Int {
    entries.firstIndexByHalving { $0.turn >= turn }
  }

  /// Takes out the first job if it is due at this time and got a lower number, and begins its run, which `run` does.
  func beginFirst(dueAt time: UInt64, before number: UInt64 = .max) -> Work? {
    guard let (turn, work) = entries.first, turn.time <= time, turn.number < number else { return nil }
    entries.removeFirst()
    work.turn = nil
    work.runner = ThreadIdentity.current
    return work
  }

  /// Does what a job does whose run was begun, and ends the run; without the lock.
  func run(_ work: Work) {
    work.run()
    let dropped = Work.lock.withLock { end(work) }
    // This may be the last reference to what the job holds, whose end may call the pool.
    withExtendedLifetime(dropped) {}
  }

  /// Ends a run; what it returns is to be dropped without the lock.
  private func end(_ work: Work) -> (@Sendable () -> Void)? {
    work.runner = 0
    work.runHasEnded?.broadcast()
    work.queue = nil
    let time = work.timeOfNextRun
    work.timeOfNextRun = nil
    if work.isCancelled { return work.takeBody() }
    if let time { schedule(work, at: time) }
    return nil
  }
}
