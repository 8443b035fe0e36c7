import CrashModel
import Sediment
import SedimentTesting

/// All sequences of up to three steps, crashed at every moment of the last step; the moments before it are those of a
/// shorter sequence, which is another case.
///
/// The first round through all cases tries some plans of each moment, every further one tries all of them.
struct SequencesLayer: SeededLayer {
  let name = "sequences"
  let title = "sequences of up to three operations, crashed at every moment"
  let unit = "images"
  let caseCount = (short: SequenceCase.count / 2, long: SequenceCase.count + 500)

  func replay(_ seed: UInt64) -> LayerResult {
    let sequence = SequenceCase(seed)
    var result = LayerResult(caseCount: 1)
    do {
      let (recorder, firstPoint) = try history(of: sequence)
      for kind in CrashKind.allCases {
        var explorer = CrashExplorer<EngineScenario>(seed: seed, plans: Self.plans(round: sequence.round))
        explorer.firstPoint = firstPoint
        explorer.explore(recorder, kind, "\(sequence)")
        result.count += explorer.imageCount
        result.findings += explorer.findings.map { SeededFinding(seed: seed, finding: $0) }
      }
    } catch {
      let finding = CrashFinding(place: "\(sequence), before any crash", reason: "\(error)")
      result.findings.append(SeededFinding(seed: seed, finding: finding))
    }
    return result
  }

  private static func plans(round: UInt64) -> CrashPlanOptions {
    CrashPlanOptions(countMax: round == 0 ? 1 : nil)
  }

  /// A sequence carried out, with the first crash point that is its own.
  private func history(of sequence: SequenceCase) throws -> (EngineRecorder, firstPoint: Int) {
    let start = sequence.hasHistory ? try Self.histories.get()[sequence.accessNumber] : .new(sequence.access)
    let recorder = start.recorder(sequence.access)
    try recorder.open()
    var firstPoint = 0
    for step in sequence.steps {
      firstPoint = recorder.disk.crashPoint
      for operation in step.operations { try recorder.perform(operation) }
    }
    return (recorder, firstPoint)
  }

  private static let histories = Result {
    try SequenceCase.accesses.map { try SequenceStart.withHistory($0) }
  }
}
