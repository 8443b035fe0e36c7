import BenchmarkHarness
import Foundation
import Testing

@Suite struct ReportTests {
  private let report: Report = {
    func benchmark(_ name: String, _ quantity: Quantity) -> Benchmark {
      Benchmark(
        name, name: "the \(name)", meaning: "what it means", method: "as it is done", quantity: quantity
      ) { Sample(nanoseconds: 1, amount: 1) }
    }
    return Report(
      groups: [
        Report.Group(
          BenchmarkGroup("Reads", [benchmark("read", .time), benchmark("missing", .time)]),
          [Outcome(samples: [2, 1, 1500]), Outcome(unsupported: "too old")]),
        Report.Group(
          BenchmarkGroup("Streams", [benchmark("copy", .bandwidth)]), [Outcome(samples: [8, 10, 9])]),
      ],
      machine: Machine(
        processor: "P", coreCount: 2, caches: "L1", memoryByteCount: 8 << 30, kernel: "K 1",
        fileSystem: "ext4 (rw)", swiftVersion: "Swift 6"),
      date: Date(timeIntervalSince1970: 0), roundCount: 3, isQuick: false)
  }()

  @Test func `the JSON has a version, the machine and every row`() throws {
    let json = try #require(try JSONSerialization.jsonObject(with: report.json()) as? [String: Any])
    #expect(
      Set(json.keys) == ["version", "date", "machine", "roundCount", "isQuick", "groups", "comparisons"])
    #expect(json["version"] as? Int == 2)
    #expect(json["date"] as? String == "1970-01-01T00:00:00Z")
    #expect((json["machine"] as? [String: Any])?["kernel"] as? String == "K 1")
    let groups = try #require(json["groups"] as? [[String: Any]])
    #expect(groups.map { $0["title"] as? String } == ["Reads", "Streams"])
    let rows = try #require(groups[0]["rows"] as? [[String: Any]])
    #expect(
      Set(rows[0].keys) == ["identifier", "name", "meaning", "method", "unit", "statistics", "samples"])
    #expect(rows[0]["unit"] as? String == "ns")
    #expect(rows[0]["samples"] as? [Double] == [2, 1, 1500])
    let statistics = try #require(rows[0]["statistics"] as? [String: Double])
    #expect(statistics == ["median": 2, "minimum": 1, "maximum": 1500, "spread": 749.5])
    #expect(
      Set(rows[1].keys) == ["identifier", "name", "meaning", "method", "unit", "samples", "unsupported"])
  }

  @Test func `a report is read back as it was written`() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    #expect(try decoder.decode(Report.self, from: report.json()) == report)
  }

  @Test func `the table has a heading for each group and a line for each row`() {
    #expect(
      Table(report).text == """
        Reads
          the read        2.00 ns      0.00 .. 1.50 us   what it means
          the missing  not possible here: too old

        Streams
          the copy      9.00 GB/s    8.00 .. 10.0 GB/s   what it means

        """)
  }

  @Test func `what the process took of the processors stands beside the time where it is known`() throws {
    var report = report
    report.groups = [
      Report.Group(
        BenchmarkGroup("Sets", [benchmark("set"), benchmark("get")]),
        [Outcome(samples: [300, 200, 100], processorSamples: [450, 400, 410]), Outcome(samples: [50])])
    ]
    #expect(
      Table(report).text == """
        Sets
          set      200 ns        100 .. 300 ns  processor   410 ns
          get     50.0 ns      50.0 .. 50.0 ns

        """)
    #expect(report.groups[0].rows[0].processor?.median == 410)
    #expect(report.groups[0].rows[0].processorSamples == [450, 400, 410])
    #expect(report.groups[0].rows[1].processor == nil)
    #expect(try Report(json: report.json()) == report)
  }

  @Test func `the heading says what was measured on and how`() {
    #expect(
      report.heading == """
        P, 2 cores, 8 GiB, ext4, K 1
        1970-01-01T00:00:00Z, Swift 6, 3 rounds, medians and extremes
        """)
  }

  @Test func `a chart's names are free of markup`() {
    let lines = chartLines("{G}", [benchmark("a_b^c")])
    #expect(lines[0] == "1\t1.0\t1.0\t1.0\t1\ta\\_b\\^c\t1.00 ns")
    #expect(lines[1] == "0\t\\{G\\}")
  }

  @Test func `a limit has the color of limits`() {
    let lines = chartLines("G", [benchmark("a", isLimit: true), benchmark("b")])
    #expect(lines[0] == "1\t1.0\t1.0\t1.0\t0\ta\t1.00 ns")
    #expect(lines[1] == "2\t1.0\t1.0\t1.0\t1\tb\t1.00 ns")
  }

  @Test func `a chart of what was not measured is empty`() {
    #expect(ChartData(report, quantity: .size).isEmpty)
    #expect(!ChartData(report, quantity: .time).isEmpty)
  }

  private func benchmark(_ name: String, isLimit: Bool = false) -> Benchmark {
    Benchmark(name, name: name, meaning: "", method: "", isLimit: isLimit) {
      Sample(nanoseconds: 1, amount: 1)
    }
  }

  private func chartLines(_ title: String, _ benchmarks: [Benchmark]) -> [Substring] {
    var report = report
    report.groups = [
      Report.Group(BenchmarkGroup(title, benchmarks), benchmarks.map { _ in Outcome(samples: [1]) })
    ]
    return ChartData(report, quantity: .time).text.split(separator: "\n")
  }

  @Test func `a chart has the bars of its quantity, then their headings, then the text below the title`() {
    #expect(
      ChartData(report, quantity: .bandwidth).text == """
        1\t9.0\t8.0\t10.0\t1\tthe copy\t9.00 GB/s


        0\tStreams


        P, 2 cores, 8 GiB, ext4, K 1
        1970-01-01T00:00:00Z, Swift 6, 3 rounds, medians and extremes

        """)
  }
}
