/// Finds out whether a storage survives crashes: random histories of it on simulated disks, each crashed at every
/// moment in many ways, and what is left opened, compared, used and crashed again.
///
///     let report = CrashCheck(MyScenario()).run(seeds: 0..<100)
///     #expect(report.findings.isEmpty)
public struct CrashCheck<Scenario: CrashScenario> {
  /// The storage and what is done to it.
  public var scenario: Scenario
  /// How many operations a history has, each of whose moments is tried; the time grows with it.
  public var operationCount = 30
  /// How many operations come before those, of which no moment is tried.
  public var warmUpCount = 0
  /// Which crashes are tried.
  public var kinds = CrashKind.allCases
  /// How many crashes follow one another at most: with 2, some of what a crash left is used and crashed again.
  public var depth = 2
  /// What is tried of each moment.
  public var plans = CrashPlanOptions(exhaustiveCountMax: 16, randomCount: 6, countMax: 6)
  /// The most images of one history and one kind of crash.
  public var imageCountMax = Int.max
  /// What the disks are like; each history has a seed of its own.
  public var disk = SimulatedDiskOptions(seed: 0, fileByteCountMax: 8 << 20)

  /// Creates a check with settings that suit a unit test.
  public init(_ scenario: Scenario) {
    self.scenario = scenario
  }

  /// Tries the histories of some seeds, one after the other on the caller's thread.
  ///
  /// The same seeds and settings give the same report. What a scenario throws before any crash is a finding, too.
  public func run(seeds: some Sequence<UInt64>) -> CrashReport {
    var report = CrashReport()
    for seed in seeds { report.add(run(seed: seed)) }
    return report
  }

  /// Tries the history of one seed, also to see a finding again.
  public func run(seed: UInt64) -> CrashReport {
    var report = CrashReport()
    report.historyCount = 1
    do {
      let recorder = try history(seed: seed)
      for kind in kinds {
        var explorer = CrashExplorer<Scenario>(seed: seed, plans: plans)
        explorer.depth = depth
        explorer.imageCountMax = imageCountMax
        explorer.explore(recorder, kind, "seed \(seed)")
        report.add(explorer.imageCounts, explorer.findings)
      }
    } catch {
      report.findings.append(CrashFinding(place: "seed \(seed), before any crash", reason: "\(error)"))
    }
    return report
  }

  /// The history of a seed, carried out to its end, as a recorder that is open; throws what the scenario does.
  public func history(seed: UInt64) throws -> CrashRecorder<Scenario> {
    var generator = SeededGenerator(seed: SeededGenerator.derive(seed, 1))
    var options = disk
    options.seed = seed
    let disk = SimulatedDisk(options)
    var recorder = CrashRecorder(scenario, on: disk)
    try recorder.open()
    if warmUpCount > 0 {
      try perform(warmUpCount, on: recorder, &generator)
      try recorder.close()
      disk.trimHistory()
      recorder = CrashRecorder(
        scenario, on: disk, after: CrashLeftover(recorder.current), firstNumber: 2 * warmUpCount)
      try recorder.open()
    }
    try perform(operationCount, on: recorder, &generator)
    return recorder
  }

  /// Carries out random operations, of which some may be refused.
  private func perform(
    _ count: Int, on recorder: CrashRecorder<Scenario>, _ generator: inout SeededGenerator
  ) throws {
    for _ in 0..<count {
      do {
        try recorder.perform(scenario.operation(using: &generator))
      } catch  where scenario.outcome(of: error) == .refused {}
    }
  }
}

/// What a check came to.
public struct CrashReport: Hashable, Sendable {
  /// How many histories were tried.
  public var historyCount = 0
  /// How many images were opened, by how many crashes made them.
  public var imageCounts: [Int] = []
  /// What was not as it should be.
  public var findings: [CrashFinding] = []

  /// Creates a report of nothing.
  public init() {}

  /// How many images were opened.
  public var imageCount: Int { imageCounts.reduce(0, +) }

  /// Adds what another check came to.
  public mutating func add(_ other: CrashReport) {
    historyCount += other.historyCount
    add(other.imageCounts, other.findings)
  }

  mutating func add(_ counts: [Int], _ found: [CrashFinding]) {
    for (level, count) in counts.enumerated() {
      if imageCounts.count <= level { imageCounts.append(0) }
      imageCounts[level] += count
    }
    findings += found
  }
}
