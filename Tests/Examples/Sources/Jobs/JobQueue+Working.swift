internal import Sediment
internal import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension JobQueue {
  /// The job that has been due longest, which nobody else gets for so long; nil if none is due.
  ///
  /// A lease outlives the process. It need not outlive a power failure, which no worker survives either.
  public func lease(for duration: Duration) throws -> Job? {
    try schedule.withLock { schedule in
      let now = now()
      guard let number = schedule.firstDue(at: now), var job = try job(number) else { return nil }
      job.attemptCount += 1
      job.dueTime = now + duration.wholeMilliseconds
      try replace(job, &schedule)
      return job
    }
  }

  /// Ends a job that was done: once this has returned, nobody gets it again, even after a power failure.
  ///
  /// Throws `LeaseLost` if somebody else has it by now.
  public func acknowledge(_ job: Job) throws {
    try schedule.withLock { schedule in
      try schedule.check(job)
      try jobs.remove(forKey: job.key, durability: .unsynced)
      schedule.forget(job)
    }
    try store.sync()
  }

  /// Hands a leased job that could not be done out again, so long after now.
  ///
  /// Throws `LeaseLost` if somebody else has it by now.
  public func retry(_ job: Job, after delay: Duration) throws {
    try schedule.withLock { schedule in
      try schedule.check(job)
      var job = job
      job.dueTime = now() + delay.wholeMilliseconds
      try replace(job, &schedule)
    }
  }

  /// Puts a leased job that nobody can do aside, where `buriedJobs` finds it.
  ///
  /// Throws `LeaseLost` if somebody else has it by now.
  public func bury(_ job: Job) throws {
    try schedule.withLock { schedule in
      try schedule.check(job)
      let value = try job.encoded()
      // One batch, or a crash in between could lose the job, or leave it in both places.
      try store.batch(durability: .unsynced) { batch in
        batch.remove(forKey: job.key, in: jobs)
        batch.set(value, forKey: job.key, in: buried)
      }
      schedule.forget(job)
    }
    try store.sync()
  }

  /// Ends all leases, as is right when the workers were threads of a process that has died.
  public func endLeases() throws {
    try schedule.withLock { schedule in
      let now = now()
      for number in schedule.numbers(dueAfter: now) {
        guard var job = try job(number) else { continue }
        job.dueTime = now
        try replace(job, &schedule)
      }
    }
  }

  private func job(_ number: UInt64) throws -> Job? {
    try jobs.retrieve(forKey: String(number), as: Data.self).map { try Job(encoded: $0) }
  }

  private func replace(_ job: Job, _ schedule: inout Schedule) throws {
    try jobs.set(job.encoded(), forKey: job.key, durability: .unsynced)
    schedule.note(job)
  }
}

/// A job that was leased is no longer its worker's: somebody else has it, or it has ended.
public struct LeaseLost: Error, Equatable, CustomStringConvertible {
  /// The job's number.
  public let number: UInt64

  /// Creates the error of a job.
  public init(number: UInt64) {
    self.number = number
  }

  /// What happened, and what to do.
  public var description: String {
    "The lease of job \(number) is lost: it was over before the job was. Undo what can be undone, and lease longer."
  }
}

extension Duration {
  /// Whole milliseconds: none for what is below zero, some thousand years at most.
  fileprivate var wholeMilliseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(min(max(0, seconds), 1 << 40)) * 1_000 + UInt64(max(0, attoseconds) / 1_000_000_000_000_000)
  }
}
