internal import BenchmarkHarness
internal import Foundation

/// What is done with results that lie in files already.
enum ResultTask {
  /// Puts the reports and the charts of these names on a page in the folder.
  case page(folder: String, reports: [String], charts: [String])

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
    case ("--difference", 3): self = .compare(old: arguments[1], new: arguments[2])
    default: return nil
    }
  }

  /// Does it.
  func run() throws {
    switch self {
    case .page(let folder, let reports, let charts):
      try writePage(URL(fileURLWithPath: folder, isDirectory: true), reports, charts)
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

/// Says which file is no report.
private struct UnreadableReport: Error, CustomStringConvertible {
  var path: String
  var reason: String

  var description: String { "'\(path)' is no report of a run: \(reason)" }
}
