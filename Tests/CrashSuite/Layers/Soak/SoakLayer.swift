import Foundation
import Sediment
import SedimentTesting

/// Long use of several stores at once, in which nothing may grow and nothing may be lost.
///
/// Threads on an uncapped store, on one that leaves out what was not read lately and on one whose disk is nearly full,
/// with expiry and compaction; beside them processes that are killed. A seed gives the same work again, at another pace.
struct SoakLayer: Layer {
  let name = "soak"
  let title = "mixed load, expiry, compaction, kills, a nearly full disk: memory, descriptors, files flat"
  let unit = "operations"

  func run(_ campaign: inout Campaign) -> LayerResult {
    guard let seed = campaign.nextSeed(of: (short: 1, long: 1)) else { return LayerResult() }
    let result = run(seed, seconds: campaign.isLong ? 600 : 15)
    note(result, in: &campaign)
    return result
  }

  func replay(_ seed: UInt64) -> LayerResult { run(seed, seconds: 15) }

  private func run(_ seed: UInt64, seconds: Double) -> LayerResult {
    var result = LayerResult(caseCount: 1)
    func find(_ reason: String) {
      result.findings.append(
        SeededFinding(seed: seed, finding: CrashFinding(place: "seed \(seed)", reason: reason)))
    }
    do {
      let run = try SoakRun(seed: seed)
      let roundCount = 20
      var figures: [SoakFigures] = []
      for _ in 0..<roundCount {
        figures.append(try run.round(seconds: seconds / Double(roundCount)))
        // What is wrong in one round is wrong in the others.
        if !run.complaints.isEmpty { break }
      }
      try run.finish()
      result.count = run.operationCount
      for complaint in run.complaints + SoakFigures.growth(in: figures) { find(complaint) }
    } catch {
      find("\(error)")
    }
    return result
  }
}
