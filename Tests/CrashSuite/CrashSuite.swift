import Foundation
import SedimentTesting

/// Runs the layers of the crash suite and prints what each of them tried and found; see `Tests/run --help`.
@main
enum CrashSuite {
  static func main() {
    do {
      try SoakVictim.workIfAsked()
      SuiteProcess.becomeDeterministic()
      let options = try SuiteOptions(Array(CommandLine.arguments.dropFirst()))
      if let planting = options.planting {
        try planting.run()
        exit(0)
      }
      if let planted = options.planted { exit(try planted.run(isLong: options.isLong) ? 0 : 1) }
      PrivateMounts.enter()
      RunningCases.watch()
      exit(try run(options))
    } catch {
      FileHandle.standardError.write(Data("CrashSuite: \(error)\n".utf8))
      exit(2)
    }
  }

  /// The status with which the program ends.
  private static func run(_ options: SuiteOptions) throws -> Int32 {
    if let known = options.replayed { return replay(known) ? 0 : 1 }
    var rows: [SuiteRow] = []
    for layer in options.layers {
      var campaign = Campaign(layer, options)
      let result = layer.run(&campaign)
      campaign.save()
      try options.record?.append(layer, result, firstCase: campaign.first, isLong: campaign.isLong)
      rows.append(SuiteRow(layer, result, countBefore: campaign.countBefore, seconds: campaign.seconds))
      // A layer may take minutes.
      print(rows[rows.count - 1].progress)
    }
    print("\n\(SuiteRow.table(rows))")
    if rows.allSatisfy(\.isSkipped) { return SuiteRow.skippedStatus }
    return rows.allSatisfy(\.isClean) ? 0 : 1
  }

  private static func replay(_ known: SuiteOptions.Case) -> Bool {
    let result = known.layer.replay(known.seed)
    for finding in result.findings { print(finding) }
    print(
      "\(known.layer.name):\(known.seed): \(result.count) \(known.layer.unit), \(result.findings.count) found"
    )
    return result.findings.isEmpty
  }
}
