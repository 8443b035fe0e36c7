public import Sediment
internal import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A queue of jobs that loses none, whatever dies, and hands none out again once it was acknowledged.
///
/// A worker leases a job, does it, and acknowledges it. If it dies or takes too long, the job is handed out again, so a
/// job may be done twice, but only before its acknowledgement. All calls may be made from any thread.
///
/// The jobs are in a collection, each under its number. The engine keeps no order of keys, so the order in which they
/// are due is in memory, built when the queue is opened.
public final class JobQueue: Sendable {
  let store: SedimentStore
  let jobs: SedimentCollection
  let buried: SedimentCollection
  let now: @Sendable () -> UInt64
  let schedule: Mutex<Schedule>

  /// Opens the queue in a store, which whoever opened it closes.
  ///
  /// The clock gives milliseconds since 1970.
  public init(_ store: SedimentStore, now: @escaping @Sendable () -> UInt64 = JobQueue.wallClock) throws {
    self.store = store
    self.now = now
    jobs = try store.collection("jobs")
    buried = try store.collection("buried jobs")
    var schedule = Schedule()
    schedule.nextNumber = try store.retrieve(forKey: "next job", as: String.self).flatMap { UInt64($0) } ?? 0
    for job in try Self.all(of: jobs) { schedule.note(job) }
    self.schedule = Mutex(schedule)
  }

  /// The system's time, in milliseconds since 1970.
  public static let wallClock: @Sendable () -> UInt64 = {
    UInt64(max(0, Date().timeIntervalSince1970 * 1_000))
  }

  /// Adds a job, which is on the disk when this returns; its number.
  @discardableResult
  public func enqueue(_ payload: String) throws -> UInt64 {
    let number = try schedule.withLock { schedule in
      let job = Job(number: schedule.nextNumber, payload: payload, dueTime: now())
      let value = try job.encoded()
      // One batch, or a crash in between could give a number away twice.
      try store.batch(durability: .unsynced) { batch in
        batch.set(value, forKey: job.key, in: jobs)
        batch.set("\(job.number + 1)", forKey: "next job")
      }
      schedule.nextNumber += 1
      schedule.note(job)
      return job.number
    }
    // Outside the lock, so that those who wait share one sync.
    try store.sync()
    return number
  }

  /// How many jobs there are that were not acknowledged, leased ones included and buried ones not.
  public var count: Int { schedule.withLock { $0.count } }

  /// All jobs that were not acknowledged, leased ones included and buried ones not, by number.
  public func waitingJobs() throws -> [Job] { try Self.all(of: jobs) }

  /// The jobs that were put aside, by number.
  public func buriedJobs() throws -> [Job] { try Self.all(of: buried) }

  private static func all(of collection: SedimentCollection) throws -> [Job] {
    var found: [Job] = []
    try collection.forEach { _, value in
      found.append(try Job(encoded: Data(sedimentBytes: value)))
      return .continue
    }
    return found.sorted { $0.number < $1.number }
  }
}
