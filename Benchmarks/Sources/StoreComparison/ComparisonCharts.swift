package import BenchmarkHarness
internal import Foundation

/// What the charts of a comparison are drawn from.
package struct ComparisonCharts {
  private let report: Report
  private let keyCount: Int

  /// The charts of a report; `keyCount` is how many keys there are with values of 100 bytes.
  package init(_ report: Report, keyCount: Int) {
    self.report = report
    self.keyCount = keyCount
  }

  /// Writes a file for each chart that there is something for; the folder exists.
  package func write(to folder: String) throws {
    for (name, prefixes) in [
      ("100", ["100-"]), ("1k", ["1k-"]), ("large", ["16k-", "1m-"]), ("synced", ["synced-synced-"]),
    ] {
      let data = ComparisonCharts.panels(report, prefixes)
      try write(data.panelCount == 0 ? nil : data.text, name, to: folder)
    }
    let latency = LineData(report) { number(in: $0, after: "100-latency-20000-") }
    try write(latency.isEmpty ? nil : latency.text, "slowest", to: folder)
    for workload in ["load", "retrieve"] {
      let growth = growth(workload)
      try write(growth.isEmpty ? nil : growth.text, "keys-\(workload)", to: folder)
    }
  }

  /// What a workload takes by the number of keys; its identifier may be the beginning of another one's.
  package func growth(_ workload: String) -> LineData {
    let names = report.contenders?.map(\.identifier) ?? []
    return LineData(report) { identifier in
      guard names.contains(where: { identifier.hasSuffix("-\(workload)-\($0)") }) else { return nil }
      return identifier.hasPrefix("100-") ? Double(keyCount) : number(in: identifier, after: "keys-")
    }
  }

  /// The panels of those rows whose identifiers begin so.
  package static func panels(_ report: Report, _ prefixes: [String]) -> PanelData {
    PanelData(report) { identifier in
      prefixes.contains(where: identifier.hasPrefix) && !identifier.contains("-latency-")
    }
  }

  private func number(in identifier: String, after prefix: String) -> Double? {
    guard identifier.hasPrefix(prefix) else { return nil }
    return Double(identifier.dropFirst(prefix.count).prefix { $0.isNumber })
  }

  private func write(_ text: String?, _ name: String, to folder: String) throws {
    guard let text else { return }
    let file = URL(fileURLWithPath: folder, isDirectory: true).appending(path: "comparison-\(name).tsv")
    try Data(text.utf8).write(to: file, options: .atomic)
  }
}
