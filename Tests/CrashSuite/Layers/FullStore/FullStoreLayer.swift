import Sediment
import SedimentTesting

/// Small stores that are filled until they refuse, emptied again, and must always go on (invariants 22 and 25).
///
/// Keys have up to 65,535 bytes and values up to 200,000, so records of several slots, batches and large values meet
/// free slots that lie one by one.
struct FullStoreLayer: SeededLayer {
  let name = "full-store"
  let title = "small stores that are filled and emptied: nothing that frees is refused, what fits is stored"
  let unit = "stores"
  let caseCount = (short: 60, long: 10_000)

  func replay(_ seed: UInt64) -> LayerResult {
    var result = LayerResult(count: 1, caseCount: 1)
    let plan = FullStorePlan(seed: seed)
    do {
      var run = try FullStoreRun(plan, seed: seed)
      do {
        try run.run()
      } catch {
        result.findings.append(Self.finding(seed, "\(plan), \(run.step)", "\(error)\n    \(run.map)"))
      }
    } catch {
      result.findings.append(Self.finding(seed, "\(plan), creation", "\(error)"))
    }
    return result
  }

  private static func finding(_ seed: UInt64, _ place: String, _ reason: String) -> SeededFinding {
    SeededFinding(seed: seed, finding: CrashFinding(place: "seed \(seed), \(place)", reason: reason))
  }
}
