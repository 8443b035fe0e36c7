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

  @Test func `a group may have another order in each round, so that nobody is always first`() throws {
    var order = ""
    func group(_ names: [String]) -> BenchmarkGroup {
      BenchmarkGroup(
        "",
        names.map { name in
          benchmark(name) {
            order += name
            return Sample(nanoseconds: 1, amount: 1)
          }
        })
    }
    let groups = [group(["A", "B", "C"]), group(["x"]), group([])]
    let measured = try Section(groups, isRotated: true).measured(roundCount: 4).groups
    #expect(order == "ABCx" + "BACx" + "CABx" + "ACBx")
    #expect(measured[0].rows.map(\.name) == ["A", "B", "C"])
    #expect(measured[0].rows.map(\.samples.count) == [4, 4, 4])
  }

  @Test func `why a sample is not quite what its row says is kept`() throws {
    let moving = benchmark("A") {
      var sample = Sample(nanoseconds: 1, amount: 1)
      sample.remark = "still moving"
      return sample
    }
    let measured = try Section([BenchmarkGroup("", [moving])]).measured(roundCount: 2).groups
    #expect(measured[0].rows[0].remarks == ["still moving", "still moving"])
  }

  @Test func `pieces of a sample add up`() {
    var sum = Sample(nanoseconds: 10, amount: 2, processor: 30)
    sum += Sample(nanoseconds: 20, amount: 3, processor: 5)
    #expect(sum == Sample(nanoseconds: 30, amount: 5, processor: 35))
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

  @Test func `what takes long is measured in fewer rounds`() throws {
    var order = ""
    let benchmarks = [("A", 1), ("B", nil)].map { name, countMax in
      Benchmark(name, name: name, meaning: "", method: "", roundCountMax: countMax) {
        order += name
        return Sample(nanoseconds: 1, amount: 1)
      }
    }
    let outcomes = try Rounds(count: 3).run(benchmarks)
    #expect(order == "ABBB")
    #expect(outcomes.map(\.samples.count) == [1, 3])
  }

  @Test func `the processor time of an operation is kept beside its time, where it was measured`() throws {
    let outcomes = try Rounds(count: 2).run([
      benchmark("A") { Sample(nanoseconds: 6, amount: 2, processor: 10) },
      benchmark("B") { Sample(nanoseconds: 6, amount: 2) },
      Benchmark("C", name: "C", meaning: "", method: "", quantity: .bandwidth) {
        Sample(nanoseconds: 6, amount: 12, processor: 10)
      },
    ])
    #expect(outcomes.map(\.samples) == [[3, 3], [3, 3], [2, 2]])
    #expect(outcomes.map(\.processorSamples) == [[5, 5], [], []])
  }

  @Test func `a stopwatch tells what the process took, at least as long as the thread was busy`() {
    let stopwatch = Stopwatch()
    var sum = 0
    while stopwatch.nanoseconds < 2_000_000 { sum &+= 1 }
    let sample = stopwatch.sample(of: 4)
    #expect(sum > 0)
    #expect(sample.amount == 4)
    #expect(sample.processor ?? 0 > 0)
  }

  @Test func `a section has its groups' figures, in as many rounds as it takes`() throws {
    let groups = [
      BenchmarkGroup("1", [benchmark("A") { Sample(nanoseconds: 6, amount: 2) }]),
      BenchmarkGroup("2", [benchmark("B") { Sample(nanoseconds: 9, amount: 1) }]),
    ]
    let comparison = Comparison("c", .of("B"), limit: .of("A"), "A", target: .atMost(2))
    let measured = try Section(groups, [comparison], roundFactor: 2).measured(roundCount: 2)
    #expect(measured.groups.map(\.title) == ["1", "2"])
    #expect(measured.groups.map(\.rows[0].samples) == [[3, 3, 3, 3], [9, 9, 9, 9]])
    #expect(measured.comparisons.map(\.ratio?.median) == [3])
  }

  @Test func `any other error ends the run`() {
    #expect(throws: Broken.self) { try Rounds(count: 1).run([benchmark("A") { throw Broken() }]) }
  }

  @Test func `a sample is a time for each operation or bytes a nanosecond`() {
    let sample = Sample(nanoseconds: 50, amount: 200)
    #expect(sample.value(as: .time) == 0.25)
    #expect(sample.value(as: .bandwidth) == 4)
    #expect(Sample(byteCount: 30, amount: 4).value(as: .size) == 7.5)
  }
}
