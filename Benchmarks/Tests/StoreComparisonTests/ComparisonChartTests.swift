import BenchmarkHarness
import Foundation
import StoreComparison
import Testing

@Suite struct ComparisonChartTests {
  private func report(_ rows: [(String, Double)]) -> Report {
    var report = Report(
      groups: rows.map { name, value in
        Report.Group(
          BenchmarkGroup(
            name,
            [
              Benchmark("\(name)-our-store", name: "Our store", meaning: "", method: "") {
                Sample(nanoseconds: 1, amount: 1)
              }
            ]), [Outcome(samples: [value])])
      },
      machine: Machine.current(directory: "/", swiftVersion: nil), date: .now, roundCount: 1, isQuick: false)
    report.contenders = [Report.ContenderNote(name: "Our store", version: "1", settings: [])]
    return report
  }

  @Test func `growth has a point for each number of keys, in their order, and none of another workload`() {
    let report = report([
      ("100-load-batches", 1), ("100-load", 2), ("100-retrieve", 3), ("keys-1000-load", 4),
      ("keys-10000-load", 5), ("keys-10000-retrieve", 6), ("1k-load", 7),
    ])
    let blocks = ComparisonCharts(report, keyCount: 1_000_000).growth("load").text
      .components(separatedBy: "\n\n\n")
    #expect(blocks[0] == "Our store")
    let points = blocks[1].split(separator: "\n").map { $0.split(separator: "\t").prefix(2).map(String.init) }
    #expect(points == [["1000.0", "4.0"], ["10000.0", "5.0"], ["1000000.0", "2.0"]])
  }

  @Test func `the chart of synced sets leaves out the load, which is not synced`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var report = report([("synced-fill", 1), ("synced-synced-1", 2)])
    for group in report.groups.indices {
      var other = report.groups[group].rows[0]
      other.name = "Another"
      report.groups[group].rows.append(other)
    }
    try ComparisonCharts(report, keyCount: 1).write(to: folder.path)
    let text = try String(contentsOf: folder.appending(path: "comparison-synced.tsv"), encoding: .utf8)
    #expect(text.components(separatedBy: "\n\n\n")[0] == "synced-synced-1")
  }
}
