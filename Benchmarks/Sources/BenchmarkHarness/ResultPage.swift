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
    let pictures = charts.map(ResultPage.figure).joined(separator: "\n")
    let sections = reports.map { ResultTables($0.report).section($0.title) }.joined(separator: "\n")
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
    header, main { max-width: 1240px; margin: 0 auto; padding: 24px }
    header p { color: #59636e; margin: 2px 0 }
    h1 { font-size: 26px; margin: 0 0 8px }
    h2 { font-size: 20px; margin: 36px 0 8px }
    .charts { display: flex; flex-wrap: wrap; gap: 20px }
    figure { background: #fff; border-radius: 10px; padding: 12px; margin: 0; box-sizing: border-box; flex: 1 1 100% }
    figure.half { flex: 1 1 480px }
    figure svg { display: block; width: 100%; height: auto }
    .scroll { overflow-x: auto; background: #fff; border-radius: 10px; padding: 12px }
    table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% }
    th, td { padding: 4px 7px; text-align: right; border-bottom: 1px solid #e6e8eb; white-space: nowrap }
    th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: #fff; white-space: normal }
    td:first-child { min-width: 150px }
    th { color: #59636e; font-weight: 600; white-space: normal; vertical-align: bottom }
    td small { display: block; color: #59636e; font-weight: 400; font-size: 12px }
    p.legend { color: #59636e; margin: 4px 0 10px }
    td.best { font-weight: 700; color: #1d4fc4 }
    td.none { color: #a0a7af }
    td.met { color: #18794e }
    td.missed { color: #b42318 }
    tr.group th { text-align: left; color: #1b1f24; padding-top: 14px }
    ul { color: #40474f }
    """

  /// A chart as wide as the page, or, if it is drawn for less, as half of it where there is room for two.
  private static func figure(_ svg: String) -> String {
    let drawing = inline(svg)
    let style = (width(of: drawing) ?? .infinity) <= halfWidthMax ? " class=\"half\"" : ""
    return "<figure\(style)>\(drawing)</figure>"
  }

  private static let halfWidthMax = 800.0

  /// How wide a drawing is by its first coordinates: `viewBox="0 0 760 470"`.
  private static func width(of svg: String) -> Double? {
    guard let start = svg.range(of: "viewBox=\"") else { return nil }
    let numbers = svg[start.upperBound...].prefix { $0 != "\"" }.split(separator: " ")
    return numbers.count == 4 ? Double(numbers[2]) : nil
  }

  /// What stands before the drawing would be a second beginning of a document within the page.
  private static func inline(_ svg: String) -> String {
    guard let start = svg.range(of: "<svg") else { return "" }
    return String(svg[start.lowerBound...])
  }
}
