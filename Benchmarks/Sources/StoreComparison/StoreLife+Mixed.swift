internal import BenchmarkHarness
internal import MachineLimits

/// The steps of a mixed load and their keys, which come again when all were done.
struct StepPool {
  var steps: [MixedStep] = []
  /// The key of each step; their bytes lie in memory in the order of the steps.
  var keys: [BenchmarkKey] = []
  private var place = 0

  init() {}

  init(_ steps: [MixedStep], of keys: [BenchmarkKey]) {
    self.steps = steps
    self.keys = BenchmarkKey.copies(of: steps.lazy.map { keys[$0.keyNumber] })
  }

  /// Does steps in pieces for some seconds; returns how many.
  mutating func run(_ loop: inout PacedLoop, _ piece: (Range<Int>) throws -> Void) throws {
    while !loop.isOver {
      if place == steps.count { place = 0 }
      let start = place
      place += try loop.run(steps.count - start) { try piece(start + $0.lowerBound..<start + $0.upperBound) }
    }
  }
}

extension StoreLife {
  /// How many steps a load has before they come again.
  private static let stepCountMax = 1_000_000
  /// By how many nanoseconds a store may be late in the end that keeps up with what is due.
  private static let delayMax: UInt64 = 1_000_000_000
  /// How many steps are to lie beyond a latency that is told.
  private static let countBeyondMin = 100

  mutating func mixed(_ load: MixedLoad) throws -> Sample {
    _ = try prepared()
    makeSteps(load)
    if load.overwrites {
      return try steadySample { try $0.doSteps(seconds: $1) }
    }
    return load == .ycsbD ? try doAllSteps() : try repeated { try $0.doAllSteps() }
  }

  private func doAllSteps() throws -> Sample {
    let store = try opened()
    return try timed(steps.steps.count) {
      try store.countWrongInSteps(steps.keys[...], steps.steps[...], data.value, 0, nil)
    }
  }

  private mutating func makeSteps(_ load: MixedLoad) {
    let addedCount = data.keys.count - data.keyCount
    // One step in twenty adds a key.
    let count = load == .ycsbD ? addedCount * 20 : min(max(data.keyCount, 1000), StoreLife.stepCountMax)
    steps = StepPool(
      load.steps(count: count, keyCount: data.keyCount, addedCount: addedCount, seed: 105), of: data.keys)
  }

  private mutating func doSteps(seconds: Double, _ schedule: StepSchedule? = nil) throws -> Sample {
    let (store, value) = (try opened(), data.value)
    let pool = steps
    var wrongCount = 0
    let stopwatch = Stopwatch()
    var loop = PacedLoop(secondsMax: seconds, pieceCount: schedule == nil ? PacedLoop.pieceCount : 100)
    try steps.run(&loop) { range in
      wrongCount += try store.countWrongInSteps(pool.keys[range], pool.steps[range], value, 0, schedule)
    }
    let sample = stopwatch.sample(of: loop.doneCount)
    try expectNone(wrongCount, "by \(session.contender.name)")
    return sample
  }

  /// The time from when a step was due to its end that one of so many exceeds.
  mutating func latency(rate: Int, oneOf number: Int) throws -> Sample {
    if lateness == nil { lateness = try measuredLateness(rate: rate) }
    guard let lateness, lateness.count >= number * StoreLife.countBeyondMin else {
      throw Unsupported("there were not \(countText(number * StoreLife.countBeyondMin)) steps")
    }
    return Sample(nanoseconds: lateness.exceeded(byOneOf: number), amount: 1)
  }

  private mutating func measuredLateness(rate: Int) throws -> LatencyHistogram {
    _ = try prepared()
    makeSteps(.even)
    _ = try reachSteadyState { try $0.doSteps(seconds: $1) }
    // The first second is that of a store that was busier a moment ago.
    _ = try doSteps(seconds: timing.sample, StepSchedule(rate: rate))
    let schedule = StepSchedule(rate: rate)
    _ = try doSteps(seconds: timing.paced, schedule)
    if schedule.delay > StoreLife.delayMax {
      throw Unsupported("it does not keep up with \(countText(rate)) steps a second")
    }
    return schedule.lateness
  }
}
