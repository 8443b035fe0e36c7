import BenchmarkHarness
import EngineBenchmarks
import Testing

@Suite struct TurnsTests {
  private final class Log {
    var numbers: [String: [Int]] = [:]
    var events: [String] = []
  }

  private let log = Log()

  private func turns(count: Int) -> Turns<String> {
    Turns(
      count: count,
      ["a", "b"].map { [log] name in
        (
          name,
          { numbers in
            log.numbers[name, default: []] += numbers
            if log.events.last != "work" { log.events.append("work") }
          }
        )
      }, prepare: { [log] in log.events.append("prepare") }, check: { [log] in log.events.append("check") })
  }

  @Test(arguments: [1, 64, 1000])
  func `each does everything once, between what comes before and after`(count: Int) throws {
    let turns = turns(count: count)
    #expect(try turns.wholeSample(of: "a").amount == count)
    #expect(log.numbers == ["a": Array(0..<count), "b": Array(0..<count)])
    #expect(log.events == ["prepare", "work", "check"])
  }

  @Test func `what was measured is given away once, to whoever asks for it`() throws {
    let turns = turns(count: 640)
    for round in 1...2 {
      #expect(try turns.quietSample(of: "b").amount == 10)
      #expect(try turns.quietSample(of: "a").amount == 10)
      #expect(try turns.wholeSample(of: "a").amount == 640)
      #expect(log.events.count == 3 * round)
    }
  }

  @Test func `a turn that was held up is no quiet one`() throws {
    let turns = Turns(count: 64, [("slow", { _ in spin(microseconds: 200) })])
    #expect(try turns.quietSample(of: "slow").measured >= 200_000)
    let held = Turns(count: 64, [("held", { if $0.lowerBound % 2 == 0 { spin(microseconds: 2000) } })])
    let quiet = try held.quietSample(of: "held").measured
    #expect(quiet < 2_000_000)
    #expect(try held.wholeSample(of: "held").measured >= 32 * 2_000_000)
  }

  @Test func `nobody is measured whom there is not`() {
    #expect(throws: Unsupported("there is no such thing")) { try turns(count: 1).quietSample(of: "c") }
  }
}

private func spin(microseconds: UInt64) {
  let stopwatch = Stopwatch()
  while stopwatch.nanoseconds < microseconds * 1000 {}
}
