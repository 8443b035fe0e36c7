import BenchmarkHarness
import StoreComparison
import Testing

@Suite struct SteadyStateTests {
  private let timing = Timing(
    sample: 1, steadySample: 4, window: 2, steadyMin: 30, steadyMax: 60, paced: 1, still: 1, loadMax: 1)

  /// A store whose speed, space and pending work follow from the number of the window; windows take two seconds.
  private func seconds(
    speed: (Int) -> Double = { _ in 100 }, space: (Int) -> Int = { _ in 1000 },
    pending: (Int) -> Int = { _ in 0 }
  ) -> (seconds: Double, isReached: Bool, byteCountMax: Int) {
    var state = SteadyState(timing)
    var number = 0
    while !state.isOver {
      state.add(
        SteadyState.Window(
          seconds: 2, nanosecondsAStep: speed(number), byteCount: space(number), pendingWork: pending(number))
      )
      number += 1
    }
    return (state.seconds, state.isReached, state.byteCountMax)
  }

  @Test func `a store that never changes is worked on for the least time all the same`() {
    #expect(seconds().seconds == 30)
    #expect(seconds().isReached)
  }

  @Test func `one that goes up and down is at rest, one that slows down is not`() {
    #expect(seconds(speed: { $0.isMultiple(of: 2) ? 80 : 120 }).seconds == 30)
    let slowing = seconds(speed: { 100 * (1 + 0.05 * Double($0)) })
    #expect(slowing.seconds > 30)
    let endless = seconds(speed: { 100 * (1 + 0.1 * Double($0 * $0)) })
    #expect(endless.seconds == 60)
    #expect(!endless.isReached)
  }

  @Test func `one that grows, or puts off ever more, is not at rest`() {
    #expect(!seconds(space: { 1000 + 100 * $0 }).isReached)
    #expect(!seconds(pending: { 1000 * $0 }).isReached)
    let grown = seconds(space: { min(1000 + 100 * $0, 2500) })
    #expect(grown.seconds > 40)
    #expect(grown.isReached)
    #expect(seconds(space: { $0 == 3 ? 9000 : 1000 }).byteCountMax == 9000)
  }

  @Test func `kept figures take thirty seconds at least, and samples of a second`() {
    #expect(Timing.full.steadyMin >= 30)
    #expect(Timing.full.sample >= 1)
    #expect(Timing.full.steadySample >= 1)
    #expect(Options.fullRoundCount >= 7)
    // A hundred steps of each ten thousand in the last figure.
    #expect(20_000 * Timing.full.paced >= 100 * 10_000)
  }
}

@Suite struct WriteLedgerTests {
  private let data = DataSet("test", keyCount: 50, valueByteCount: 100, drawCount: 3)

  @Test func `draws are uniform with repetition, as keys chosen at random are`() {
    let data = DataSet("test", keyCount: 10_000, valueByteCount: 100, drawCount: 2)
    for draws in data.draws {
      #expect(draws.numbers.count == 10_000)
      // One key in e is not drawn.
      #expect((6100...6550).contains(Set(draws.numbers).count))
      #expect(zip(draws.numbers, draws.keys).allSatisfy { data.keys[Int($0)] == $1 })
    }
    #expect(data.draws[0].numbers != data.draws[1].numbers)
  }

  @Test func `what each key holds is known after any number of passes, the last of which ended early`() {
    var ledger = WriteLedger(data)
    var masks = [UInt64](repeating: 0, count: data.keyCount)
    var expected: [[UInt64]] = []
    var found: [[UInt64]] = []
    for step in 0..<40 {
      ledger.turn()
      let count = min(ledger.left.count, 7 + step)
      for number in ledger.draws.numbers[ledger.left].prefix(count) { masks[Int(number)] = ledger.mask }
      ledger.write(count)
      expected.append(masks)
      found.append(ledger.states().masks)
    }
    #expect(found == expected)
    #expect(ledger.byteCount() == data.byteCount)
  }

  @Test func `a pass writes other values than the one before`() {
    var ledger = WriteLedger(data)
    ledger.turn()
    let first = ledger.mask
    ledger.write(50)
    ledger.turn()
    #expect(first != 0)
    #expect(ledger.mask == 0)
    #expect(ledger.left == 0..<50)
  }

  @Test func `values of all lengths are counted by what was set last`() {
    let data = DataSet("test", keyCount: 1000, sizes: ValueSizes(), drawCount: 1)
    var ledger = WriteLedger(data)
    #expect(ledger.byteCount() == data.byteCount)
    ledger.turn()
    ledger.write(1000)
    var lengths = (data.loadedByteCounts ?? []).map(Int.init)
    for (number, length) in zip(data.draws[0].numbers, data.draws[0].byteCounts) {
      lengths[Int(number)] = Int(length)
    }
    #expect(ledger.byteCount() == lengths.reduce(16_000, +))
    #expect(lengths.allSatisfy { (16..<4096).contains($0) })
    #expect(lengths.count { $0 < 256 } > 300)
    #expect(lengths.count { $0 > 1024 } > 150)
  }
}

@Suite struct StepScheduleTests {
  /// A clock that moves by what it is told, and a nanosecond whenever it is looked at.
  private final class Clock: @unchecked Sendable {
    var nanoseconds: UInt64 = 1_000_000

    func look() -> UInt64 {
      nanoseconds += 1
      return nanoseconds
    }
  }

  @Test func `a step that waits for a slow one is late, and those behind it, too`() {
    let clock = Clock()
    let schedule = StepSchedule(rate: 1_000_000) { clock.look() }
    for step in 0..<100 {
      schedule.awaitNext()
      // One step of a hundred takes as long as fifty do.
      clock.nanoseconds += step == 10 ? 50_000 : 100
      schedule.stepEnded()
    }
    #expect(schedule.lateness.count == 100)
    // By the time of service one step would be slow; by what is due, every second one.
    #expect(schedule.lateness.exceeded(byOneOf: 2) > 5000)
    #expect(schedule.lateness.exceeded(byOneOf: 1000) >= 50_000)
    #expect(schedule.delay < 1000)
  }

  @Test func `steps are not done before they are due, and without a rate are due at once`() {
    let clock = Clock()
    let paced = StepSchedule(rate: 1000) { clock.look() }
    let start = clock.nanoseconds
    for _ in 0..<4 {
      paced.awaitNext()
      paced.stepEnded()
    }
    #expect(clock.nanoseconds - start >= 3_000_000)
    let free = StepSchedule(rate: nil) { clock.look() }
    let before = clock.nanoseconds
    for _ in 0..<4 {
      free.awaitNext()
      clock.nanoseconds += 500
      free.stepEnded()
    }
    #expect(clock.nanoseconds - before < 2100)
    #expect(free.lateness.exceeded(byOneOf: 2) >= 500)
  }
}
