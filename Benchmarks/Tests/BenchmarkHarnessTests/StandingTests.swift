import BenchmarkHarness
import Foundation
import Testing

/// Who is ahead in a report, and what of it is noise.
@Suite struct StandingTests {
  private static let names = ["Own", "Own, again", "Own, plain", "Quick", "Slow"]

  /// A report with the medians of all contenders in each row, nil for what one cannot do.
  private func report(_ rows: [(String, [Double?])], unit: Quantity = .time, isPaired: Bool = true) -> Report
  {
    var report = Report(
      groups: rows.map { title, medians in
        Report.Group(
          BenchmarkGroup(
            "\(title) (100 B)",
            StandingTests.names.map { name in
              Benchmark(
                "100-\(title)-\(name)", name: name, meaning: "", method: "", quantity: unit
              ) { Sample(nanoseconds: 1, amount: 1) }
            }),
          medians.map { median in
            median.map { Outcome(samples: [$0 * 0.9, $0, $0 * 1.1]) } ?? Outcome(unsupported: "no")
          })
      },
      machine: Machine.current(directory: "/", swiftVersion: nil), date: .now, roundCount: 3, isQuick: false)
    report.contenders = StandingTests.names.map { name in
      Report.ContenderNote(
        name: name, version: "1.2", settings: ["Set up."],
        repeats: isPaired && name == "Own, again" ? "Own" : nil)
    }
    return report
  }

  @Test func `ratios within what a contender differs from itself are level`() {
    let standings = Standings(
      report([
        ("ahead", [100, 104, 1, 200, 300]), ("level", [100, 102, 1, 97, 300]),
        ("behind", [100, 101, 1, 50, 300]),
        ("noisy", [100, 150, 1, 70, 300]),
      ]))
    #expect(standings.all.map(\.place) == [.ahead, .level, .behind, .level])
    #expect(standings.all.map(\.best.name) == ["Quick", "Quick", "Quick", "Quick"])
    #expect(standings.all.map(\.ratio) == [2, 0.97, 0.5, 0.7])
  }

  @Test
  func
    `a pair that agrees by chance makes no difference certain: most rows of the run say how large noise is`()
  {
    let standings = Standings(
      report([
        ("a", [100, 120, 1, 200, 300]), ("b", [100, 120, 1, 200, 300]), ("c", [100, 120, 1, 200, 300]),
        ("chance", [100, 100, 1, 110, 300]),
      ]))
    #expect(standings.all.map(\.place) == [.ahead, .ahead, .ahead, .level])
    #expect(standings.all[3].noise == 1.2)
  }

  @Test
  func `more is better where shares and bandwidths are counted, and what cannot be done is nobody's best`() {
    let standings = Standings(report([("share", [80, 80, 1, 40, nil])], unit: .share))
    #expect(standings.all.map(\.place) == [.ahead])
    #expect(standings.all.map(\.ratio) == [2])
    #expect(Standings(report([("nobody", [80, 80, 1, nil, nil])])).all.isEmpty)
  }

  @Test func `without a pair a twentieth counts as noise`() {
    let standings = Standings(
      report([("level", [100, 100, 1, 96, 300]), ("behind", [100, 100, 1, 94, 300])], isPaired: false))
    #expect(standings.all.map(\.place) == [.level, .behind])
  }

  private func text(_ request: String, _ report: Report) throws -> String {
    try KeptFigures(["comparison": report]).text(request)
  }

