import Sediment
import SedimentTesting

/// A script carried out in one order of its threads.
struct ScheduleCase {
  let seed: UInt64
  let script: ScheduleScript

  struct Outcome {
    var stepCount = 0
    var findings: [String] = []
  }

  func run(_ strategy: ScheduleStrategy, on team: inout ScheduleTeam) -> Outcome {
    let inner = SimulatedDisk(SimulatedDiskOptions(seed: seed, fileByteCountMax: 16 << 20))
    let jobs = ScheduledJobs(inner)
    let schedule = Schedule(strategy, seed: seed) { jobs.passTime(hasIdle: $0) }
    var outcome = Outcome()
    do {
      let shared = try ScheduleStore(script, ScheduledDisk(inner), jobs)
      var first = ScheduleUser(shared, number: ScheduleTeam.memberCountMax)
      first.run(script.before)
      jobs.follow(schedule)
      var bodies = script.threads.enumerated().map { number, steps in
        (
          name: "user \(number)", isWorker: false,
          body: {
            var user = ScheduleUser(shared, number: number); user.run(steps)
          }
        )
      }
      for number in bodies.count..<bodies.count + script.workerCount {
        bodies.append((name: "worker \(number)", isWorker: true, body: { jobs.work(number, in: schedule) }))
      }
      let hasEnded = schedule.run(bodies, on: team)
      jobs.follow(nil)
      outcome.stepCount = schedule.stepCount
      if hasEnded {
        outcome.findings = try check(shared)
      } else {
        outcome.findings = shared.findings + [schedule.failure ?? ""]
        // Its threads wait for ever.
        team = ScheduleTeam.take()
      }
    } catch {
      outcome.findings.append("in the end: \(error)")
    }
    if !outcome.findings.isEmpty {
      let setting =
        "\(script.options.access), \(script.options.capacity), \(script.before), \(script.threads)"
      outcome.findings[0] += "\n    \(setting)\n    \(schedule.trace)"
    }
    return outcome
  }

  /// Compares what is there in the end, before and after the store is opened again, with what was done.
  private func check(_ shared: ScheduleStore) throws -> [String] {
    var last = ScheduleUser(shared, number: ScheduleTeam.memberCountMax + 1)
    try last.readAll()
    let accounts = shared.store?.accountFindings(isAlone: false) ?? []
    try shared.close()
    let report = try SedimentStore.verify(path: ScheduleStore.path, on: shared.disk)
    try shared.open()
    try last.readAll()
    try shared.close()
    var findings = shared.findings + accounts.map { "the accounts: \($0)" }
    if !report.isIntact { findings.append("verification: \(report.findings.map(\.description))") }
    let check = LinearizabilityChecker<Int, Int>().check(shared.history.operations)
    findings += check.violations.map { "not linearizable: \($0)" }
    findings += check.undecidedKeys.map { "key \($0) is too much to decide" }
    return findings
  }
}
