import SedimentTesting

/// The engine with threads of which one goes on at a time, in the order that a seed says (Tests/README.md, "Schedules").
///
/// It takes a build with the points at which threads can meet. Now and then a case is a small script in which one
/// thread is preempted at a point of the case's, and another one at some of those that follow.
struct SchedulesLayer: SeededLayer {
  let name = "schedules"
  let title = "threads that go on as a seed says: at random, by priorities, or preempted twice at most"
  let unit = "schedules"
  let caseCount = (short: 60_000, long: 10_000_000)

  // So many scripts take turns; so many cases share one, each with a first preemption and a part of the second ones.
  private static let scriptCount: UInt64 = 64
  private static let firstCount: UInt64 = 512
  private static let partCount: UInt64 = 64

  func replay(_ seed: UInt64) -> LayerResult {
    var team = ScheduleTeam.take()
    defer { team.giveBack() }
    return seed % 256 == 255 ? preempt(seed, on: &team) : draw(seed, on: &team)
  }

  private func draw(_ seed: UInt64, on team: inout ScheduleTeam) -> LayerResult {
    var generator = SeededGenerator(seed: seed &* 2 &+ 1)
    let trial = ScheduleCase(seed: seed, script: ScheduleScript(seed: generator.next(), isSmall: false))
    let threadCount = trial.script.threads.count + trial.script.workerCount
    let strategy = ScheduleStrategy.drawn(threadCount: threadCount, using: &generator)
    var result = LayerResult(caseCount: 1)
    note(trial.run(strategy, on: &team), strategy, of: seed, in: &result)
    return result
  }

  /// Tries every schedule of a small script that has one certain first preemption, and one more at most.
  private func preempt(_ seed: UInt64, on team: inout ScheduleTeam) -> LayerResult {
    let (number, place) = (seed / 256 / Self.scriptCount, seed / 256 % Self.scriptCount)
    let scriptSeed = number / (Self.firstCount * Self.partCount) * Self.scriptCount + place
    let part = Int((number / Self.firstCount &* 37 &+ place) % Self.partCount)
    let script = ScheduleScript(seed: scriptSeed, isSmall: true)
    let trial = ScheduleCase(seed: scriptSeed, script: script)
    let othersCount = script.threads.count + script.workerCount - 1
    var result = LayerResult(caseCount: 1)
    let undisturbed = ScheduleStrategy.preemptions([])
    let stepCount = note(trial.run(undisturbed, on: &team), undisturbed, of: seed, in: &result)
    // A script of more steps than there are cases is preempted at some of them.
    // The factor spreads those that come first.
    let first =
      1 + Int((number &* 197 &+ place &* 89) % Self.firstCount) * max(stepCount, Int(Self.firstCount))
      / Int(Self.firstCount)
    guard first <= stepCount else { return result }
    for skipCount in 0..<othersCount {
      let one = ScheduleStrategy.Preemption(step: first, skipCount: skipCount)
      let strategy = ScheduleStrategy.preemptions([one])
      let stepCount = note(trial.run(strategy, on: &team), strategy, of: seed, in: &result)
      guard first < stepCount else { continue }
      for step in stride(from: first + 1 + part, through: stepCount, by: Int(Self.partCount)) {
        for skipCount in 0..<othersCount where result.findings.isEmpty {
          let two = ScheduleStrategy.preemptions([one, .init(step: step, skipCount: skipCount)])
          note(trial.run(two, on: &team), two, of: seed, in: &result)
        }
      }
    }
    return result
  }

  /// Takes what a schedule came to into a result, and returns how many steps it had.
  @discardableResult
  private func note(
    _ outcome: ScheduleCase.Outcome, _ strategy: ScheduleStrategy, of seed: UInt64,
    in result: inout LayerResult
  ) -> Int {
    result.count += 1
    result.findings += outcome.findings.map {
      SeededFinding(
        seed: seed, finding: CrashFinding(place: "seed \(seed), \(strategy.description)", reason: $0))
    }
    return outcome.stepCount
  }
}
