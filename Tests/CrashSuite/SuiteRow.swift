import Foundation

/// A line of the table at the end.
struct SuiteRow {
  private let name: String
  private let title: String
  private let tried: String
  private let found: String
  private let seconds: Double
  let isClean: Bool
  let isSkipped: Bool

  /// How the program ends if no layer could be tried.
  static let skippedStatus: Int32 = 77

  /// Of a run; `countBefore` is what long runs before it have tried.
  init(_ layer: any Layer, _ result: LayerResult, countBefore: Int, seconds: Double) {
    name = layer.name
    title = layer.title
    self.seconds = seconds
    // What tries nothing shows nothing.
    isSkipped = result.skipped != nil
    isClean = result.findings.isEmpty && (result.skipped != nil || result.count > 0)
    if let skipped = result.skipped {
      tried = "skipped: \(skipped)"
      found = "-"
    } else {
      let sum = countBefore == 0 ? "" : ", \(Self.grouped(countBefore + result.count)) with earlier runs"
      tried = "\(Self.grouped(result.count)) \(layer.unit)\(sum)"
      found = "\(result.findings.count)"
    }
  }

  var progress: String { "\(name): \(tried), \(found) found, \(Int(seconds)) s" }

  /// All rows, in columns.
  static func table(_ rows: [SuiteRow]) -> String {
    let cells =
      [["layer", "what", "tried", "found", "seconds"]]
      + rows.map { [$0.name, $0.title, $0.tried, $0.found, "\(Int($0.seconds.rounded()))"] }
    let widths = (0..<5).map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      zip(row, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
        .joined(separator: "  ").trimmingCharacters(in: .whitespaces)
    }.joined(separator: "\n")
  }

  private static func grouped(_ number: Int) -> String {
    var digits = String(number)
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
      place -= 3
    }
    return digits
  }
}
