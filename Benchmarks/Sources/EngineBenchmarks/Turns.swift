package import BenchmarkHarness
internal import MachineLimits

/// Times several things over the same values in short turns: some values with the first, the same ones with the next.
///
/// What is compared then differs by less than what else the machine does meanwhile. All are timed when the first of
/// them is asked for, and each result is given away once.
package final class Turns<Thing: Hashable> {
  /// Does it with the values of these numbers.
  package typealias Work = (_ numbers: Range<Int>) throws -> Void

  private static var turnCount: Int { 64 }

  private let count: Int
  private let things: [(Thing, Work)]
  private let prepare: () throws -> Void
  private let check: () throws -> Void
  private var random = SplitMix64(seed: 95)
  private var quiet: [Thing: Sample] = [:]
  private var whole: [Thing: Sample] = [:]

  /// Turns over so many values; nothing of `prepare` and `check`, which come before and after all of them, is timed.
  package init(
    count: Int, _ things: [(Thing, Work)], prepare: @escaping () throws -> Void = {},
    check: @escaping () throws -> Void = {}
  ) {
    self.count = count
    self.things = things
    self.prepare = prepare
    self.check = check
  }

  /// What one of them takes while nothing holds it up: the turn that one of eight is quicker than.
  ///
  /// A turn that had to wait for the disk, or for memory to be cleared, says nothing of what is compared.
  package func quietSample(of thing: Thing) throws -> Sample {
    if quiet[thing] == nil { try measure() }
    return try given(quiet.removeValue(forKey: thing))
  }

  /// What all turns of one of them took together, whatever held them up.
  package func wholeSample(of thing: Thing) throws -> Sample {
    if whole[thing] == nil { try measure() }
    return try given(whole.removeValue(forKey: thing))
  }

  private func given(_ sample: Sample?) throws -> Sample {
    guard let sample else { throw Unsupported("there is no such thing") }
    return sample
  }

  private func measure() throws {
    try prepare()
    var turns: [Thing: [Sample]] = [:]
    for turn in 0..<Turns.turnCount {
      let numbers = count * turn / Turns.turnCount..<count * (turn + 1) / Turns.turnCount
      guard !numbers.isEmpty else { continue }
      // None of them always comes behind the same other one.
      for (thing, work) in things.shuffled(using: &random) {
        let stopwatch = Stopwatch()
        try work(numbers)
        turns[thing, default: []].append(Sample(nanoseconds: stopwatch.nanoseconds, amount: numbers.count))
      }
    }
    try check()
    quiet = turns.mapValues { samples in
      samples.sorted { $0.value(as: .time) < $1.value(as: .time) }[samples.count / 8]
    }
    whole = turns.mapValues { samples in
      Sample(nanoseconds: samples.reduce(0) { $0 + $1.measured }, amount: count)
    }
  }
}
