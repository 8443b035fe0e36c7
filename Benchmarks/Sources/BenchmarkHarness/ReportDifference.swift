/// What has changed from one report to another, beyond the noise of both.
public struct ReportDifference: Equatable, Sendable {
  /// A figure that both have.
  public struct Row: Equatable, Sendable {
    /// Names the figure for machines.
    public var identifier: String

    /// The heading and the name for people.
    public var name: String

    /// What it counts.
    public var unit: Quantity

    /// The earlier median.
    public var before: Double

    /// The later one.
    public var after: Double

    /// Whether the difference is more than noise.
    public var isChange: Bool

    /// Whether it became better.
    public var isBetter: Bool {
      unit.isBetterSmaller ? after < before : after > before
    }
  }

  /// All figures that both have, in the order of the later one.
  public var rows: [Row]

  /// How many figures only one of them has.
  public var unmatchedCount: Int

  /// What differs, beside the figures, so that they cannot be compared well; empty if nothing does.
  public var warnings: [String]

  /// A change has to be larger than this part of the figure: what is smaller is of no use, whatever its noise.
  private static let smallestChange = 0.03

  /// Compares two reports.
  public init(from before: Report, to after: Report) {
    let old = Dictionary(before.groups.flatMap(\.rows).map { ($0.identifier, $0) }) { first, _ in first }
    var rows: [Row] = []
    var newCount = 0
    for group in after.groups {
      for row in group.rows where row.statistics != nil {
        newCount += 1
        guard let earlier = old[row.identifier], earlier.unit == row.unit else { continue }
        let name = "\(group.title): \(row.name)"
        rows += [
          Row(row.identifier, name, row.unit, earlier.samples, row.samples),
          Row(
            "\(row.identifier)/processor", "\(name), processor", .time, earlier.processorSamples ?? [],
            row.processorSamples ?? []),
        ].compactMap(\.self)
      }
    }
    self.rows = rows
    let oldCount = old.values.count { $0.statistics != nil }
    let matchedCount = rows.count { old[$0.identifier] != nil }
    unmatchedCount = newCount + oldCount - 2 * matchedCount
    warnings = ReportDifference.warnings(before, after)
  }

  /// Whether the middle halves of the samples lie apart, and their medians by more than a little.
  static func isChange(_ before: [Double], _ after: [Double]) -> Bool {
    guard let one = Statistics(before), let other = Statistics(after) else { return false }
    let difference = (other.median - one.median).magnitude
    guard difference > smallestChange * one.median.magnitude else { return false }
    let (halfBefore, halfAfter) = (middleHalf(before), middleHalf(after))
    return halfBefore.upperBound < halfAfter.lowerBound || halfAfter.upperBound < halfBefore.lowerBound
  }

  private static func middleHalf(_ samples: [Double]) -> ClosedRange<Double> {
    let sorted = samples.sorted()
    let left = sorted.count / 4
    return sorted[left]...sorted[sorted.count - 1 - left]
  }

  private static func warnings(_ before: Report, _ after: Report) -> [String] {
    var warnings: [String] = []
    if before.machine.summary != after.machine.summary {
      warnings.append(
        "They come from different machines: \(before.machine.summary); \(after.machine.summary).")
    }
    if before.machine.swiftVersion != after.machine.swiftVersion {
      warnings.append("Swift was \(before.machine.swiftVersion), is \(after.machine.swiftVersion).")
    }
    if before.version != after.version {
      warnings.append("The rules of measuring changed between them: some figures are of other things.")
    }
    if before.isQuick || after.isQuick { warnings.append("Figures of a quick run mean little.") }
    if min(before.roundCount, after.roundCount) < 5 {
      warnings.append("Fewer than five rounds say little about noise.")
    }
    return warnings
  }
}

extension ReportDifference {
  /// What changed as text for a terminal, ending with a line break: the largest changes for the worse first.
  public var text: String {
    let changes = rows.filter(\.isChange).sorted { $0.gain < $1.gain }
    var lines = warnings.map { "Note: \($0)" }
    let still = rows.count - changes.count
    lines.append(
      "\(changes.count) of \(rows.count) figures changed beyond the noise, \(still) did not; \(unmatchedCount) are only in one report."
    )
    let width = changes.map(\.name.count).max() ?? 0
    for row in changes {
      let before = row.unit.text(row.before).padded(to: 10, onLeft: true)
      let after = row.unit.text(row.after).padded(to: 10, onLeft: true)
      let ratio = ratioText(row.after / row.before).padded(to: 5, onLeft: true)
      lines.append(
        "  \(row.name.padded(to: width))  \(before) ->\(after)  \(ratio)  \(row.isBetter ? "better" : "worse")"
      )
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension ReportDifference.Row {
  /// Nil where one of them has no samples.
  fileprivate init?(
    _ identifier: String, _ name: String, _ unit: Quantity, _ before: [Double], _ after: [Double]
  ) {
    guard let one = Statistics(before)?.median, let other = Statistics(after)?.median else { return nil }
    self.init(
      identifier: identifier, name: name, unit: unit, before: one, after: other,
      isChange: ReportDifference.isChange(before, after))
  }

  /// How many times as good it has become.
  fileprivate var gain: Double {
    unit.isBetterSmaller ? before / after : after / before
  }
}
