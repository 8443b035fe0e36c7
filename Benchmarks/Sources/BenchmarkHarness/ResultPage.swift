internal import Foundation

/// The results of a run as one page to be looked at, which needs nothing but itself.
public struct ResultPage {
  private let reports: [(title: String, report: Report)]
  private let charts: [String]

  /// A page of reports, each under a title, and of charts, which are SVG.
  public init(_ reports: [(title: String, report: Report)], charts: [String]) {
    self.reports = reports
    self.charts = charts
  }

  /// The page.
  public var html: String {
    let heading = reports.first?.report.heading ?? ""
    let lines = heading.split(separator: "\n").map { "<p>\(escaped(String($0)))</p>" }.joined()
    let pictures = charts.map { "<figure>\(ResultPage.inline($0))</figure>" }.joined(separator: "\n")
    let sections = reports.map { section($0.title, $0.report) }.joined(separator: "\n")
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Sediment: benchmarks</title>
      <style>
      \(ResultPage.style)
      </style>
      </head>
      <body>
      <header><h1>Sediment: benchmarks</h1>\(lines)</header>
      <main>
      <div class="charts">
      \(pictures)
      </div>
      \(sections)
      </main>
      </body>
      </html>

      """
  }

  private static let style = """
    body { font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; color: #1b1f24; margin: 0; background: #f6f7f9 }
    header, main { max-width: 1180px; margin: 0 auto; padding: 24px }
    header p { color: #59636e; margin: 2px 0 }
    h1 { font-size: 26px; margin: 0 0 8px }
    h2 { font-size: 20px; margin: 36px 0 8px }
    figure { background: #fff; border-radius: 10px; padding: 12px; margin: 0 0 20px; overflow-x: auto }
    figure svg { max-width: 100%; height: auto }
    .scroll { overflow-x: auto; background: #fff; border-radius: 10px; padding: 12px }
    table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% }
    th, td { padding: 4px 10px; text-align: right; border-bottom: 1px solid #e6e8eb; white-space: nowrap }
    th:first-child, td:first-child { text-align: left }
    th { color: #59636e; font-weight: 600 }
    td.best { font-weight: 700; color: #1d4fc4 }
    td.none { color: #a0a7af }
    td.met { color: #18794e }
    td.missed { color: #b42318 }
    tr.group th { text-align: left; color: #1b1f24; padding-top: 14px }
    ul { color: #40474f }
    """

  /// What stands before the drawing would be a second beginning of a document within the page.
  private static func inline(_ svg: String) -> String {
    guard let start = svg.range(of: "<svg") else { return "" }
    return String(svg[start.lowerBound...])
  }

  private func section(_ title: String, _ report: Report) -> String {
    let contenders = report.contenders ?? []
    let tables = contenders.count > 1 ? comparisonTable(report, contenders.map(\.name)) : plainTable(report)
    return """
      <section>
      <h2>\(escaped(title))</h2>
      \(targets(report))
      <div class="scroll">\(tables)</div>
      \(settings(contenders))
      </section>
      """
  }

  private func comparisonTable(_ report: Report, _ names: [String]) -> String {
    let head = "<tr><th></th>" + names.map { "<th>\(escaped($0))</th>" }.joined() + "</tr>"
    let rows = report.groups.map { group in
      let best = group.rows.compactMap { $0.statistics?.median }.min()
      let cells = names.map { name in
        guard let row = group.rows.first(where: { $0.name == name }) else { return "<td></td>" }
        guard let statistics = row.statistics else {
          return "<td class=\"none\" title=\"\(escaped(row.unsupported ?? ""))\">none</td>"
        }
        let range = row.unit.text(from: statistics.minimum, to: statistics.maximum)
        let style = statistics.median == best ? " class=\"best\"" : ""
        return "<td\(style) title=\"\(range)\">\(row.unit.text(statistics.median))</td>"
      }
      let method = escaped(group.rows.first?.method ?? "")
      return "<tr><td title=\"\(method)\">\(escaped(group.title))</td>\(cells.joined())</tr>"
    }
    return "<table>\(head)\n\(rows.joined(separator: "\n"))</table>"
  }

  private func plainTable(_ report: Report) -> String {
    let rows = report.groups.map { group in
      let lines = group.rows.map { row in
        guard let statistics = row.statistics else {
          return "<tr><td>\(escaped(row.name))</td><td class=\"none\" colspan=\"3\">not possible here: "
            + "\(escaped(row.unsupported ?? "unknown"))</td></tr>"
        }
        return "<tr title=\"\(escaped(row.method))\"><td>\(escaped(row.name))</td>"
          + "<td>\(row.unit.text(statistics.median))</td>"
          + "<td>\(row.unit.text(from: statistics.minimum, to: statistics.maximum))</td>"
          + "<td>\(escaped(row.meaning))</td></tr>"
      }
      return "<tr class=\"group\"><th colspan=\"4\">\(escaped(group.title))</th></tr>\n"
        + lines.joined(separator: "\n")
    }
    return "<table>\(rows.joined(separator: "\n"))</table>"
  }

  private func targets(_ report: Report) -> String {
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

  private func settings(_ contenders: [Report.ContenderNote]) -> String {
    guard !contenders.isEmpty else { return "" }
    let items = contenders.map { contender in
      "<li><b>\(escaped(contender.name)) \(escaped(contender.version))</b>: "
        + "\(escaped(contender.settings.joined(separator: " ")))</li>"
    }
    return "<h3>How they were set up</h3><ul>\(items.joined(separator: "\n"))</ul>"
  }
}

private func escaped(_ text: String) -> String {
  text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    .replacing("\"", with: "&quot;")
}
