internal import CrashModel
internal import FuzzStores
internal import Sediment
internal import SedimentTesting

/// A store and all that happens to it, over several crashes.
final class StoreHistory {
  let scenario: EngineScenario
  private(set) var stepCount = 0
  private var recorder: CrashRecorder<EngineScenario>
  private var crashCount = 0
  /// What was done, for messages.
  private var steps: [String] = []

  static let stepCountMax = 80
  private static let crashCountMax = 6
  /// How many events before the last one a crash may come.
  private static let reachMax = 64

  /// A store that is not there yet is made.
  init(_ scenario: EngineScenario) {
    self.scenario = scenario
    let options = SimulatedDiskOptions(seed: 11, fileByteCountMax: 8 << 20, violationRule: .record)
    recorder = CrashRecorder(scenario, on: SimulatedDisk(options))
    mustSucceed("creating") { try recorder.open() }
  }

  func take(_ step: Step) {
    stepCount += 1
    steps.append("\(step)")
    switch step {
    case .operation(let operation): perform(operation)
    case .fault(let effect, let distance, isForGood: false):
      recorder.disk.inject(effect, atCall: recorder.disk.callCount + distance)
    case .fault(let effect, let distance, isForGood: true):
      recorder.disk.injectForGood(effect, fromCall: recorder.disk.callCount + distance)
    case .mendDisk: recorder.disk.clearFaults()
    case .crash(let crash, let distance):
      if crashCount < Self.crashCountMax { take(crash, before: distance) }
    }
  }

  /// Crashes the store once more, and then closes it.
  func end() {
    take(.processDeath, before: 0)
    mustSucceed("closing") { try recorder.reopen() }
    expectNoViolations(recorder.disk)
  }

  private func perform(_ operation: CrashOperation) {
    // A store that could not be opened again has to be crashed first.
    guard recorder.storage?.store != nil else { return }
    do {
      try recorder.perform(operation)
    } catch {
      expect(error is SedimentError, "\(error) after \(steps)")
    }
  }

  private func take(_ crash: Step.Crash, before distance: Int) {
    crashCount += 1
    expectReadable()
    let disk = recorder.disk
    expectNoViolations(disk)
    let history = disk.history
    let last = history.pointCount - 1
    let point = last - min(distance, Self.reachMax, last)
    let state = history.state(at: point)
    let image: SimulatedDisk
    let left: CrashLeftover<CrashContents>
    switch crash {
    case .powerLoss(let plan):
      image = state.afterPowerLoss(plan)
      left = recorder.afterPowerLoss(at: point)
    case .processDeath:
      image = state.afterProcessDeath()
      left = recorder.afterDeath(at: point)
    }
    image.trimHistory()
    recorder = CrashRecorder(scenario, on: image, after: left, firstNumber: crashCount * 1_000)
    mustSucceed("opening after a crash") { try recorder.open() }
  }

  /// Whatever has failed, what the store shows is what it was told.
  private func expectReadable() {
    guard let store = recorder.storage?.store else { return }
    let disk = recorder.disk
    disk.clearFaults()
    let time = disk.wallClock()
    disk.setWallClock(to: 1)
    defer { disk.setWallClock(to: time) }
    mustSucceed("reading") {
      let found = try CrashContents(of: store)
      let states = recorder.isPoisoned ? recorder.states.suffix(2) : recorder.states.suffix(1)
      expect(
        states.contains { scenario.accepts(found, as: $0) },
        "found \(found.summary) instead of \(recorder.current.summary) after \(steps)")
    }
  }

  private func mustSucceed(_ what: String, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      expect(false, "\(what): \(error) after \(steps)")
    }
  }
}
