import BenchmarkHarness
import Foundation
import Testing

/// Figures of kept results in documents.
@Suite struct FigureTests {
  private let figures: KeptFigures = {
    func group(_ title: String, _ rows: [(String, Outcome)]) -> Report.Group {
      Report.Group(
        BenchmarkGroup(
          title,
          rows.map { name, _ in
            Benchmark("100-\(name)", name: name, meaning: "", method: "") {
              Sample(nanoseconds: 1, amount: 1)
            }
          }), rows.map(\.1))
    }
    var report = Report(
      groups: [
        group(
          "Load",
          [
            ("load-one", Outcome(samples: [300, 200, 400], processorSamples: [500, 600, 700])),
            ("load-other-kind", Outcome(samples: [1200])),
          ]),
        group(
          "In place",
          [("place-one", Outcome(samples: [10])), ("place-other-kind", Outcome(unsupported: "no"))]),
      ],
      machine: Machine(
        processor: "P", coreCount: 2, caches: "L1", memoryByteCount: 8 << 30, kernel: "K 1",
        fileSystem: "ext4 (rw)", swiftVersion: "Swift 6"),
      date: Date(timeIntervalSince1970: 0), roundCount: 3, isQuick: false)
    report.contenders = [
      Report.ContenderNote(name: "One", version: "1", settings: []),
      Report.ContenderNote(name: "Other, kind", version: "1", settings: []),
    ]
    report.comparisons = [
      Comparison("load", .of("100-load-one"), limit: .constant(150, .time), "wanted", target: .atMost(1))
        .result(in: report.groups)
    ]
    return KeptFigures(["comparison": report])
  }()

  private let templates = FigureTemplates(
    """
    # For people

    ## load

    | | {contenders} |
    | --- | {rules} |
    | load | {each 100-load} |

    ## age

    Of today.

    ## age (comparison of rules 7)

    Of old.

    ## targets

    {targets comparison}
    """)

  @Test(arguments: [
    ("100-load-one", "300 ns"), ("processor 100-load-one", "600 ns"), ("min 100-load-one", "200 ns"),
    ("max 100-load-one", "400 ns"), ("range 100-load-one", "200 .. 400 ns"),
    ("ratio 100-load-other-kind 100-load-one", "4.00"), ("100-place-other-kind", "none"),
    ("processor 100-load-other-kind", "none"), ("rounds comparison", "3"), ("date comparison", "1970-01-01"),
    ("machine comparison", "P, 2 cores, 8 GiB, ext4, K 1"), ("contenders", "One 1 | Other, kind 1"),
    ("rules", "--- | ---"), ("each 100-load", "300 ns | 1.20 us"),
    ("each processor 100-load", "600 ns | none"),
    ("targets comparison", "| load | 300 ns | 150 ns | wanted | 2.00 | at most 1.00 | missed |"),
  ])
  func `a request names a figure, or what is to be said of it`(request: String, text: String) throws {
    #expect(try figures.text(request) == text)
  }

  @Test(arguments: ["", "100-load-third", "rounds engine", "least 100-load-one", "each 100-nothing"])
  func `what is not there is an error that names it`(request: String) throws {
    #expect(throws: NoFigure.self) { try figures.text(request) }
  }

  private let document = """
    Loading takes <!-- figure: 100-load-one -->1 us<!-- end -->, twice.

    <!-- figures: load -->
    <!-- end -->

    The end.
    """

  @Test func `a document gets its figures, and gets them again without a change`() throws {
    let written = try FigureDocument(document).written(figures, templates)
    #expect(
      written == """
        Loading takes <!-- figure: 100-load-one -->300 ns<!-- end -->, twice.

        <!-- figures: load -->

        | | One 1 | Other, kind 1 |
        | --- | --- | --- |
        | load | 300 ns | 1.20 us |

        <!-- end -->

        The end.
        """)
    #expect(try FigureDocument(written).written(figures, templates) == written)
    #expect(try FigureDocument(written).findings(figures, templates, named: "R") == [])
  }

  @Test func `a figure that differs is found with its line`() throws {
    let written = try FigureDocument(document).written(figures, templates)
    func findings(_ old: String, _ new: String) throws -> [String] {
      try FigureDocument(written.replacing(old, with: new)).findings(figures, templates, named: "R")
    }
    #expect(
      try findings("-->300 ns<!--", "-->301 ns<!--")
        == ["R:1: '100-load-one' is 300 ns in the kept results, not 301 ns"])
    #expect(
      try findings("| load | 300", "| load | 200")
        == ["R:7: the figures of 'load' differ from the kept results"])
    #expect(
      try findings("The end.", "The end, after 2 ms.")
        == ["R:11: '2 ms' is typed by hand; take it from the kept results"])
    #expect(try findings("twice", "2 times, 3 MiB") == [])
  }

  @Test func `a document may be allowed to have other times`() throws {
    let text = FigureDocument("Once it took 3 us.")
    #expect(try text.findings(figures, templates, named: "R", isStrict: false) == [])
    #expect(try text.findings(figures, templates, named: "R").count == 1)
  }

  @Test func `results of older rules have texts of their own`() throws {
    var old = Report(
      groups: [], machine: Machine.current(directory: "/", swiftVersion: nil), date: .now, roundCount: 1,
      isQuick: false)
    #expect(try templates.text("age", KeptFigures(["comparison": old])) == "Of today.")
    old.version = 7
    #expect(try templates.text("age", KeptFigures(["comparison": old])) == "Of old.")
    #expect(try templates.text("age", KeptFigures(["engine": old])) == "Of today.")
  }

  @Test func `marks that are not closed, and texts that are not there, are errors`() {
    let unclosed = FigureDocument("<!-- figure: 100-load-one -->300 ns")
    #expect(throws: NoFigure.self) { try unclosed.written(figures, templates) }
    let unknown = FigureDocument("<!-- figures: nothing -->\n<!-- end -->")
    #expect(throws: NoFigure.self) { try unknown.findings(figures, templates, named: "R") }
  }

  @Test func `a chart says what it was drawn from`() {
    let svg = ChartStamp.stamped("<svg></svg>\n", data: "1\t2")
    #expect(svg.hasPrefix("<svg></svg>\n<!--"))
    #expect(ChartStamp.isDrawn(svg, from: "1\t2"))
    #expect(!ChartStamp.isDrawn(svg, from: "1\t3"))
    #expect(!ChartStamp.isDrawn("<svg></svg>\n", from: "1\t2"))
    let again = ChartStamp.stamped(svg, data: "1\t3")
    #expect(ChartStamp.isDrawn(again, from: "1\t3"))
    #expect(again.components(separatedBy: "<!--").count == 2)
  }
}
