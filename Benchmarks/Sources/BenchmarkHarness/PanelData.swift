/// Figures of several contenders side by side, as `Charts/panels.gnuplot` reads them.
///
/// Blocks with two empty lines between them, fields separated by tabs:
/// - the titles of the panels, a line each;
/// - for each panel its bars: line, millions of operations a second, number of the color (1 for the first contender, 2
///   for others of its kind, whose names begin with its name and a comma, 0 for those of others), name, text for people;
///   a contender without a figure has the value 0 and says so;
/// - what stands below the title: a line of text each.
public struct PanelData {
  /// The blocks.
  public let text: String

  /// How many panels there are; none where there is nothing to compare.
  public let panelCount: Int

  /// Collects the times of those groups that `isShown` chooses by the identifier of their first row.
  public init(_ report: Report, showing isShown: (_ identifier: String) -> Bool) {
    let groups = report.groups.filter { group in
      guard let first = group.rows.first else { return false }
      return group.rows.count > 1 && first.unit == .time && isShown(first.identifier)
        && group.rows.contains { $0.statistics != nil }
    }
    panelCount = groups.count
    // A contender that takes part twice has one bar.
    let repeating = Set((report.contenders ?? []).filter { $0.repeats != nil }.map(\.name))
    let titles = PanelData.titles(groups).map(enhancedText).joined(separator: "\n")
    let panels = groups.map { group in
      group.rows.filter { !repeating.contains($0.name) }.enumerated().map { number, row in
        let value = row.statistics.map { 1000 / $0.median } ?? 0
        let label = row.statistics.map { row.unit.text($0.median) } ?? "no such call"
        let color = number == 0 ? 1 : row.name.hasPrefix("\(group.rows[0].name),") ? 2 : 0
        return "\(number)\t\(value)\t\(color)\t\(enhancedText(row.name))\t\(label)"
      }.joined(separator: "\n")
    }
    text = ([titles] + panels + [report.heading]).joined(separator: "\n\n\n") + "\n"
  }

  /// The titles, without what stands in parentheses behind all of them.
  private static func titles(_ groups: [Report.Group]) -> [String] {
    let parts = groups.map { $0.title.split(separator: " (", maxSplits: 1).map(String.init) }
    let isSame = Set(parts.map(\.last)).count == 1 && parts.allSatisfy { $0.count == 2 }
    return isSame ? parts.map { $0[0] } : groups.map(\.title)
  }
}

/// How figures of several contenders depend on something, as `Charts/lines.gnuplot` reads it.
///
/// The first block has the contenders' names, a line each; then comes a block of points for each, in the order of x: x, y,
/// least, greatest; the last block is the text below the title.
public struct LineData {
  /// The blocks.
  public let text: String

  /// Whether there is nothing to draw: a line takes two points.
  public let isEmpty: Bool

  /// Collects the rows of groups whose first row has an identifier of which `position` makes a place on the x axis.
  public init(_ report: Report, at position: (_ identifier: String) -> Double?) {
    var names: [String] = []
    var points: [String: [(x: Double, line: String)]] = [:]
    for group in report.groups {
      guard let first = group.rows.first, let x = position(first.identifier) else { continue }
      for row in group.rows {
        guard let statistics = row.statistics else { continue }
        if points[row.name] == nil { names.append(row.name) }
        points[row.name, default: []].append(
          (x, "\(x)\t\(statistics.median)\t\(statistics.minimum)\t\(statistics.maximum)"))
      }
    }
    isEmpty = !points.values.contains { $0.count > 1 }
    // A line goes from point to point as they come.
    let series = names.map { name in
      points[name, default: []].sorted { $0.x < $1.x }.map(\.line).joined(separator: "\n")
    }
    text =
      ([names.map(enhancedText).joined(separator: "\n")] + series + [report.heading])
      .joined(separator: "\n\n\n") + "\n"
  }
}
