import Dispatch
import Sediment
import SedimentTesting

/// One order in which threads go on: one of them at a time, and at each point it is decided which.
///
/// Unchecked: whoever has the turn alone uses what changes; before and after the run, the thread that began it.
final class Schedule: @unchecked Sendable {
  /// More steps than any script takes whose threads all come to their end.
  static let stepCountMax = 300_000

  private var actors: [ScheduleActor] = []
  private var owners: [ObjectIdentifier: Int] = [:]
  private var strategy: ScheduleStrategy
  private var generator: SeededGenerator
  private(set) var stepCount = 0
  /// The last changes from one thread to another.
  private var changes: [Change] = []
  /// What kept the threads from coming to their end; nil if nothing did.
  private(set) var failure: String?
  private let hasEnded = DispatchSemaphore(value: 0)
  /// Called when everyone waits for time to pass; false if nobody waits for that.
  private let passTime: (_ isIdle: Bool) -> Bool

  private struct Change {
    var step: Int
    var from: Int
    var point: SchedulePoint
    var to: Int
  }

  init(_ strategy: ScheduleStrategy, seed: UInt64, passingTime: @escaping (_ isIdle: Bool) -> Bool) {
    self.strategy = strategy
    generator = SeededGenerator(seed: seed)
    passTime = passingTime
  }

  /// Runs the bodies to their end; those of workers are to end when `isEnding` says so.
  ///
  /// False if they never will; their threads are lost then.
  func run(_ bodies: [(name: String, isWorker: Bool, body: () -> Void)], on team: ScheduleTeam) -> Bool {
    actors = bodies.enumerated().map { number, body in
      ScheduleActor(number, body.name, isWorker: body.isWorker, of: self)
    }
    for (actor, body) in zip(actors, bodies) {
      team.begin(actor.number) { [self] in
        actor.turn.wait()
        SchedulePoint.schedule(actor)
        body.body()
        SchedulePoint.schedule(nil)
        actor.state = .ended
        pass(from: actor)
      }
    }
    let first = strategy.next(
      after: 0, current: nil, ready: Array(actors.indices), at: .init(number: 0), step: 0, using: &generator)
    actors[first].turn.signal()
    hasEnded.wait()
    return failure == nil
  }

  /// Whether all that is to be done was done.
  var isEnding: Bool { actors.allSatisfy { $0.isWorker || $0.state == .ended } }

  /// One of so many choices that are left to the schedule.
  func choice(of count: Int) -> Int { Int(generator.next() % UInt64(count)) }

  // MARK: By whoever has the turn

  /// Decides who goes on, and returns when that is this one.
  func pass(from actor: ScheduleActor) {
    stepCount += 1
    if actor.state == .ended, isEnding {
      wakeWorkers()
      if actors.allSatisfy({ $0.state == .ended }) {
        hasEnded.signal()
        return
      }
    }
    guard stepCount < Self.stepCountMax else {
      return abandon(actor, "after \(stepCount) steps they have not come to an end")
    }
    guard let next = choose(after: actor) else { return abandon(actor, "nobody can go on") }
    guard next !== actor else { return }
    if changes.count == 256 { changes.removeFirst(128) }
    changes.append(Change(step: stepCount, from: actor.number, point: actor.point, to: next.number))
    let isOver = actor.state == .ended
    next.turn.signal()
    if !isOver { actor.turn.wait() }
  }

  private func choose(after actor: ScheduleActor) -> ScheduleActor? {
    var ready: [Int] = []
    while true {
      for other in actors {
        if case .yielded(let step) = other.state, step <= stepCount { other.state = .ready }
        if other.state == .ready { ready.append(other.number) }
      }
      if !ready.isEmpty { break }
      let yielded = actors.filter { if case .yielded = $0.state { true } else { false } }
      for other in yielded { other.state = .ready }
      let hasIdle = actors.contains { $0.state == .idle }
      let isPassed = passTime(hasIdle)
      if isPassed { wakeWorkers() }
      if !isPassed, yielded.isEmpty { return nil }
    }
    let current = actor.state == .ready ? actor.number : nil
    let next = strategy.next(
      after: actor.number, current: current, ready: ready,
      at: .init(kind: actor.point, thread: actor.number, number: actor.pointCount), step: stepCount,
      using: &generator)
    return actors[next]
  }

  /// The step up to which a thread lets others go on that yields: mostly at once, so that it may yet be far ahead of
  /// them.
  func stepAfterYielding() -> Int { choice(of: 8) > 0 ? stepCount : stepCount + 1 + choice(of: 200) }

  func take(_ lock: ObjectIdentifier, for actor: ScheduleActor) -> Bool {
    if owners[lock] != nil { return false }
    owners[lock] = actor.number
    return true
  }

  func giveBack(_ lock: ObjectIdentifier) {
    owners[lock] = nil
    for other in actors where other.state == .blocked(lock) { other.state = .ready }
  }

  func signal(_ condition: ObjectIdentifier, all: Bool) {
    for other in actors where other.state == .waiting(condition) {
      other.state = .ready
      if !all { return }
    }
  }

  /// Lets workers look for jobs.
  func wakeWorkers() {
    for other in actors where other.state == .idle { other.state = .ready }
  }

  /// The worker that has the turn finds no job, and waits until it is woken.
  func waitForJob(_ number: Int) {
    actors[number].state = .idle
    pass(from: actors[number])
  }

  // MARK: Failures

  private func abandon(_ actor: ScheduleActor, _ reason: String) {
    let states = actors.map { "\($0.name) \($0.state) at \($0.point)" }.joined(separator: ", ")
    failure = "\(reason): \(states)"
    hasEnded.signal()
    // The turn is nobody's any more.
    while true { actor.turn.wait() }
  }

  /// Who went on after whom in the end.
  var trace: String {
    changes.suffix(60).map {
      "\($0.step): \(actors[$0.from].name) at \($0.point), then \(actors[$0.to].name)"
    }.joined(separator: "\n    ")
  }
}
