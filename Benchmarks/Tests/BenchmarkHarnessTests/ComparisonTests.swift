import BenchmarkHarness
import Foundation
import Testing

@Suite struct ComparisonTests {
  private let groups: [Report.Group] = {
    func group(_ rows: [(String, Quantity, [Double])]) -> Report.Group {
      Report.Group(
        BenchmarkGroup(
          "",
          rows.map { name, quantity, _ in
            Benchmark(name, name: name, meaning: "", method: "", quantity: quantity) {
              Sample(nanoseconds: 1, amount: 1)
            }
          }),
        rows.map { Outcome(samples: $0.2, unsupported: $0.2.isEmpty ? "too old" : nil) })
    }
    return [
      group([("get", .time, [300, 520, 400]), ("read", .time, [100, 130, 200])]),
      group([("scan", .bandwidth, [4, 5, 6]), ("plain", .bandwidth, [8, 10, 8]), ("none", .size, [])]),
      group([("alone", .time, [10]), ("together", .time, [4])]),
    ]
  }()

  private func result(
    _ figure: Comparison.Measure, _ limit: Comparison.Measure, _ target: Comparison.Target? = nil
  ) -> Comparison.Result {
    Comparison("c", figure, limit: limit, "l", target: target).result(in: groups)
  }

  @Test func `the greater of two limits counts, round by round`() {
    let result = result(.of("get"), .greater(.constant(500, .time), .multiple(3, of: "read")), .atMost(1))
    #expect(result.limit == 500)
    #expect(result.ratio == Statistics([300.0 / 500, 520.0 / 500, 400.0 / 600]))
    #expect(result.isReached == true)
  }

  @Test func `figures are divided by the limits of the same round`() {
    let result = result(.of("get"), .of("read"), .atMost(3))
    #expect(result.figure == 400)
    #expect(result.limit == 130)
    #expect(result.ratio == Statistics([3, 4, 2]))
    #expect(result.target == "at most 3.00")
    #expect(result.isReached == true)
    #expect(result.unit == .time)
  }

  @Test(arguments: [(2.99, false), (3.0, true), (3.01, true)])
  func `at most is the median at most`(allowed: Double, isReached: Bool) {
    #expect(result(.of("get"), .of("read"), .atMost(allowed)).isReached == isReached)
  }

  @Test func `a limit can be a multiple of what was measured`() {
    #expect(result(.of("get"), .multiple(2, of: "read")).ratio == Statistics([1.5, 2, 1]))
  }

  @Test func `a limit can be a number`() {
    let result = result(.of("get"), .constant(500, .time), .atMost(1))
    #expect(result.ratio == Statistics([0.6, 1.04, 0.8]))
    #expect(result.limit == 500)
    #expect(result.isReached == true)
  }

  @Test func `how many times as fast is the other way round for times`() {
    let slower = result(.of("get"), .of("read"), .atLeast(0.4))
    #expect(slower.ratio?.median == 1.0 / 3)
    #expect(slower.isReached == false)
    let faster = result(.of("read"), .of("get"), .atLeast(3))
    #expect(faster.ratio == Statistics([3, 4, 2]))
    #expect(faster.isReached == true)
  }

  @Test func `how many times as much is not`() {
    let result = result(.of("scan"), .of("plain"), .atLeast(0.5))
    #expect(result.ratio == Statistics([0.5, 0.5, 0.75]))
    #expect(result.isReached == true)
    #expect(result.unit == .bandwidth)
  }

  @Test func `processor time can be held against what grows with another figure`() {
    let groups = [
      Report.Group(
        BenchmarkGroup(
          "",
          ["set", "read"].map { name in
            Benchmark(name, name: name, meaning: "", method: "") { Sample(nanoseconds: 1, amount: 1) }
          }),
        [
          Outcome(samples: [1, 1], processorSamples: [900, 1200]), Outcome(samples: [180, 360]),
        ])
    ]
    let result = Comparison(
      "c", .processor(of: "set"), limit: .scaled(900, by: "read", reference: 180), "l", target: .atMost(1)
    ).result(in: groups)
    #expect(result.figure == 1050)
    #expect(result.limit == 1350)
    #expect(result.ratio == Statistics([1, 1200.0 / 1800]))
    #expect(result.isReached == true)
  }

