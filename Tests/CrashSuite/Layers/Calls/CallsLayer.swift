import CrashModel
import Sediment
import SedimentTesting

/// Every call to the disk that some scripts make, going wrong in every way that it can, once and for good.
struct CallsLayer: SeededLayer {
  let name = "calls"
  let title = "every call to the disk going wrong in every way"
  let unit = "failures"
  var caseCount: (short: Int, long: Int) { (short: 5_000, long: (try? Self.failures.get().count) ?? 1) }

  func replay(_ seed: UInt64) -> LayerResult {
    var result = LayerResult(count: 1, caseCount: 1)
    do {
      let failure = try Self.failures.get().failure(seed)
      let findings = try CallTrial.run(failure.script, call: failure.call, failure.fault)
      result.findings = findings.map { SeededFinding(seed: seed, finding: $0) }
    } catch {
      let finding = CrashFinding(place: "the scripts, before any failure", reason: "\(error)")
      result.findings = [SeededFinding(seed: seed, finding: finding)]
    }
    return result
  }

  private static let failures = Result { try CallFailures() }
}
