/// What results have to be to be kept: the rules of `Benchmarks/README.md`, as far as a report shows them.
public struct KeepingRules {
  /// The first contender of kept results that a later report lacks; nil if that has all of them.
  public static func missing(_ report: Report, of kept: Report) -> String? {
    let names = (report.contenders ?? []).map(\.name)
    return (kept.contenders ?? []).map(\.name).first { !names.contains($0) }
  }

  /// Why a report is not kept; nil if it is.
  public static func refusal(_ report: Report, sweep: Sweep?) -> String? {
    if report.isQuick { return "it is of a quick run, whose figures mean little" }
    if report.isFull != true { return "its loops were those of a short run; --all or --full takes the time" }
    if report.roundCount < Options.fullRoundCount {
      return "it has \(report.roundCount) rounds, and kept figures take \(Options.fullRoundCount)"
    }
    guard let contenders = report.contenders else { return nil }
    if !contenders.contains(where: { $0.repeats != nil }) {
      return "no contender took part twice, so that its noise is unknown"
    }
    guard let sweep, contenders.count > 3 else { return nil }
    if sweep.machine.processor != report.machine.processor {
      return
        "the settings of the others were swept on another processor, \(sweep.machine.processor); sweep on this one"
        + " first"
    }
    return nil
  }
}
