internal import BenchmarkHarness
internal import Foundation

/// What is done with results that lie in files already.
enum ResultTask {
  /// Puts the reports and the charts of these names on a page in the folder.
  case page(folder: String, reports: [String], charts: [String])

  /// Keeps the results of these names, which the last run has left in a folder.
  case keep(folder: String, kept: String, names: [String])

  /// Writes the figures of the kept results into the documents of a repository, and chart data into a folder.
  case write(root: String, folder: String)

  /// Says in the charts of a repository what they were drawn from.
  case stamp(root: String)

  /// Looks whether the documents and charts of a repository have the figures of its kept results.
  case check(root: String)

  /// Tells what has changed from one report to another.
  case compare(old: String, new: String)

  private static let titles = [
    "comparison": "Side by side", "engine": "The engine beside bare loops",
    "storages": "Storages and archives",
    "machine": "What this machine can do",
  ]

  /// Understands arguments that say so; nil if they say something else.
  init?(_ arguments: [String]) {
    switch (arguments.first, arguments.count) {
    case ("--page", 3...):
      let names = arguments[2...].split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false).map(
        Array.init)
      self = .page(folder: arguments[1], reports: names[0], charts: names.count > 1 ? names[1] : [])
    case ("--keep", 4...):
      self = .keep(folder: arguments[1], kept: arguments[2], names: Array(arguments[3...]))
    case ("--write", 3): self = .write(root: arguments[1], folder: arguments[2])
    case ("--stamp", 2): self = .stamp(root: arguments[1])
    case ("--check", 2): self = .check(root: arguments[1])
    case ("--difference", 3): self = .compare(old: arguments[1], new: arguments[2])
    default: return nil
    }
  }

  /// Does it.
  func run() throws {
    switch self {
    case .page(let folder, let reports, let charts):
      try writePage(URL(fileURLWithPath: folder, isDirectory: true), reports, charts)
    case .keep(let folder, let kept, let names):
      let copied = try KeptResults.keep(from: folder, in: kept, names: names)
      print("Kept: \(copied.map { "\($0).json" }.joined(separator: ", "))")
    case .write(let root, let folder): try KeptResults(root: root).write(chartData: folder)
    case .stamp(let root): try KeptResults(root: root).stampCharts()
    case .check(let root):
      let findings = try KeptResults(root: root).findings()
      guard findings.isEmpty else { throw Findings(description: findings.joined(separator: "\n")) }
    case .compare(let old, let new):
      print(ReportDifference(from: try report(old), to: try report(new)).text, terminator: "")
    }
  }

  private func writePage(_ folder: URL, _ names: [String], _ charts: [String]) throws {
    let reports = try names.map { name in
      (ResultTask.titles[name] ?? name, try report(folder.appending(path: "\(name).json").path))
    }
    let drawings = try charts.map {
      try String(contentsOf: folder.appending(path: "\($0).svg"), encoding: .utf8)
    }
    let page = ResultPage(reports, charts: drawings)
    try Data(page.html.utf8).write(to: folder.appending(path: "report.html"), options: .atomic)
  }

  private func report(_ path: String) throws -> Report {
    do {
      return try Report(json: Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw UnreadableReport(path: path, reason: "\(error)")
    }
  }
}

/// Says what differs from the kept results.
private struct Findings: Error, CustomStringConvertible {
  var description: String
}

/// Says which file is no report.
private struct UnreadableReport: Error, CustomStringConvertible {
  var path: String
  var reason: String

  var description: String { "'\(path)' is no report of a run: \(reason)" }
}
