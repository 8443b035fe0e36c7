import Dispatch
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
  let turn = DispatchSemaphore(value: 0)
  var state = State.ready
  var point = SchedulePoint.yielded {
    didSet { pointCounts[Int(point.rawValue)] += 1 }
  }
  /// How many points of each kind it has reached.
  private var pointCounts = [Int](repeating: 0, count: 16)
  private unowned let schedule: Schedule

  /// How many points it has reached of the kind of its last one.
  var pointCount: Int { pointCounts[Int(point.rawValue)] }

  init(_ number: Int, _ name: String, isWorker: Bool, of schedule: Schedule) {
    self.number = number
    self.name = name
    self.isWorker = isWorker
    self.schedule = schedule
  }

  func reach(_ point: SchedulePoint) {
    self.point = point
    if point == .yielded { state = .yielded(until: schedule.stepAfterYielding()) }
    schedule.pass(from: self)
  }

  func take(_ lock: ObjectIdentifier) {
    point = .locking
    schedule.pass(from: self)
    while !schedule.take(lock, for: self) {
      state = .blocked(lock)
      schedule.pass(from: self)
    }
  }

  func tryTake(_ lock: ObjectIdentifier) -> Bool {
    point = .locking
    schedule.pass(from: self)
    return schedule.take(lock, for: self)
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
