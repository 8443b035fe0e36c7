import Sediment

/// A thread of a schedule, which goes on when it has the turn.
///
/// Unchecked: whoever has the turn alone uses what changes.
final class ScheduleActor: ScheduledThread, @unchecked Sendable {
  enum State: Equatable {
    case ready
    /// It has nothing to do for some steps.
    case yielded(until: Int)
    case blocked(ObjectIdentifier)
    case waiting(ObjectIdentifier)
    /// It is a thread of the background without a job.
    case idle
    case ended
  }

  let number: Int
  let name: String
  /// Whether it runs jobs as they come, and need not come to an end by itself.
  let isWorker: Bool
  let context: ScheduleContext
  var state = State.ready {
    didSet { schedule.noteState(of: self) }
  }
  private(set) var point = SchedulePoint.yielded
  /// How many points of each kind it has reached.
  private var pointCounts = [Int](repeating: 0, count: SchedulePoint.kindCount)
  /// The same as it was when its job began.
  private var pointCountsBeforeJob = [Int](repeating: 0, count: SchedulePoint.kindCount)
  private unowned let schedule: Schedule

  /// Where it is.
  func moment(step: Int) -> ScheduleStrategy.Moment {
    let number = pointCounts[Int(point.rawValue)]
    return ScheduleStrategy.Moment(
      step: step, thread: self.number, kind: point, number: number,
      numberInJob: number - pointCountsBeforeJob[Int(point.rawValue)])
  }

  func beginJob() { pointCountsBeforeJob = pointCounts }

  init(_ number: Int, _ name: String, isWorker: Bool, on context: ScheduleContext, of schedule: Schedule) {
    self.number = number
    self.name = name
    self.isWorker = isWorker
    self.context = context
    self.schedule = schedule
  }

  private func note(_ point: SchedulePoint) {
    self.point = point
    pointCounts[Int(point.rawValue)] += 1
  }

  func reach(_ point: SchedulePoint) {
    note(point)
    if point == .yielded { state = .yielded(until: schedule.stepAfterYielding()) }
    schedule.pass(from: self)
  }

  func take(_ lock: ObjectIdentifier) {
    note(.locking)
    schedule.pass(from: self)
    while !schedule.take(lock) {
      state = .blocked(lock)
      schedule.pass(from: self)
    }
  }

  func tryTake(_ lock: ObjectIdentifier) -> Bool {
    note(.locking)
    schedule.pass(from: self)
    return schedule.take(lock)
  }

  func giveBack(_ lock: ObjectIdentifier) {
    schedule.giveBack(lock)
    // It waits for a signal, and has the turn until it sleeps.
    if case .waiting = state { return }
    reach(.unlocked)
  }

  func beginWaiting(for condition: ObjectIdentifier) {
    state = .waiting(condition)
  }

  func sleep() {
    schedule.pass(from: self)
  }

  func signal(_ condition: ObjectIdentifier, all: Bool) {
    schedule.signal(condition, all: all)
  }
}
