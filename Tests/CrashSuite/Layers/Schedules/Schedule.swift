import Sediment
import SedimentTesting

/// One order in which threads go on: one of them at a time, and at each point it is decided which.
///
/// Unchecked: whoever has the turn alone uses what changes; before and after the run, the thread that began it.
final class Schedule: @unchecked Sendable {
  /// More steps than any script takes whose threads all come to their end.
  static let stepCountMax = 300_000

  private var actors: [ScheduleActor] = []
  private let team: ScheduleTeam
  /// Those that can go on, those that let others go on for now, and those that have not ended and must, as bits.
  private var ready: UInt64 = 0
  private var yielded: UInt64 = 0
  private var unfinished: UInt64 = 0
  /// The locks that somebody has.
  private var taken: [ObjectIdentifier] = []
  private var strategy: ScheduleStrategy
  private var generator: SeededGenerator
  private(set) var stepCount = 0
  /// The last changes from one thread to another, of which the oldest is replaced by the next.
  private var changes: [Change] = []
  private var changeCount = 0
  private static let changeCountMax = 64
  /// What kept the threads from coming to their end; nil if nothing did.
  private(set) var failure: String?
  /// Called when everyone waits for time to pass; false if nobody waits for that.
  private let passTime: (_ isIdle: Bool) -> Bool

  private struct Change {
    var step: Int
    var from: Int
    var point: SchedulePoint
    var to: Int
  }

  init(
    _ strategy: ScheduleStrategy, seed: UInt64, on team: ScheduleTeam,
    passingTime: @escaping (_ isIdle: Bool) -> Bool
  ) {
    self.strategy = strategy
    self.team = team
    generator = SeededGenerator(seed: seed)
    passTime = passingTime
  }

  /// Runs the bodies to their end; those of workers are to end when `isEnding` says so.
  ///
  /// False if they never will; the team is lost with them then.
  func run(_ bodies: [(name: String, isWorker: Bool, body: () -> Void)]) -> Bool {
    actors = bodies.enumerated().map { number, body in
      ScheduleActor(
        number, body.name, isWorker: body.isWorker, on: team.context(of: number), of: self)
    }
    for (actor, body) in zip(actors, bodies) {
      noteState(of: actor)
      team.begin(actor.number) { [self] in
        SchedulePoint.schedule(actor)
        body.body()
        SchedulePoint.schedule(nil)
        actor.state = .ended
        return decide(after: actor)?.context ?? team.end
      }
    }
    let beginning = ScheduleStrategy.Moment(step: 0, thread: 0, kind: .yielded, number: 0, numberInJob: 0)
    let first = strategy.next(at: beginning, current: nil, ready: ready, using: &generator)
    team.start(first)
    return failure == nil
  }

  /// Whether all that is to be done was done.
  var isEnding: Bool { unfinished == 0 }

  /// One of so many choices that are left to the schedule.
  func choice(of count: Int) -> Int { Int(generator.next() % UInt64(count)) }

  // MARK: By whoever has the turn

  func noteState(of actor: ScheduleActor) {
    let bit: UInt64 = 1 << UInt64(actor.number)
    ready &= ~bit
    yielded &= ~bit
    unfinished |= actor.isWorker ? 0 : bit
    switch actor.state {
    case .ready: ready |= bit
    case .yielded: yielded |= bit
    case .ended: unfinished &= ~bit
    case .blocked, .waiting, .idle: break
    }
  }

  /// Decides who goes on, and returns when that is this one.
  func pass(from actor: ScheduleActor) {
    let next = decide(after: actor)
    if next !== actor { actor.context.giveTurn(to: next?.context ?? team.end) }
  }

  /// Who goes on; nil once all have ended, or if they never will.
  private func decide(after actor: ScheduleActor) -> ScheduleActor? {
    stepCount += 1
    if actor.state == .ended, isEnding {
      wakeWorkers()
      if actors.allSatisfy({ $0.state == .ended }) { return nil }
    }
    guard stepCount < Self.stepCountMax else {
      return abandon("after \(stepCount) steps they have not come to an end")
    }
    guard let next = choose(after: actor) else { return abandon("nobody can go on") }
    if next !== actor {
      note(Change(step: stepCount, from: actor.number, point: actor.point, to: next.number))
    }
    return next
  }

  private func choose(after actor: ScheduleActor) -> ScheduleActor? {
    while true {
      if yielded != 0 { wakeYielded { $0 <= stepCount } }
      if ready != 0 { break }
      let hasYielded = yielded != 0
      wakeYielded { _ in true }
      let isPassed = passTime(actors.contains { $0.state == .idle })
      if isPassed { wakeWorkers() }
      if !isPassed, !hasYielded { return nil }
    }
    let isReady = ready & 1 << UInt64(actor.number) != 0
    let next = strategy.next(
      at: actor.moment(step: stepCount), current: isReady ? actor.number : nil, ready: ready,
      using: &generator)
    return actors[next]
  }

  private func wakeYielded(_ isOver: (_ until: Int) -> Bool) {
    for other in actors {
      if case .yielded(let step) = other.state, isOver(step) { other.state = .ready }
    }
  }

  /// The step up to which a thread lets others go on that yields: mostly at once, so that it may yet be far ahead of
  /// them.
  func stepAfterYielding() -> Int { choice(of: 8) > 0 ? stepCount : stepCount + 1 + choice(of: 200) }

  func take(_ lock: ObjectIdentifier) -> Bool {
    if taken.contains(lock) { return false }
    taken.append(lock)
    return true
  }

  func giveBack(_ lock: ObjectIdentifier) {
    // It was mostly taken last.
    if let place = taken.lastIndex(of: lock) { taken.remove(at: place) }
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

  /// The thread that has the turn begins with something else.
  func beginJob(_ number: Int) {
    actors[number].beginJob()
    strategy.beginJob(of: number, using: &generator)
  }

  /// The worker that has the turn finds no job, and waits until it is woken.
  func waitForJob(_ number: Int) {
    actors[number].state = .idle
    pass(from: actors[number])
  }

  // MARK: Failures

  private func abandon(_ reason: String) -> ScheduleActor? {
    let states = actors.map { "\($0.name) \($0.state) at \($0.point)" }.joined(separator: ", ")
    failure = "\(reason): \(states)"
    return nil
  }

  private func note(_ change: Change) {
    if changes.count < Self.changeCountMax {
      changes.append(change)
    } else {
      changes[changeCount % Self.changeCountMax] = change
    }
    changeCount += 1
  }

  /// Who went on after whom in the end.
  var trace: String {
    let oldest = changes.count < Self.changeCountMax ? 0 : changeCount % Self.changeCountMax
    return (changes[oldest...] + changes[..<oldest]).map {
      "\($0.step): \(actors[$0.from].name) at \($0.point), then \(actors[$0.to].name)"
    }.joined(separator: "\n    ")
  }
}
