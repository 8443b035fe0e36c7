internal import Sediment
package import SedimentTesting

/// A script carried out with one call to the disk that goes wrong: what is thrown is a store's error, and nothing
/// that was acknowledged is lost.
package struct CallTrial {
  private let script: CallScript
  private let recorder: EngineRecorder
  private let fault: CallFault
  private let place: String
  private var findings: [CrashFinding] = []

  /// Lets the call of that index fail; what was not as it should be.
  package static func run(_ script: CallScript, call: Int, _ fault: CallFault) throws -> [CrashFinding] {
    var trial = CallTrial(
      script: script, recorder: try script.recorder(), fault: fault,
      place: "\(script), call \(call), \(fault)")
    fault.inject(into: trial.disk, atCall: call)
    trial.carryOut()
    trial.disk.clearFaults()
    trial.verify()
    return trial.findings
  }

  private init(script: CallScript, recorder: EngineRecorder, fault: CallFault, place: String) {
    self.script = script
    self.recorder = recorder
    self.fault = fault
    self.place = place
  }

  private var disk: SimulatedDisk { recorder.disk }

  private mutating func find(_ reason: String, at detail: String, _ operations: [String] = []) {
    findings.append(CrashFinding(place: "\(place), \(detail)", reason: reason, operations: operations))
  }

  // MARK: With the fault

  private mutating func carryOut() {
    do {
      try recorder.open()
    } catch {
      expectStoreError(error, at: "opening")
      return
    }
    var eventCount: Int?
    for operation in script.operations where recorder.store != nil {
      do {
        try recorder.perform(operation)
      } catch {
        expectStoreError(error, at: "\(operation)")
      }
      if let eventCount, recorder.store != nil, disk.crashPoint != eventCount {
        find("something was written after an unknown outcome", at: "\(operation)")
      }
      if recorder.isPoisoned, eventCount == nil { eventCount = disk.crashPoint }
    }
  }

  /// What fails is told as a store's error, and a call that failed is not told as damage.
  private mutating func expectStoreError(_ error: any Error, at detail: String) {
    guard let error = error as? SedimentError else { return find("\(error)", at: detail) }
    let isDamage = [.damaged, .foreign, .newer].contains(error.code)
    if isDamage, !fault.isLikeDamage { find("taken for damage: \(error)", at: detail) }
  }

  // MARK: After it

  /// The store reads well as it is, and whatever comes next finds what was acknowledged.
  private mutating func verify() {
    verifyPresent()
    verifyAfterPowerLoss()
    for (detail, reason) in CallsAfterFailure.run(recorder) { find(reason, at: "then \(detail)") }
    // What is left is told before closing: it may do no more than before.
    let point = disk.crashPoint
    let left =
      fault.losesUnsynced ? recorder.afterPowerLoss(at: point) : recorder.afterDeath(at: point)
    do {
      try recorder.close()
    } catch {
      if !recorder.isPoisoned { find("closing failed with \(error)", at: "at the end", left.operations) }
    }
    do {
      let next = try EngineRecorder.resume(disk, recorder.scenario, left, firstNumber: 3000)
      try next.perform(.sync)
      _ = try EngineRecorder.resume(
        disk.afterPowerLoss(.nothing), recorder.scenario, next.afterPowerLoss(at: disk.crashPoint),
        firstNumber: 4000)
    } catch {
      find("\(error)", at: "after it was closed", left.operations)
    }
  }

  private mutating func verifyPresent() {
    guard let store = recorder.store else { return }
    let left = recorder.afterDeath(at: disk.crashPoint)
    let time = disk.wallClock()
    disk.setWallClock(to: 1)
    defer { disk.setWallClock(to: time) }
    for finding in store.accountFindings() {
      find("the accounts: \(finding)", at: "still open", left.operations)
    }
    do {
      let found = try CrashContents(of: store)
      if !left.states[left.leastFound...].contains(where: { recorder.scenario.accepts(found, as: $0) }) {
        find("reads \(found.summary)", at: "still open", left.operations)
      }
    } catch {
      find("\(error)", at: "still open", left.operations)
    }
  }

  private mutating func verifyAfterPowerLoss() {
    let state = disk.crashState
    for plan in [CrashPlan.nothing, .everything, .random(seed: UInt64(state.point))] {
      let left = recorder.afterPowerLoss(at: state.point)
      do {
        _ = try EngineRecorder.resume(
          state.afterPowerLoss(plan), recorder.scenario, left, firstNumber: 2000)
      } catch {
        find("\(error)", at: "after a power failure with \(plan)", left.operations)
      }
    }
  }
}
