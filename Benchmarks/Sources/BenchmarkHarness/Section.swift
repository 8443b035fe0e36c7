/// Benchmarks that take turns with one another, and what is compared of them.
public struct Section {
  /// What is measured.
  public var groups: [BenchmarkGroup]

  /// What is held against what.
  public var comparisons: [Comparison]

  /// How many rounds it takes for each that was asked for: more where samples are short and scatter.
  public var roundFactor: Int

  /// Whether the benchmarks of each group have another order in each round.
  public var isRotated: Bool

  /// Creates a section.
  public init(
    _ groups: [BenchmarkGroup], _ comparisons: [Comparison] = [], roundFactor: Int = 1,
    isRotated: Bool = false
  ) {
    self.groups = groups
    self.comparisons = comparisons
    self.roundFactor = roundFactor
    self.isRotated = isRotated
  }

  /// Measures everything in so many rounds.
  public func measured(
    roundCount: Int, progress: (_ round: Int, _ index: Int) -> Void = { _, _ in }
  ) throws -> (groups: [Report.Group], comparisons: [Comparison.Result]) {
    let rounds = Rounds(count: roundCount * roundFactor)
    let all = try rounds.run(
      groups.flatMap(\.benchmarks), rotated: isRotated ? ranges : [], progress: progress)
    var outcomes = all[...]
    let measured = groups.map { group in
      defer { outcomes = outcomes.dropFirst(group.benchmarks.count) }
      return Report.Group(group, outcomes)
    }
    return (measured, comparisons.map { $0.result(in: measured) })
  }

  /// Where the benchmarks of each group stand among all.
  private var ranges: [Range<Int>] {
    var start = 0
    return groups.map { group in
      defer { start += group.benchmarks.count }
      return start..<start + group.benchmarks.count
    }
  }
}
