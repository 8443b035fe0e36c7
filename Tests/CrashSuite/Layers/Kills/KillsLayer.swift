import CrashModel
import SedimentTesting

/// Real processes that are killed at random times, and before, within and behind chosen calls to the disk and stores
/// through a mapping, while they create, recover, compact and evict.
///
/// A case is a store that many processes die on, one after the other.
struct KillsLayer: SeededLayer {
  let name = "kills"
  let title = "real processes killed at random times and at chosen calls and stores"
  let unit = "kills"
  let isParallel = false
  let caseCount = (short: 500 / Self.killCount, long: 2_000 / Self.killCount)

  private static let killCount = 25

  func replay(_ seed: UInt64) -> LayerResult {
    var trial = KillTrial(seed: seed, killCount: Self.killCount)
    trial.style = KillSetup.Style.allCases[Int(seed % 3)]
    trial.threadCount = [1, 4, 2][Int(seed / 3 % 3)]
    trial.isOnDisk = seed % 4 == 3
    // Else most ends would be somewhere between operations.
    if seed % 4 == 1 { trial.stopKind = .store }
    do {
      var outcome = try trial.run()
      if outcome.findings.isEmpty, outcome.stopCounts.isEmpty {
        let reason = "no process came to where it was to kill itself"
        outcome.findings.append(CrashFinding(place: "all kills", reason: reason))
      }
      return LayerResult(
        count: outcome.killCount, caseCount: 1,
        findings: outcome.findings.map { SeededFinding(seed: seed, finding: $0) })
    } catch {
      let finding = CrashFinding(place: "before any kill", reason: "\(error)")
      return LayerResult(caseCount: 1, findings: [SeededFinding(seed: seed, finding: finding)])
    }
  }
}
