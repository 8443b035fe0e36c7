internal import Foundation

/// The figures of kept results, as documents ask for them.
///
/// A request is what names a figure, or one of these words and then what names it:
/// - `processor`: the processor time of the whole process;
/// - `min`, `max`, `range`: the extremes of the rounds;
/// - `ratio ONE OTHER`: how many times the other figure the one is;
/// - `rounds`, `date` and `machine` of a report, by its name;
/// - `each`, and then any of these without the contender at its end: all contenders' figures, as cells of a table;
/// - `contenders`, `rules`: cells for the head of such a table, names with versions;
/// - `table` of a report, and what the identifiers of its rows begin with: a table of all these rows with their noise;
/// - `losses`, `count`, `settings` and `remarks` of a report: the rows in which another contender is ahead, how many there
///   are, how contenders were set up, and which figures are less than their rows say;
/// - `targets` of a report: rows of what was held against what.
public struct KeptFigures {
  private let reports: [String: Report]
  private let rows: [String: Report.Row]

  /// The figures of reports by their names; no figure is in two of them.
  public init(_ reports: [String: Report]) {
    self.reports = reports
    // By name, so that it is always the same one if there should be two.
    let all = reports.sorted { $0.key < $1.key }.flatMap { $0.value.groups.flatMap(\.rows) }
    rows = Dictionary(all.map { ($0.identifier, $0) }) { first, _ in first }
  }

  /// What is asked for as text for people; throws ``NoFigure`` where the kept results do not have it.
  public func text(_ request: String) throws -> String {
    let words = request.split(separator: " ").map(String.init)
    guard let first = words.first else { throw NoFigure(request) }
    switch (first, words.count) {
    case ("contenders", 1):
      return try contenders(request).map { "\($0.name) \($0.version)" }.joined(separator: " | ")
    case ("table", 2...): return try ComparisonText(report(words[1], request)).table(Array(words[2...]))
    case ("losses", 2): return try ComparisonText(report(words[1], request)).losses
    case ("count", 2): return try ComparisonText(report(words[1], request)).count
    case ("settings", 2): return try ComparisonText(report(words[1], request)).settings
    case ("remarks", 2): return try ComparisonText(report(words[1], request)).remarks
    case ("rules", 1): return try contenders(request).map { _ in "---" }.joined(separator: " | ")
    case ("each", 2...): return try each(words.dropFirst())
    case ("targets", 2): return try targets(report(words[1], request))
    case ("rounds", 2): return try String(report(words[1], request).roundCount)
    case ("date", 2): return try String(report(words[1], request).date.formatted(.iso8601).prefix(10))
    case ("machine", 2): return try report(words[1], request).machine.summary
    case ("ratio", 3):
      guard let one = try statistics(words[1]), let other = try statistics(words[2]) else {
        throw NoFigure(request)
      }
      return ratioText(one.median / other.median)
    case ("processor", 2):
      return try figure(words[1]) { row in row.processor.map { row.unit.text($0.median) } }
    case ("min", 2): return try figure(words[1]) { row in row.statistics.map { row.unit.text($0.minimum) } }
    case ("max", 2): return try figure(words[1]) { row in row.statistics.map { row.unit.text($0.maximum) } }
    case ("range", 2):
      return try figure(words[1]) { row in
        row.statistics.map { row.unit.text(from: $0.minimum, to: $0.maximum) }
      }
    case (_, 1): return try figure(first) { row in row.statistics.map { row.unit.text($0.median) } }
    default: throw NoFigure(request)
    }
  }

  /// A figure of a row, `none` where the contender could not do it.
  private func figure(_ identifier: String, _ text: (Report.Row) -> String?) throws -> String {
    guard let row = rows[identifier] else { throw NoFigure(identifier) }
    return text(row) ?? "none"
  }

  private func statistics(_ identifier: String) throws -> Statistics? {
    guard let row = rows[identifier] else { throw NoFigure(identifier) }
    return row.statistics
  }

  private func report(_ name: String, _ request: String) throws -> Report {
    guard let report = reports[name] else { throw NoFigure(request) }
    return report
  }

  private func contenders(_ request: String) throws -> [Report.ContenderNote] {
    guard let contenders = reports["comparison"]?.contenders else { throw NoFigure(request) }
    return contenders.filter { $0.repeats == nil }
  }

  /// By which rules a report was made; nil if there is none of this name.
  func version(of report: String) -> Int? { reports[report]?.version }

  private func each(_ words: ArraySlice<String>) throws -> String {
    let request = words.joined(separator: " ")
    return try contenders(request).map { try text("\(request)-\($0.identifier)") }.joined(separator: " | ")
  }

  private func targets(_ report: Report) -> String {
    report.comparisons.compactMap { result in
      guard let ratio = result.ratio, let target = result.target, let isReached = result.isReached else {
        return nil
      }
      let cells = [
        result.name, result.figure.map(result.unit.text) ?? "", result.limit.map(result.unit.text) ?? "",
        result.limitName, ratioText(ratio.median), target, isReached ? "reached" : "missed",
      ]
      return "| \(cells.joined(separator: " | ")) |"
    }.joined(separator: "\n")
  }
}

/// Says what the kept results do not have.
public struct NoFigure: Error, CustomStringConvertible {
  /// The message.
  public var description: String

  init(_ request: String) {
    description = "the kept results have no '\(request)'"
  }
}
