import BenchmarkHarness
import Foundation
import Testing

/// What is made of reports to be looked at.
@Suite struct PresentationTests {
  private func report(_ one: [Double], _ other: [Double], roundCount: Int = 5) -> Report {
    func row(_ workload: String, _ name: String) -> Benchmark {
      Benchmark("100-\(workload)-\(name)", name: name, meaning: "", method: "how <it> was done") {
        Sample(nanoseconds: 1, amount: 1)
      }
    }
    var report = Report(
      groups: [
        Report.Group(
          BenchmarkGroup("Load (100 B)", [row("load", "A_1"), row("load", "B")]),
          [Outcome(samples: one), Outcome(samples: other)]),
        Report.Group(
          BenchmarkGroup("Retrieve (100 B)", [row("retrieve", "A_1"), row("retrieve", "B")]),
          [Outcome(samples: [10]), Outcome(unsupported: "it only copies")]),
        Report.Group(
          BenchmarkGroup("Slow (100 B)", [row("latency-100", "A_1"), row("latency-100", "B")]),
          [Outcome(samples: [1000]), Outcome(samples: [2000])]),
      ],
      machine: Machine(
        processor: "P", coreCount: 2, caches: "L1", memoryByteCount: 8 << 30, kernel: "K 1",
        fileSystem: "ext4 (rw)", swiftVersion: "Swift 6"),
      date: Date(timeIntervalSince1970: 0), roundCount: roundCount, isQuick: false)
    report.contenders = [
      Report.ContenderNote(name: "A_1", version: "1", settings: ["quick & safe"]),
      Report.ContenderNote(name: "B", version: "2", settings: []),
    ]
    return report
  }

  @Test func `panels have a bar for each contender, as operations a second`() {
    let data = PanelData(report([500], [1000])) { !$0.contains("latency") }
    #expect(data.panelCount == 2)
    let blocks = data.text.components(separatedBy: "\n\n\n")
    #expect(blocks.count == 4)
    #expect(blocks[0] == "Load\nRetrieve")
    #expect(blocks[1] == "0\t2.0\t1\tA\\_1\t500 ns\n1\t1.0\t0\tB\t1.00 us")
    #expect(blocks[2] == "0\t100.0\t1\tA\\_1\t10.0 ns\n1\t0.0\t0\tB\tno such call")
  }

  @Test func `forms of the first contender have a color of their own`() {
    var report = report([500], [1000])
    for group in report.groups.indices { report.groups[group].rows[1].name = "A_1, plain" }
    let blocks = PanelData(report) { $0.hasPrefix("100-load") }.text.components(separatedBy: "\n\n\n")
    #expect(blocks[1] == "0\t2.0\t1\tA\\_1\t500 ns\n1\t1.0\t2\tA\\_1, plain\t1.00 us")
  }

