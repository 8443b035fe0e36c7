import CrashModel
import Sediment
import SedimentDisk
import SedimentTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How much the crash tests try.
enum CrashEffort {
  static let isLong = unsafe getenv("SEDIMENT_TESTS_LONG") != nil

  /// The first number, or in a long run the second.
  static func of(_ short: Int, long: Int) -> Int { isLong ? long : short }

  /// Says in a long run how much was tried.
  static func note(_ message: String) {
    if isLong { print(message) }
  }
}

/// Crashes a recorded store at every moment, opens what is left, compares it with what it may hold, and goes on
/// from some of that to crash again.
struct CrashExplorer {
  /// What a crash is.
  enum Kind {
    case powerLoss
    case processDeath
  }

  /// How many crashes follow one another at most.
  var depth: Int
  /// What is tried of each moment.
  var plans: CrashPlanOptions
  /// One of so many moments is tried, by how many crashes came before.
  var sparseness = [1, 8, 24]
  /// One of so many images is gone on from.
  var branching = 24
  /// How many images were opened, by how many crashes made them.
  private(set) var imageCounts = [0, 0, 0]
  private var generator: SeededGenerator

  init(seed: UInt64, depth: Int, plans: CrashPlanOptions) {
    self.depth = depth
    self.plans = plans
    generator = SeededGenerator(seed: seed)
  }

  /// Tries every crash point of a recorder's history.
  mutating func explore(_ recorder: CrashRecorder, _ kind: Kind, _ place: String, level: Int = 0) throws {
    let history = recorder.disk.history
    for state in history {
      if level > 0, !oneOf(sparseness[level]) { continue }
      switch kind {
      case .powerLoss:
        let left = recorder.afterPowerLoss(at: state.point)
        for choice in state.plans(plans, seed: generator.next()) {
          let place = "\(place), power lost at \(state.point) with \(choice)"
          try verify(state.afterPowerLoss(choice), recorder.access, left, place, level)
        }
      case .processDeath:
        let left = recorder.afterDeath(at: state.point)
        let place = "\(place), death at \(state.point)"
        try verify(state.afterProcessDeath(), recorder.access, left, place, level)
        let range = history.interruptionRange(at: state.point)
        guard oneOf(4), let count = range.randomElement(using: &generator) else { continue }
        let torn = history.state(at: state.point, interruptedAfter: count).afterProcessDeath()
        let leftTorn = recorder.afterDeath(at: state.point, inNext: true)
        try verify(torn, recorder.access, leftTorn, "\(place) and \(count) bytes", level)
      }
    }
  }

  /// Opens what a crash left, compares it with what may be there, uses it, and crashes it again.
  private mutating func verify(
    _ image: SimulatedDisk, _ access: SedimentOptions.Access, _ left: CrashLeftover, _ place: String,
    _ level: Int
  ) throws {
    imageCounts[level] += 1
    image.trimHistory()
    let next: CrashRecorder
    do {
      next = try CrashRecorder.resume(
        image, oneOf(6) ? .unmapped : access, left,
        firstNumber: (level + 1) * 1_000_000 + imageCounts[level] * 100)
      guard level + 1 < depth, oneOf(branching) else { return }
      for _ in 0..<6 { try next.perform(CrashMix().random(using: &generator)) }
    } catch {
      Issue.record("\(place): \(error); \(left)")
      return
    }
    try explore(next, oneOf(2) ? .powerLoss : .processDeath, place, level: level + 1)
  }

  private mutating func oneOf(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &generator) == 0
  }
}
