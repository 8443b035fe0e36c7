/// Sets a report as text for a terminal.
public struct Table {
  private let report: Report

  /// Creates the table of a report.
  public init(_ report: Report) {
    self.report = report
  }

  /// The table, a heading above each group, ending with a line break.
  public var text: String {
    var lines: [String] = []
    let nameWidth = report.groups.flatMap(\.rows).map(\.name.count).max() ?? 0
    for group in report.groups {
      lines.append("")
      lines.append(group.title)
      lines += group.rows.map { line($0, nameWidth: nameWidth) }
    }
    return lines.dropFirst().map { $0 + "\n" }.joined()
  }

  /// The second figure: what the whole process took of the processors.
  private func processor(_ row: Report.Row) -> String {
    guard hasProcessor else { return "" }
    let text =
      row.processor.map { "  processor \(row.unit.text($0.median).padded(to: 8, onLeft: true))" } ?? ""
    return text.padded(to: "  processor 12345678".count)
  }

  private var hasProcessor: Bool { report.groups.contains { $0.rows.contains { $0.processor != nil } } }

  private func line(_ row: Report.Row, nameWidth: Int) -> String {
    let name = row.name.padded(to: nameWidth)
    guard let statistics = row.statistics else {
      return "  \(name)  not possible here: \(row.unsupported ?? "unknown")"
    }
    let median = row.unit.text(statistics.median).padded(to: 10, onLeft: true)
    let range = row.unit.text(from: statistics.minimum, to: statistics.maximum).padded(to: 19, onLeft: true)
    let remark = row.remarks.map { "   (\(Set($0).sorted().joined(separator: "; ")))" } ?? ""
    return "  \(name)  \(median)  \(range)\(processor(row))   \(row.meaning)\(remark)".trimmingEnd
  }
}

extension String {
  var trimmingEnd: String {
    String(reversed().drop { $0 == " " }.reversed())
  }

  func padded(to width: Int, onLeft: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - count))
    return onLeft ? padding + self : self + padding
  }
}
