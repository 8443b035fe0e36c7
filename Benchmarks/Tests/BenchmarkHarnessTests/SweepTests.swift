import BenchmarkHarness
import Foundation
import Testing

@Suite struct SweepTests {
  private let engine = Sweep.Engine(
    name: "E", workloads: ["load", "read"],
    variants: [
      Sweep.Variant(name: "even", figures: [1000, 100]), Sweep.Variant(name: "loads", figures: [600, 200]),
      Sweep.Variant(name: "reads", figures: [1200, 80]), Sweep.Variant(name: "cannot", figures: [nil, 10]),
    ])

  private func sweep(_ engines: [Sweep.Engine]) -> Sweep {
    Sweep(
      date: Date(timeIntervalSince1970: 0),
      machine: Machine(
        processor: "P", coreCount: 2, caches: "L1", memoryByteCount: 8 << 30, kernel: "K 1",
        fileSystem: "ext4 (rw)", swiftVersion: "Swift 6"),
      roundCount: 2, isQuick: false, engines: engines)
  }

  @Test func `the best has the least product of all times, and did everything`() {
    // 100,000, 120,000 and 96,000.
    #expect(engine.best?.name == "reads")
    #expect(engine.best(at: 0)?.name == "loads")
    #expect(engine.best(at: 1)?.name == "cannot")
    let useless = Sweep.Engine(
      name: "U", workloads: ["load"], variants: [Sweep.Variant(name: "cannot", figures: [nil])])
    #expect(useless.best == nil)
    #expect(useless.best(at: 0) == nil)
  }

  @Test func `it is made of a section's groups`() {
    func benchmark(_ name: String) -> Benchmark {
      Benchmark(name, name: name, meaning: "", method: "") { Sample(nanoseconds: 1, amount: 1) }
    }
    let rows = [benchmark("one"), benchmark("other")]
    let engine = Sweep.Engine(
      name: "E",
      groups: [
        Report.Group(BenchmarkGroup("Load (E)", rows), [Outcome(samples: [1, 3]), Outcome(samples: [4])]),
        Report.Group(BenchmarkGroup("Read (E)", rows), [Outcome(samples: [5]), Outcome(unsupported: "no")]),
      ])
    #expect(engine.workloads == ["Load", "Read"])
    #expect(engine.variants.map(\.name) == ["one", "other"])
    #expect(engine.variants.map(\.figures) == [[2, 5], [4, nil]])
  }

  @Test func `the text has a line for each variant and says which are the best`() {
    let text = sweep([engine]).text
    #expect(text.contains("E: load; read\n"))
    #expect(text.contains("  reads      1.20 us     80.0 ns  the best\n"))
    #expect(text.contains("  cannot           -     10.0 ns\n"))
    #expect(text.contains("  load: loads\n"))
  }

  @Test func `it is read from its JSON`() throws {
    let sweep = sweep([engine])
    #expect(try Sweep(json: sweep.json()) == sweep)
    #expect(sweep.engine("E") == engine)
    #expect(sweep.engine("F") == nil)
  }
}