  @Test func `a line goes through its points in the order of their places`() {
    func place(_ identifier: String) -> Double? {
      if identifier.hasPrefix("100-load-") { return 1_000_000 }
      return identifier.hasPrefix("100-retrieve-") ? 10 : identifier.contains("latency") ? 1000 : nil
    }
    let blocks = LineData(report([1], [2]), at: place).text.components(separatedBy: "\n\n\n")
    #expect(
      blocks[1].split(separator: "\n").map { $0.prefix { $0 != "\t" } } == ["10.0", "1000.0", "1000000.0"])
  }

  @Test func `lines have a point for each place, and a series for each contender`() {
    func place(_ identifier: String) -> Double? {
      if identifier.hasPrefix("100-load-") { return 10 }
      return identifier.hasPrefix("100-latency-100-") ? 100 : nil
    }
    let data = LineData(report([1, 3], [2]), at: place)
    #expect(!data.isEmpty)
    let blocks = data.text.components(separatedBy: "\n\n\n")
    #expect(blocks[0] == "A\\_1\nB")
    #expect(blocks[1] == "10.0\t2.0\t1.0\t3.0\n100.0\t1000.0\t1000.0\t1000.0")
    #expect(blocks[2] == "10.0\t2.0\t2.0\t2.0\n100.0\t2000.0\t2000.0\t2000.0")
    #expect(LineData(report([1], [2])) { $0.hasPrefix("100-load-") ? 10 : nil }.isEmpty)
    #expect(LineData(report([1], [2])) { _ in nil }.isEmpty)
  }

  @Test func `the page has all figures, the best ones marked, and nothing that the browser takes for markup`()
  {
    let html = ResultPage([("Side by side", report([500], [1000]))], charts: ["<?xml?><svg>chart</svg>"]).html
    #expect(html.contains("<td class=\"best\" title=\"500 .. 500 ns\">500 ns</td>"))
    #expect(html.contains("<td title=\"1.00 .. 1.00 us\">1.00 us</td>"))
    #expect(html.contains("<td class=\"none\" title=\"it only copies\">none</td>"))
    #expect(html.contains("how &lt;it&gt; was done"))
    #expect(html.contains("quick &amp; safe"))
    #expect(html.contains("<figure><svg>chart</svg></figure>"))
    #expect(!html.contains("<?xml"))
  }

  @Test func `a cell has the processor time below the time`() {
    var report = report([500], [1000])
    report.groups[0].rows[0].processor = Statistics([750])
    let html = ResultPage([("Side by side", report)], charts: []).html
    #expect(html.contains("<td class=\"best\" title=\"500 .. 500 ns\">500 ns<small>750 ns</small></td>"))
    #expect(html.contains("below it the processor time of the whole process"))
  }

  @Test func `one contender has one table with a row for each workload`() {
    var report = report([500], [1000])
    report.contenders?.removeLast()
    for group in report.groups.indices { report.groups[group].rows.removeLast() }
    let html = ResultPage([("Alone", report)], charts: []).html
    #expect(html.components(separatedBy: "<table>").count == 2)
    #expect(html.contains("<td title=\"500 .. 500 ns\">500 ns</td>"))
    #expect(!html.contains("class=\"group\""))
  }

  @Test func `what is about no contender is a sentence below the table`() {
    var report = report([500], [1000])
    report.groups.append(
      Report.Group(
        BenchmarkGroup(
          "The machine",
          [Benchmark("dram", name: "read", meaning: "m", method: "") { Sample(nanoseconds: 1, amount: 1) }]),
        [Outcome(samples: [100])]))
    let html = ResultPage([("Side by side", report)], charts: []).html
    #expect(html.components(separatedBy: "<table>").count == 2)
    #expect(html.contains("<p class=\"legend\">The machine: read: 100 ns (100 .. 100 ns).</p>"))
  }

  @Test func `narrow charts take half of the width`() {
    let html = ResultPage(
      [("Side by side", report([1], [2]))],
      charts: ["<svg viewBox=\"0 0 760 470\"></svg>", "<svg viewBox=\"0 0 1060 900\"></svg>"]
    ).html
    #expect(html.contains("<figure class=\"half\"><svg viewBox=\"0 0 760"))
    #expect(html.contains("<figure><svg viewBox=\"0 0 1060"))
  }

  @Test func `a change is one beyond the noise of both`() {
    let before = report([100, 101, 102, 103, 104], [10, 20, 30, 40, 50])
    let after = report([120, 121, 122, 123, 124], [20, 30, 40, 50, 60])
    let difference = ReportDifference(from: before, to: after)
    #expect(difference.rows.map(\.isChange) == [true, false, false, false, false])
    #expect(difference.rows[0].before == 102)
    #expect(difference.rows[0].after == 122)
    #expect(!difference.rows[0].isBetter)
    #expect(difference.unmatchedCount == 0)
    #expect(difference.warnings == [])
    #expect(difference.text.contains("1 of 5 figures changed beyond the noise"))
    #expect(difference.text.contains("Load (100 B): A_1"))
    #expect(difference.text.contains("worse"))
  }

  @Test func `processor time changes by itself, and is no figure more that one of them lacks`() {
    var (before, after) = (report([100], [10]), report([100], [10]))
    before.groups[0].rows[0].processorSamples = [100, 101, 102]
    after.groups[0].rows[0].processorSamples = [200, 201, 202]
    let difference = ReportDifference(from: before, to: after)
    let row = difference.rows.first { $0.identifier == "100-load-A_1/processor" }
    #expect(row?.before == 101)
    #expect(row?.after == 201)
    #expect(row?.isChange == true)
    #expect(difference.rows.count { $0.isChange } == 1)
    #expect(difference.unmatchedCount == 0)
    #expect(difference.text.contains("Load (100 B): A_1, processor"))
  }

  @Test func `what is smaller than three of a hundred is no change, however quiet`() {
    let before = report([100, 100, 100, 100, 100], [1])
    #expect(!ReportDifference(from: before, to: report([102, 102, 102, 102, 102], [1])).rows[0].isChange)
    #expect(ReportDifference(from: before, to: report([96, 96, 96, 96, 96], [1])).rows[0].isChange)
    #expect(ReportDifference(from: before, to: report([96, 96, 96, 96, 96], [1])).rows[0].isBetter)
  }

  @Test func `what cannot be compared well is said`() {
    var other = report([1], [1], roundCount: 3)
    other.machine.processor = "Q"
    other.groups.removeLast()
    let difference = ReportDifference(from: report([1], [1]), to: other)
    #expect(difference.warnings.count == 2)
    #expect(difference.unmatchedCount == 2)
  }

  @Test func `a report is read from its JSON`() throws {
    let report = report([1, 2], [3])
    #expect(try Report(json: report.json()) == report)
    #expect(throws: (any Error).self) { try Report(json: Data("{}".utf8)) }
  }
}
