/// The figures of one quantity, as `Charts/bars.gnuplot` reads them.
///
/// Three blocks with two empty lines between them, fields separated by tabs, names and titles in gnuplot's markup:
/// - the bars: line of the chart, median, minimum, maximum, number of the color (0 for a limit), name, median for people;
/// - the headings: line of the chart, title of the group;
/// - what stands below: one line of text for each line.
public struct ChartData {
  /// What stands for the color of limits; the groups are numbered from 1.
  private static let limitColor = 0

  /// The blocks.
  public let text: String

  /// Whether there is nothing to draw.
  public let isEmpty: Bool

  /// Collects the figures of `quantity`.
  public init(_ report: Report, quantity: Quantity) {
    var bars: [String] = []
    var headings: [String] = []
    var line = 0
    for group in report.groups {
      let rows = group.rows.filter { $0.unit == quantity }.compactMap { row in
        row.statistics.map { (row, $0) }
      }
      guard !rows.isEmpty else { continue }
      headings.append("\(line)\t\(enhancedText(group.title))")
      for (row, statistics) in rows {
        line += 1
        let fields = [
          "\(line)", "\(statistics.median)", "\(statistics.minimum)", "\(statistics.maximum)",
          "\(row.isLimit == true ? ChartData.limitColor : headings.count)", enhancedText(row.name),
          quantity.text(statistics.median),
        ]
        bars.append(fields.joined(separator: "\t"))
      }
      line += 2  // an empty line before the next heading
    }
    isEmpty = bars.isEmpty
    let blocks = [bars.joined(separator: "\n"), headings.joined(separator: "\n"), report.heading]
    text = blocks.joined(separator: "\n\n\n") + "\n"
  }
}

/// Keeps gnuplot from taking characters for markup: `_` would begin a subscript.
func enhancedText(_ text: String) -> String {
  String(text.flatMap { "_^@&~{}\\".contains($0) ? ["\\", $0] : [$0] })
}
