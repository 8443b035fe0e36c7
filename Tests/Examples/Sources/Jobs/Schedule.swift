/// What is known of the jobs without reading them: when each is due, and which is first.
struct Schedule {
  var nextNumber: UInt64 = 0
  private var heap = DueJobs()
  private var states: [UInt64: State] = [:]

  /// What tells a lease of a job from every other lease of it.
  private struct State: Equatable {
    var dueTime: UInt64
    var attemptCount: Int
  }

  var count: Int { states.count }

  /// Takes a job in, or what has become of it.
  mutating func note(_ job: Job) {
    states[job.number] = State(dueTime: job.dueTime, attemptCount: job.attemptCount)
    heap.insert(DueJobs.Entry(dueTime: job.dueTime, number: job.number))
  }

  mutating func forget(_ job: Job) { states[job.number] = nil }

  /// The job that has been due longest; nil if none is due.
  mutating func firstDue(at now: UInt64) -> UInt64? {
    while let first = heap.first, first.dueTime <= now {
      if states[first.number]?.dueTime == first.dueTime { return first.number }
      // It has ended, or is due at another time by now.
      heap.removeFirst()
    }
    return nil
  }

  func numbers(dueAfter now: UInt64) -> [UInt64] { states.filter { $0.value.dueTime > now }.map(\.key) }

  /// A worker has a job until somebody else is given it; that its time is over does not matter by itself.
  func check(_ job: Job) throws {
    guard states[job.number] == State(dueTime: job.dueTime, attemptCount: job.attemptCount) else {
      throw LeaseLost(number: job.number)
    }
  }
}
