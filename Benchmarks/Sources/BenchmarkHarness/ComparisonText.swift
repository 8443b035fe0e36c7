/// The rows of a comparison as Markdown, each figure with how far its samples lie apart.
struct ComparisonText {
  private let report: Report
  private let standings: Standings
  private let contenders: [Report.ContenderNote]

  init(_ report: Report) {
    self.report = report
    standings = Standings(report)
    contenders = (report.contenders ?? []).filter { $0.repeats == nil }
  }

  /// The names and versions of all contenders, as cells; each stands once, however often it takes part.
  var heads: String { contenders.map { "\($0.name) \($0.version)" }.joined(separator: " | ") }

  /// A table of the groups whose identifiers begin with one of these, or of all.
  func table(_ prefixes: [String]) -> String {
    let groups = report.groups.filter { group in
      guard let first = group.rows.first, contenders.contains(where: { $0.name == first.name }) else {
        return false
      }
      return prefixes.isEmpty || prefixes.contains(where: first.identifier.hasPrefix)
    }
    let rules = contenders.map { _ in "---" }.joined(separator: " | ")
    let lines = groups.map { group in
      let cells = contenders.map { contender in cell(group.rows.first { $0.name == contender.name }) }
      return "| \(group.title) | \(cells.joined(separator: " | ")) | \(noise(group)) |"
    }
    return (["| | \(heads) | noise |", "| --- | \(rules) | --- |"] + lines).joined(separator: "\n")
  }

  /// A table of the rows in which another contender is ahead of the first, beyond the noise, the largest difference first.
  var losses: String {
    let behind = standings.all.filter { $0.place == .behind }.sorted { $0.ratio < $1.ratio }
    let lines = behind.map { standing in
      "| \(standing.group.title) | \(cell(standing.own)) | \(standing.best.name) | \(cell(standing.best)) "
        + "| \(ratioText(1 / standing.ratio)) | \(percent(standing.noise - 1)) |"
    }
    let head = "| | \(contenders.first?.name ?? "") | the best | | times as good | noise |"
    return ([head, "| --- | --- | --- | --- | --- | --- |"] + lines).joined(separator: "\n")
  }

  /// How many rows there are of each kind.
  var count: String {
    func count(_ place: Standings.Place) -> Int { standings.all.count { $0.place == place } }
    return
      "Of \(standings.all.count) rows \(contenders.first?.name ?? "") is ahead of all others in \(count(.ahead)), level "
      + "with the best of them in \(count(.level)), and behind in \(count(.behind))."
  }

  /// How each contender was set up, and what the figures come with.
  var settings: String {
    contenders.map { contender in
      "- **\(contender.name) \(contender.version).** \(contender.settings.joined(separator: " "))"
    }.joined(separator: "\n")
  }

  /// What makes some figures less than their rows say.
  var remarks: String {
    let lines = report.groups.flatMap { group in
      group.rows.compactMap { row in
        row.remarks.map { "- \(group.title), \(row.name): \(Set($0).sorted().joined(separator: "; "))" }
      }
    }
    return lines.isEmpty ? "None." : lines.joined(separator: "\n")
  }

  /// By how much a processor time differs from the time by the clock if it is told, as a part of that.
  private static let smallestDifference = 0.05

  /// The median, the processor time where that differs, half the distance of the extremes, and the rounds if there were
  /// fewer than in the rest of the run.
  private func cell(_ row: Report.Row?) -> String {
    guard let row, let statistics = row.statistics else { return "none" }
    let processor = row.processor.map(\.median).flatMap { median in
      (median - statistics.median).magnitude > ComparisonText.smallestDifference * statistics.median
        ? " (\(row.unit.text(median)))" : nil
    }
    let spread = row.samples.count > 1 ? " ±\(percent(statistics.spread / 2))" : ""
    let rounds = row.samples.count < report.roundCount ? ", \(row.samples.count)x" : ""
    return "\(row.unit.text(statistics.median))\(processor ?? "")\(spread)\(rounds)"
  }

  private func noise(_ group: Report.Group) -> String {
    standings.noise(of: group).map { percent($0 - 1) } ?? "unknown"
  }

  private func percent(_ part: Double) -> String { "\(Int((part * 100 - 0.001).rounded(.up))) %" }
}
