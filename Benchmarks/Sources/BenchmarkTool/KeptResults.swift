internal import BenchmarkHarness
internal import Foundation
internal import StoreComparison

/// The results that the documents' figures are taken from.
struct KeptResults {
  /// The reports that are kept, and the sweep.
  static let names = ["comparison", "many-keys", "engine", "interfaces", "storages", "machine"]
  static let sweepName = "sweep"
  /// A row that a comparison has unless it is only about many keys.
  private static let everydayRow = "100-load-"
  /// What all rows of a report begin with that is only about calls from C and Python.
  private static let interfaceRow = "interface-"

  /// The documents with figures, below the repository, and whether other times in them are an error, as soon as a
  /// comparison is kept that they can be taken from.
  private static let documents = [
    ("README.md", true), ("\(manual)/Figures.md", true), ("\(manual)/OtherEngines.md", true),
    ("Benchmarks/README.md", false), ("Benchmarks/Figures.md", true),
  ]
  private static let manual = "Sources/Sediment/Sediment.docc"
  private static let templates = "Benchmarks/Kept/tables.md"

  private let root: URL
  private let reports: [String: Report]

  /// What is kept in the repository at this path; ``Unsupported`` if that is nothing.
  init(root: String) throws {
    self.root = URL(fileURLWithPath: root, isDirectory: true)
    let folder = self.root.appending(path: "Benchmarks/Kept")
    var reports: [String: Report] = [:]
    for name in KeptResults.names {
      let file = folder.appending(path: "\(name).json")
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      reports[name] = try Report(json: Data(contentsOf: file))
    }
    if reports.isEmpty {
      throw Unsupported("there are no kept results in \(folder.path); a run and then --keep make them")
    }
    self.reports = reports
  }

  /// Copies the results of the last run, which lie in a folder, into another; refuses those that do not keep the rules.
  static func keep(from results: String, in kept: String, names: [String]) throws -> [String] {
    var copied: [String] = []
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
    let sweep = try? Sweep(json: Data(contentsOf: URL(fileURLWithPath: "\(kept)/\(sweepName).json")))
    for name in names {
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(results)/\(name).json"))
      let (target, refusal) = try nameToKeep(name, data, sweep)
      if let refusal { throw Unsupported("\(name).json is not kept: \(refusal)") }
      if let before = try? Report(json: Data(contentsOf: URL(fileURLWithPath: "\(kept)/\(target).json"))),
        let missing = try KeepingRules.missing(Report(json: data), of: before)
      {
        throw Unsupported("\(name).json is not kept: \(missing) did not take part")
      }
      try data.write(to: URL(fileURLWithPath: "\(kept)/\(target).json"), options: .atomic)
      copied.append(target)
    }
    return copied
  }

  private static func nameToKeep(
    _ name: String, _ data: Data, _ sweep: Sweep?
  ) throws -> (name: String, refusal: String?) {
    if name == sweepName {
      return (name, try Sweep(json: data).isQuick ? "it is of a quick run, whose figures mean little" : nil)
    }
    let report = try Report(json: data)
    let refusal = KeepingRules.refusal(report, sweep: sweep)
    if report.groups.allSatisfy({ $0.rows.allSatisfy { $0.identifier.hasPrefix(interfaceRow) } }) {
      return ("interfaces", refusal)
    }
    let isEveryday = report.groups.contains { $0.rows.contains { $0.identifier.hasPrefix(everydayRow) } }
    return (name == "comparison" && !isEveryday ? "many-keys" : name, refusal)
  }

  /// Writes all figures into the documents, and into a folder what the kept charts are drawn from.
  func write(chartData folder: String) throws {
    let (figures, templates) = (KeptFigures(reports), try templates)
    for (name, _) in KeptResults.documents {
      let file = root.appending(path: name)
      let text = try String(contentsOf: file, encoding: .utf8)
      let written = try FigureDocument(text).written(figures, templates)
      if written != text { try Data(written.utf8).write(to: file, options: .atomic) }
    }
    for (name, data) in charts {
      try Data(data.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).tsv"), options: .atomic)
    }
  }

  /// Says in each kept chart what it was drawn from.
  func stampCharts() throws {
    for (name, data) in charts {
      let svg = try String(contentsOf: chart(name), encoding: .utf8)
      try Data(ChartStamp.stamped(svg, data: data).utf8).write(to: chart(name), options: .atomic)
    }
  }

  /// What in the documents and the charts differs from the kept results, a line each.
  func findings() throws -> [String] {
    let (figures, templates) = (KeptFigures(reports), try templates)
    let found = try KeptResults.documents.flatMap { name, isStrict in
      try FigureDocument(try String(contentsOf: root.appending(path: name), encoding: .utf8))
        .findings(figures, templates, named: name, isStrict: isStrict && reports["comparison"] != nil)
    }
    return found
      + charts.compactMap { name, data in
        let svg = (try? String(contentsOf: chart(name), encoding: .utf8)) ?? ""
        return ChartStamp.isDrawn(svg, from: data)
          ? nil : "Benchmarks/Charts/\(name).svg:1: it was drawn from other results than the kept ones"
      }
  }

  private var templates: FigureTemplates {
    get throws {
      FigureTemplates(
        try String(contentsOf: root.appending(path: KeptResults.templates), encoding: .utf8))
    }
  }

  private func chart(_ name: String) -> URL { root.appending(path: "Benchmarks/Charts/\(name).svg") }

  /// The charts of README.md, each with what it is drawn from.
  private var charts: [(name: String, data: String)] {
    var charts: [(String, String)] = []
    if let report = reports["comparison"] {
      charts.append(("comparison-100", ComparisonCharts.panels(report, ["100-"]).text))
    }
    if let report = reports["engine"] {
      charts.append(("engine-latency", ChartData(report, quantity: .time).text))
    }
    return charts
  }
}
