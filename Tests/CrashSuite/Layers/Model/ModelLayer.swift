import Sediment
import SedimentTesting

/// Random histories of a store on a simulated disk, held against a model operation by operation.
struct ModelLayer: SeededLayer {
  let name = "model"
  let title = "random operations against a model, random options, clocks that go back"
  let unit = "operations"
  let caseCount = (short: 400, long: 8_000)
  static let operationCount = 2_500
  /// After so many operations the accounts are made anew.
  private static let accountSpacing = 50

  func replay(_ seed: UInt64) -> LayerResult {
    var result = LayerResult(caseCount: 1)
    let settings = ModelSettings(seed: seed)
    do {
      var run = try ModelRun(settings, seed: seed)
      do {
        while result.count < Self.operationCount {
          try run.step()
          result.count += 1
          if result.count % Self.accountSpacing == 0 { try run.checkAccounts() }
        }
        try run.finish()
      } catch {
        let place = "seed \(seed), operation \(result.count) (\(settings))"
        result.findings.append(Self.finding(seed, place, error))
      }
    } catch {
      result.findings.append(Self.finding(seed, "seed \(seed), creation (\(settings))", error))
    }
    return result
  }

  private static func finding(_ seed: UInt64, _ place: String, _ error: any Error) -> SeededFinding {
    SeededFinding(seed: seed, finding: CrashFinding(place: place, reason: "\(error)"))
  }
}

/// The store did something that the model did not.
struct ModelMistake: Error, CustomStringConvertible {
  var description: String
}
