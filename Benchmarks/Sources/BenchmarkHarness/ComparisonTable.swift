/// Sets comparisons as text for a terminal: figure, limit, ratio, target, and whether it was reached.
public struct ComparisonTable {
  private let results: [Comparison.Result]

  /// Creates the table.
  public init(_ results: [Comparison.Result]) {
    self.results = results
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
    let verdict = result.isReached.map { $0 ? "reached" : "MISSED" } ?? ""
    return [
      result.name, figure, limit, result.limitName, ratio, range, result.target ?? "", verdict,
    ]
  }
}

extension String {
  fileprivate var trimmingEnd: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}
