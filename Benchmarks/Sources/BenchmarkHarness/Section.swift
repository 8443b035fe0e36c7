/// Benchmarks that take turns with one another, and what is compared of them.
public struct Section {
  /// What is measured.
  public var groups: [BenchmarkGroup]

  /// What is held against what.
  public var comparisons: [Comparison]

  /// How many rounds it takes for each that was asked for: more where samples are short and scatter.
  public var roundFactor: Int

  /// Creates a section.
  public init(_ groups: [BenchmarkGroup], _ comparisons: [Comparison] = [], roundFactor: Int = 1) {
    self.groups = groups
    self.comparisons = comparisons
    self.roundFactor = roundFactor
  }

  /// Measures everything in so many rounds.
  public func measured(
    roundCount: Int, progress: (_ round: Int, _ index: Int) -> Void = { _, _ in }
  ) throws -> (groups: [Report.Group], comparisons: [Comparison.Result]) {
    let rounds = Rounds(count: roundCount * roundFactor)
    var outcomes = try rounds.run(groups.flatMap(\.benchmarks), progress: progress)[...]
    let measured = groups.map { group in
      defer { outcomes = outcomes.dropFirst(group.benchmarks.count) }
      return Report.Group(group, outcomes)
    }
    return (measured, comparisons.map { $0.result(in: measured) })
  }
}