  @Test func `a table has all rows of a kind, each figure with its spread and each row with its noise`()
    throws
  {
    let report = report([("a", [100, 110, 2000, 200, nil]), ("b", [1, 1, 1, 1, 1])])
    #expect(
      try text("table comparison 100-a", report) == """
        | | Own 1.2 | Own, plain 1.2 | Quick 1.2 | Slow 1.2 | noise |
        | --- | --- | --- | --- | --- | --- |
        | a (100 B) | 100 ns ±10 % | 2.00 us ±10 % | 200 ns ±10 % | none | 10 % |
        """)
    #expect(try text("table comparison", report).split(separator: "\n").count == 4)
  }

  @Test func `losses are all rows in which somebody is ahead, the largest first, and they are counted`()
    throws
  {
    let report = report([
      ("ahead", [100, 100, 1, 200, 300]), ("behind", [100, 100, 1, 50, 300]),
      ("level", [100, 100, 1, 100, 300]),
      ("far", [100, 100, 1, 200, 10]),
    ])
    #expect(
      try text("losses comparison", report) == """
        | | Own | the best | | times as good | noise |
        | --- | --- | --- | --- | --- | --- |
        | far (100 B) | 100 ns ±10 % | Slow | 10.0 ns ±10 % | 10.0 | 0 % |
        | behind (100 B) | 100 ns ±10 % | Quick | 50.0 ns ±10 % | 2.00 | 0 % |
        """)
    #expect(
      try text("count comparison", report)
        == "Of 4 rows Own is ahead of all others in 1, level with the best of them in 1, and behind in 2.")
    #expect(
      try text("settings comparison", report).hasPrefix("- **Own 1.2.** Set up.\n- **Own, plain 1.2.**"))
    #expect(try text("remarks comparison", report) == "None.")
  }
}

@Suite struct KeepingRulesTests {
  private func report(
    processor: String = "P", rounds: Int = 7, isFull: Bool? = true, isQuick: Bool = false,
    names: [String] = []
  ) -> Report {
    var report = Report(
      groups: [], machine: machine(processor), date: .now, roundCount: rounds, isQuick: isQuick)
    report.isFull = isFull
    if !names.isEmpty {
      report.contenders = names.map { name in
        Report.ContenderNote(
          name: name, version: "1", settings: [], repeats: name == "Own, again" ? "Own" : nil)
      }
    }
    return report
  }

  private func machine(_ processor: String) -> Machine {
    Machine(
      processor: processor, coreCount: 2, caches: "", memoryByteCount: 1, kernel: "K", fileSystem: "f",
      swiftVersion: "S")
  }

  private var sweep: Sweep {
    Sweep(date: .now, machine: machine("P"), roundCount: 2, isQuick: false, engines: [])
  }

  private static let all = ["Own", "Own, again", "Own, plain", "Other"]

  @Test func `kept results are not replaced by those of fewer contenders`() {
    let all = report(names: KeepingRulesTests.all)
    #expect(KeepingRules.missing(all, of: all) == nil)
    #expect(KeepingRules.missing(report(names: ["Own", "Own, again"]), of: all) == "Own, plain")
    #expect(KeepingRules.missing(all, of: report(names: ["Own"])) == nil)
  }

  @Test func `a run by the rules is kept`() {
    #expect(KeepingRules.refusal(report(names: KeepingRulesTests.all), sweep: sweep) == nil)
    #expect(KeepingRules.refusal(report(), sweep: nil) == nil)
  }

  @Test func `what breaks a rule is not kept, and says which`() {
    func refusal(_ report: Report) -> String { KeepingRules.refusal(report, sweep: sweep) ?? "" }
    #expect(refusal(report(isQuick: true)).contains("quick run"))
    #expect(refusal(report(isFull: false)).contains("short run"))
    #expect(refusal(report(isFull: nil)).contains("short run"))
    #expect(refusal(report(rounds: 6)).contains("6 rounds"))
    #expect(refusal(report(names: ["Own", "Other"])).contains("noise is unknown"))
    #expect(refusal(report(processor: "Q", names: KeepingRulesTests.all)).contains("another processor, P"))
  }
}

@Suite struct PartResultTests {
  @Test func `parts of a run of the same kind are found again, those of others are not`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "program").path
    try Data().write(to: URL(fileURLWithPath: program))
    let results = PartResults(output: folder.path, program: program)
    var report = Report(
      groups: [], machine: Machine.current(directory: "/", swiftVersion: nil),
      date: Date(timeIntervalSince1970: 5),
      roundCount: 7, isQuick: false)
    #expect(results.report(of: .ycsb, like: report) == nil)
    Thread.sleep(forTimeInterval: 0.02)
    try results.keep(report, of: .ycsb)
    #expect(results.report(of: .ycsb, like: report) == report)
    #expect(results.report(of: .large, like: report) == nil)
    report.roundCount = 3
    #expect(results.report(of: .ycsb, like: report) == nil)
    report.roundCount = 7
    Thread.sleep(forTimeInterval: 0.02)
    try Data("built anew".utf8).write(to: URL(fileURLWithPath: program))
    #expect(results.report(of: .ycsb, like: report) == nil)
  }
}
