/// The tables of a report on a page.
struct ResultTables {
  private let report: Report
  /// The names of those that are compared.
  private let names: [String]

  init(_ report: Report) {
    self.report = report
    names = (report.contenders ?? []).map(\.name)
  }

  /// All of them under a heading, with how the contenders were set up.
  func section(_ title: String) -> String {
    let (compared, others) = (
      report.groups.filter { !names.isEmpty && $0.isAbout(names) },
      report.groups.filter { names.isEmpty || !$0.isAbout(names) }
    )
    let tables = [comparisonTable(compared), names.isEmpty ? plainTable(others) : ""].filter { !$0.isEmpty }
    return """
      <section>
      <h2>\(escaped(title))</h2>
      \(targets)
      \(legend)
      \(tables.map { "<div class=\"scroll\">\($0)</div>" }.joined(separator: "\n<p></p>\n"))
      \(names.isEmpty ? "" : sentences(others))
      \(settings)
      </section>
      """
  }

  /// Says which figure is which.
  private var legend: String {
    guard !names.isEmpty else { return "" }
    let processor = "below it the processor time of the whole process, its background included"
    return "<p class=\"legend\">Each cell has the time of one operation by the clock, and \(processor). "
      + "The best by the clock is bold; a cell tells its extremes, and a row its method, where the pointer rests.</p>"
  }

  /// A row for each workload, a column for each contender.
  private func comparisonTable(_ groups: [Report.Group]) -> String {
    guard !groups.isEmpty else { return "" }
    let head = "<tr><th></th>" + names.map { "<th>\(escaped($0))</th>" }.joined() + "</tr>"
    let rows = groups.map { group in
      let medians = group.rows.compactMap { $0.statistics?.median }
      let isBetterSmaller = group.rows.first?.unit.isBetterSmaller ?? true
      let best = names.count < 2 ? nil : isBetterSmaller ? medians.min() : medians.max()
      let cells = names.map { name in cell(group.rows.first { $0.name == name }, best) }
      let method = escaped(group.rows.first?.method ?? "")
      return "<tr><td title=\"\(method)\">\(escaped(group.title))</td>\(cells.joined())</tr>"
    }
    return "<table>\(head)\n\(rows.joined(separator: "\n"))</table>"
  }

  private func cell(_ row: Report.Row?, _ best: Double?) -> String {
    guard let row else { return "<td></td>" }
    guard let statistics = row.statistics else {
      return "<td class=\"none\" title=\"\(escaped(row.unsupported ?? ""))\">none</td>"
    }
    let range = row.unit.text(from: statistics.minimum, to: statistics.maximum)
    let style = statistics.median == best ? " class=\"best\"" : ""
    return "<td\(style) title=\"\(range)\">\(row.unit.text(statistics.median))\(processor(row))</td>"
  }

  private func processor(_ row: Report.Row) -> String {
    row.processor.map { "<small>\(row.unit.text($0.median))</small>" } ?? ""
  }

  private func plainTable(_ groups: [Report.Group]) -> String {
    guard !groups.isEmpty else { return "" }
    let rows = groups.map { group in
      let lines = group.rows.map { row in
        guard let statistics = row.statistics else {
          return "<tr><td>\(escaped(row.name))</td><td class=\"none\" colspan=\"3\">not possible here: "
            + "\(escaped(row.unsupported ?? "unknown"))</td></tr>"
        }
        return "<tr title=\"\(escaped(row.method))\"><td>\(escaped(row.name))</td>"
          + "<td>\(row.unit.text(statistics.median))\(processor(row))</td>"
          + "<td>\(row.unit.text(from: statistics.minimum, to: statistics.maximum))</td>"
          + "<td>\(escaped(row.meaning))</td></tr>"
      }
      return "<tr class=\"group\"><th colspan=\"4\">\(escaped(group.title))</th></tr>\n"
        + lines.joined(separator: "\n")
    }
    return "<table>\(rows.joined(separator: "\n"))</table>"
  }

  /// What was measured in the same rounds as those that are compared, and is about none of them.
  private func sentences(_ groups: [Report.Group]) -> String {
    groups.map { group in
      let figures = group.rows.map { row in
        guard let statistics = row.statistics else { return "\(row.name): none" }
        return "\(row.name): \(row.unit.text(statistics.median)) "
          + "(\(row.unit.text(from: statistics.minimum, to: statistics.maximum)))"
      }
      return "<p class=\"legend\">\(escaped("\(group.title): \(figures.joined(separator: "; "))")).</p>"
    }.joined(separator: "\n")
  }

  private var targets: String {
    let lines = report.comparisons.compactMap { result -> String? in
      guard let ratio = result.ratio, let target = result.target, let isReached = result.isReached else {
        return nil
      }
      let (style, word) = isReached ? ("met", "reached") : ("missed", "missed")
      return "<tr><td>\(escaped(result.name))</td><td>\(result.figure.map(result.unit.text) ?? "")</td>"
        + "<td>\(result.limit.map(result.unit.text) ?? "")</td><td>\(escaped(result.limitName))</td>"
        + "<td>\(ratioText(ratio.median))</td><td>\(escaped(target))</td>"
        + "<td class=\"\(report.isQuick ? "none" : style)\">\(report.isQuick ? "quick run" : word)</td></tr>"
    }
    guard !lines.isEmpty else { return "" }
    let head =
      "<tr><th></th><th>figure</th><th>beside</th><th>which is</th><th>ratio</th><th>target</th><th></th></tr>"
    return "<div class=\"scroll\"><table>\(head)\n\(lines.joined(separator: "\n"))</table></div>\n<p></p>"
  }

  private var settings: String {
    let contenders = report.contenders ?? []
    guard !contenders.isEmpty else { return "" }
    let items = contenders.map { contender in
      "<li><b>\(escaped(contender.name)) \(escaped(contender.version))</b>: "
        + "\(escaped(contender.settings.joined(separator: " ")))</li>"
    }
    return "<h3>How they were set up</h3><ul>\(items.joined(separator: "\n"))</ul>"
  }
}

extension Report.Group {
  /// Whether its rows are those of contenders.
  fileprivate func isAbout(_ names: [String]) -> Bool { rows.contains { names.contains($0.name) } }
}

func escaped(_ text: String) -> String {
  text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    .replacing("\"", with: "&quot;")
}
