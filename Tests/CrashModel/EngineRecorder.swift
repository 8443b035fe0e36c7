package import Sediment
package import SedimentTesting

package typealias EngineRecorder = CrashRecorder<EngineScenario>

extension CrashRecorder where Scenario == EngineScenario {
  /// A store that is not there yet.
  package convenience init(
    _ disk: SimulatedDisk, _ access: SedimentOptions.Access, evictingByteCount: UInt64? = nil
  ) {
    self.init(EngineScenario(access, evictingByteCount: evictingByteCount), on: disk)
  }

  package var store: SedimentStore? { storage.flatMap(\.store) }

  /// Goes on with what a crash left: opens it, uses it, and sees that opened again it holds the same.
  package static func resume(
    _ image: SimulatedDisk, _ scenario: EngineScenario, _ leftover: CrashLeftover<CrashContents>,
    firstNumber: Int
  ) throws -> CrashRecorder {
    let next = CrashRecorder(scenario, on: image, after: leftover, firstNumber: firstNumber)
    var generator = SeededGenerator(seed: UInt64(firstNumber))
    try next.resume(scenario.probes(using: &generator))
    return next
  }
}
