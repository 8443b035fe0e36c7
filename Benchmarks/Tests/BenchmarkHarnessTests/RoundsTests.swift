import BenchmarkHarness
import Testing

@Suite struct RoundsTests {
  private struct Broken: Error {}

  private func benchmark(_ name: String, run: @escaping () throws -> Sample) -> Benchmark {
    Benchmark(name, name: name, meaning: "", method: "", run: run)
  }

  @Test func `benchmarks take turns`() throws {
    var order = ""
    let benchmarks = ["A", "B", "C"].map { name in
      benchmark(name) {
        order += name
        return Sample(nanoseconds: UInt64(order.count), amount: 1)
      }
    }
    var seen: [[Int]] = []
    let outcomes = try Rounds(count: 2).run(benchmarks) { seen.append([$0, $1]) }
    #expect(order == "ABCABC")
    #expect(seen == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]])
    #expect(outcomes.map(\.samples) == [[1, 4], [2, 5], [3, 6]])
  }

  @Test func `what the machine cannot do is left out and says why`() throws {
    var attempts = 0
    let benchmarks = [
      benchmark("A") {
        attempts += 1
        throw Unsupported("too old")
      },
      benchmark("B") { Sample(nanoseconds: 6, amount: 2) },
    ]
    let outcomes = try Rounds(count: 3).run(benchmarks)
    #expect(attempts == 1)
    #expect(outcomes == [Outcome(unsupported: "too old"), Outcome(samples: [3, 3, 3])])
  }

  @Test func `any other error ends the run`() {
    #expect(throws: Broken.self) { try Rounds(count: 1).run([benchmark("A") { throw Broken() }]) }
  }

  @Test func `a sample is a time for each operation or bytes a nanosecond`() {
    let sample = Sample(nanoseconds: 50, amount: 200)
    #expect(sample.value(as: .time) == 0.25)
    #expect(sample.value(as: .bandwidth) == 4)
  }
}
