/// Sets comparisons as text for a terminal: figure, limit, ratio, target, and whether it was reached.
public struct ComparisonTable {
  private let results: [Comparison.Result]
  private let isQuick: Bool

  /// Creates the table of a report's comparisons; figures of a quick run reach and miss nothing.
  public init(_ report: Report) {
    results = report.comparisons
    isQuick = report.isQuick
  }

  /// The table, ending with a line break; empty if nothing was compared.
  public var text: String {
    guard !results.isEmpty else { return "" }
    let rows = [["", "figure", "limit", "", "ratio", "lowest .. highest", "target", ""]] + results.map(cells)
    let widths = rows[0].indices.map { column in rows.map(\.[column].count).max() ?? 0 }
    let numbers: Set = [1, 2, 4, 5]
    let lines = rows.map { row in
      let cells = row.indices.map { row[$0].padded(to: widths[$0], onLeft: numbers.contains($0)) }
      return "  " + cells.joined(separator: "  ").trimmingEnd
    }
    return "Held against its limits\n" + lines.map { $0 + "\n" }.joined()
  }

  private func cells(_ result: Comparison.Result) -> [String] {
    let figure = result.figure.map(result.unit.text) ?? "-"
    let limit = result.limit.map(result.unit.text) ?? "-"
    let ratio = result.ratio.map { ratioText($0.median) } ?? "-"
    let range = result.ratio.map { "\(ratioText($0.minimum)) .. \(ratioText($0.maximum))" } ?? ""
    return [
      result.name, figure, limit, result.limitName, ratio, range, result.target ?? "", verdict(result),
    ]
  }

  private func verdict(_ result: Comparison.Result) -> String {
    guard let isReached = result.isReached, !isQuick else { return "" }
    if isReached { return "reached" }
    return result.isOutOfReach == true ? "missed by the bare loop, too" : "MISSED"
  }
}
