/// A scheduler with a clock of its own, whose jobs run when a test says so, on the thread that says it.
///
/// Jobs run in the order of their times, and those of one time in the order in which they were given it, so a
/// test that uses one thread runs the same each time.
package final class ManualScheduler: WorkScheduler, @unchecked Sendable {
  // Sendable: `Work.lock` guards the variables.
  private let queue = WorkQueue()
  private var clock: UInt64 = 0

  package init() {}

  deinit {
    // The queue and the jobs that wait in it hold each other.
    let works = Work.lock.withLock { queue.removeAll() }
    withExtendedLifetime(works) {}
  }

  /// Nanoseconds that the clock was advanced by.
  package var now: UInt64 { Work.lock.withLock { clock } }

  /// How many jobs wait.
  package var pendingCount: Int { Work.lock.withLock { queue.count } }

  /// How long until the first job is due, or nil if none waits.
  package var nanosecondsToFirst: UInt64? {
    Work.lock.withLock { queue.firstTime.map { max($0, clock) - clock } }
  }

  package func schedule(_ work: Work, after nanoseconds: UInt64) {
    Work.lock.withLock { queue.schedule(work, at: time(after: nanoseconds)) }
  }

  private func time(after nanoseconds: UInt64) -> UInt64 {
    let (sum, isTooLarge) = clock.addingReportingOverflow(nanoseconds)
    return isTooLarge ? .max : sum
  }

  /// Runs the jobs that are due now, and returns how many ran; what they schedule is left for the next call.
  @discardableResult
  package func runDue() -> Int {
    let number = Work.lock.withLock { queue.nextNumber }
    var count = 0
    while run(until: 0, before: number) { count += 1 }
    return count
  }

  /// Runs the first job if it is due now; whether one was.
  package func runFirst() -> Bool { run(until: 0) }

  /// Advances the clock to the time of the first job and runs that job, whatever it schedules; false if none waits.
  package func runNext() -> Bool { run(until: .max) }

  /// Advances the clock, as far as it goes, running each job at its time, and returns how many ran.
  ///
  /// What the jobs schedule within this time runs too; so it never returns if a job schedules itself without
  /// delay again and again.
  @discardableResult
  package func advance(by nanoseconds: UInt64) -> Int {
    let end = Work.lock.withLock { time(after: nanoseconds) }
    var count = 0
    while run(until: end) { count += 1 }
    Work.lock.withLock { clock = max(clock, end) }
    return count
  }

  /// Runs the first job, if it is due now or at the given time, to which the clock advances as far as it must.
  private func run(until end: UInt64, before number: UInt64 = .max) -> Bool {
    let work: Work? = Work.lock.withLock {
      let time = queue.firstTime ?? 0
      let work = queue.beginFirst(dueAt: max(clock, end), before: number)
      if work != nil { clock = max(clock, time) }
      return work
    }
    guard let work else { return false }
    queue.run(work)
    return true
  }
}
