/// Crashes a recorded storage at every moment, opens what is left, compares it with what it may hold, and goes on
/// from some of that to crash again.
///
/// What it tries follows from the seed and the history, so it finds the same each time.
public struct CrashExplorer<Scenario: CrashScenario> {
  /// How many crashes follow one another at most.
  public var depth = 2
  /// What is tried of each moment.
  public var plans: CrashPlanOptions
  /// One of so many moments is tried, by how many crashes came before; the last number holds for all further ones.
  public var sparseness = [1, 8, 24]
  /// One of so many images is gone on from.
  public var branching = 24
  /// How many operations are carried out on an image that is crashed again.
  public var operationCount = 6
  /// The most images that are opened.
  public var imageCountMax = Int.max
  /// The first crash point of the history itself that is tried: what comes before is another history's.
  public var firstPoint = 0
  /// How many images were opened, by how many crashes made them.
  public private(set) var imageCounts: [Int] = []
  /// What was not as it should be.
  public private(set) var findings: [CrashFinding] = []
  private var generator: SeededGenerator

  /// Creates an explorer whose choices follow from a seed.
  public init(seed: UInt64, plans: CrashPlanOptions = CrashPlanOptions()) {
    self.plans = plans
    generator = SeededGenerator(seed: seed)
  }

  /// How many images were opened.
  public var imageCount: Int { imageCounts.reduce(0, +) }

  /// Tries every crash point of a recorder's history; `place` says in findings which history that is.
  public mutating func explore(_ recorder: CrashRecorder<Scenario>, _ kind: CrashKind, _ place: String) {
    explore(recorder, kind, place, level: 0)
  }

  private mutating func explore(
    _ recorder: CrashRecorder<Scenario>, _ kind: CrashKind, _ place: String, level: Int
  ) {
    let history = recorder.disk.history
    for state in history {
      if imageCount >= imageCountMax { return }
      if level == 0, state.point < firstPoint { continue }
      if !oneOf(sparseness[min(level, sparseness.count - 1)]) { continue }
      switch kind {
      case .powerLoss:
        let left = recorder.afterPowerLoss(at: state.point)
        for choice in state.plans(plans, seed: generator.next()) {
          let place = "\(place), power lost at \(state.point) with \(choice)"
          verify(state.afterPowerLoss(choice), recorder.scenario, left, place, level)
        }
      case .processDeath:
        let left = recorder.afterDeath(at: state.point)
        let place = "\(place), death at \(state.point)"
        verify(state.afterProcessDeath(), recorder.scenario, left, place, level)
        let range = history.interruptionRange(at: state.point)
        guard oneOf(4), let count = range.randomElement(using: &generator) else { continue }
        let torn = history.state(at: state.point, interruptedAfter: count).afterProcessDeath()
        let leftTorn = recorder.afterDeath(at: state.point, inNext: true)
        verify(torn, recorder.scenario, leftTorn, "\(place) and \(count) bytes", level)
      }
    }
  }

  /// Opens what a crash left, compares it with what may be there, uses it, and crashes it again.
  private mutating func verify(
    _ image: SimulatedDisk, _ scenario: Scenario, _ left: CrashLeftover<Scenario.Contents>, _ place: String,
    _ level: Int
  ) {
    while imageCounts.count <= level { imageCounts.append(0) }
    imageCounts[level] += 1
    image.trimHistory()
    let next = CrashRecorder(
      scenario.successor(using: &generator), on: image, after: left,
      firstNumber: (level + 1) * 1_000_000 + imageCounts[level] * 100)
    do {
      try next.resume(scenario.probes(using: &generator))
      guard level + 1 < depth, oneOf(branching) else { return }
      for _ in 0..<operationCount {
        do {
          try next.perform(next.scenario.operation(using: &generator))
        } catch  where next.scenario.outcome(of: error) == .refused {}
      }
    } catch {
      findings.append(CrashFinding(place: place, reason: "\(error)", operations: left.operations))
      return
    }
    explore(next, oneOf(2) ? .powerLoss : .processDeath, place, level: level + 1)
  }

  private mutating func oneOf(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &generator) == 0
  }
}

/// What a crash is.
public enum CrashKind: String, Hashable, Sendable, CaseIterable {
  /// What was not synced is on the medium or not, in any combination.
  case powerLoss
  /// Everything that was written is there for the next process, perhaps a part of the last write.
  case processDeath
}

/// Something that was not as it should be.
public struct CrashFinding: Hashable, Sendable, CustomStringConvertible {
  /// The history and the crashes that led there.
  public let place: String
  /// What was wrong.
  public let reason: String
  /// The last operations before the last crash.
  public let operations: [String]

  /// Creates a finding of its parts.
  public init(place: String, reason: String, operations: [String] = []) {
    self.place = place
    self.reason = reason
    self.operations = operations
  }

  /// All of it, in words.
  public var description: String {
    let before = operations.isEmpty ? "" : "\n  after \(operations.joined(separator: "; "))"
    return "\(place): \(reason)\(before)"
  }
}

extension CrashRecorder {
  /// Goes on with what a crash left: opens it, uses it, and sees that opened again it holds the same.
  ///
  /// Throws what the last operation was refused with if all of them were: that is no storage to go on with.
  public func resume(_ operations: [Scenario.Operation]) throws {
    try open()
    var refusals: [any Error] = []
    for operation in operations {
      do {
        try perform(operation)
      } catch  where scenario.outcome(of: error) == .refused {
        refusals.append(error)
      }
    }
    if let last = refusals.last, refusals.count == operations.count { throw last }
    try reopen()
  }
}