  @Test func `a gain is what is done alone by what is done together`() {
    let result = result(
      .gain(alone: "alone", together: "together"), .gain(alone: "get", together: "read"), .atLeast(0.9))
    // One round of the first, three of the second: only the first rounds belong together.
    #expect(result.ratio == Statistics([2.5 / 3]))
    #expect(result.isReached == false)
    #expect(result.unit == .gain)
  }

  @Test func `a difference is what one figure exceeds another by, round by round`() {
    let more = result(.difference(of: "get", less: "read"), .constant(100, .time), .atMost(2))
    #expect(more.ratio == Statistics([2, 3.9, 2]))
    #expect(more.isReached == true)
    #expect(more.unit == .time)
    let less = result(.difference(of: "read", less: "get"), .constant(100, .time), .atMost(0))
    #expect(less.ratio == Statistics([-2, -3.9, -2]))
    #expect(less.isReached == true)
    #expect(result(.difference(of: "get", less: "none"), .of("read"), .atMost(1)).isReached == nil)
  }

  @Test(arguments: [("none", "read"), ("get", "none"), ("nowhere", "read")])
  func `what was not measured reaches nothing and misses nothing`(figure: String, limit: String) {
    let result = result(.of(figure), .of(limit), .atMost(1))
    #expect(result.ratio == nil)
    #expect(result.isReached == nil)
  }

  @Test func `a target is out of reach if the bare loop misses it in each round`() {
    func result(_ bareLoop: Comparison.Measure?, _ target: Comparison.Target) -> Comparison.Result {
      Comparison("c", .of("get"), limit: .of("read"), "l", target: target, bareLoop: bareLoop)
        .result(in: groups)
    }
    // The bare loop takes 6, 8 and 4 times as long as a read.
    let slow = Comparison.Measure.multiple(2, of: "get")
    #expect(result(slow, .atMost(2.9)).isReached == false)
    #expect(result(slow, .atMost(2.9)).isOutOfReach == true)
    #expect(result(slow, .atMost(4.1)).isOutOfReach == nil)
    #expect(result(slow, .atLeast(0.3)).isOutOfReach == true)
    #expect(result(slow, .atLeast(0.2)).isOutOfReach == nil)
    #expect(result(nil, .atMost(2.9)).isOutOfReach == nil)
    #expect(result(.of("none"), .atMost(2.9)).isOutOfReach == nil)
  }

  @Test func `the table says whether a target was reached`() {
    let comparisons = [
      Comparison("get", .of("get"), limit: .of("read"), "one read", target: .atMost(1.5)),
      Comparison("", .of("get"), limit: .of("get"), "itself"),
      Comparison(
        "", .of("get"), limit: .of("read"), "one read", target: .atMost(2),
        bareLoop: .multiple(2.5, of: "read")),
      Comparison("scan", .of("scan"), limit: .of("plain"), "plain scan", target: .atLeast(0.5)),
      Comparison("none", .of("none"), limit: .constant(12, .size), "allowed", target: .atMost(1)),
    ]
    var report = Report(
      groups: groups, comparisons: comparisons.map { $0.result(in: groups) },
      machine: Machine.current(directory: "/", swiftVersion: nil), date: Date(), roundCount: 3,
      isQuick: false)
    #expect(
      ComparisonTable(report).text == """
        Held against its limits
                   figure      limit              ratio  lowest .. highest  target
          get      400 ns     130 ns  one read     3.00       2.00 .. 4.00  at most 1.50   MISSED
                   400 ns     400 ns  itself       1.00       1.00 .. 1.00
                   400 ns     130 ns  one read     3.00       2.00 .. 4.00  at most 2.00   missed by the bare loop, too
          scan  5.00 GB/s  8.00 GB/s  plain scan   0.50       0.50 .. 0.75  at least 0.50  reached
          none          -     12.0 B  allowed         -                     at most 1.00

        """)
    report.isQuick = true
    #expect(!ComparisonTable(report).text.contains("MISSED"))
    #expect(!ComparisonTable(report).text.contains("reached"))
    report.comparisons = []
    #expect(ComparisonTable(report).text == "")
  }
}
