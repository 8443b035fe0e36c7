import Sediment
import SedimentTesting

/// Hands the jobs of the background to workers of a schedule.
///
/// Unchecked: whoever has the turn alone uses the variables.
final class ScheduledJobs: WorkScheduler, @unchecked Sendable {
  let queue = ManualScheduler()
  private let disk: SimulatedDisk
  private var schedule: Schedule?
  /// How far the worker that is woken next is to let time pass.
  private var passedNanoseconds: UInt64 = 0

  init(_ disk: SimulatedDisk) {
    self.disk = disk
  }

  /// Who decides about jobs from now on; nil for nobody, so that they wait.
  func follow(_ schedule: Schedule?) { self.schedule = schedule }

  func schedule(_ work: Work, after nanoseconds: UInt64) {
    // Nothing says that others come far meanwhile.
    let isSoon = nanoseconds > 0 && schedule.map { $0.choice(of: 4) == 0 } ?? false
    queue.schedule(work, after: isSoon ? 0 : nanoseconds)
    schedule?.wakeWorkers()
    SchedulePoint.reach(.handedOver)
  }

  /// Lets time pass: somewhat for those who wait for others, or until the next job is due; false if none is.
  func passTime(hasIdle: Bool) -> Bool {
    guard hasIdle, let nanoseconds = queue.nanosecondsToFirst else {
      disk.advanceClocks(by: .milliseconds(50))
      return false
    }
    disk.advanceClocks(by: .nanoseconds(Int64(clamping: nanoseconds)))
    passedNanoseconds = nanoseconds
    return true
  }

  /// The thread of that number begins with another step of the script.
  func beginStep(of number: Int) { schedule?.beginJob(number) }

  /// Does all jobs that are due, when nobody decides about them.
  func rest() {
    while queue.runDue() > 0 {}
  }

  /// What a worker does until the schedule ends.
  func work(_ number: Int, in schedule: Schedule) {
    while !schedule.isEnding {
      schedule.beginJob(number)
      if queue.runFirst() { continue }
      if passedNanoseconds > 0 {
        let nanoseconds = passedNanoseconds
        passedNanoseconds = 0
        queue.advance(by: nanoseconds)
        continue
      }
      schedule.waitForJob(number)
    }
  }
}
