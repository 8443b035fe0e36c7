internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

/// What a store did on its way to the steady state and while it was measured there.
struct Overwriting {
  var written: Sample?
  var deviceWritten: Sample?
  var spacePeak: Sample?
  var spaceSteady: Sample?
}

// What is written again and again, until the store has come to rest.
extension StoreLife {
  /// Works until speed, space and what is left for later stand still, then a little longer, which is the sample.
  mutating func steadySample(_ work: (inout StoreLife, _ seconds: Double) throws -> Sample) throws -> Sample {
    _ = try reachSteadyState(work)
    return try work(&self, timing.steadySample)
  }

  /// Works until speed, space and what is left for later stand still.
  mutating func reachSteadyState(
    _ work: (inout StoreLife, _ seconds: Double) throws -> Sample
  ) throws -> SteadyState {
    let store = try prepared()
    var state = SteadyState(timing)
    while !state.isOver {
      let sample = try work(&self, timing.window)
      state.add(
        SteadyState.Window(
          seconds: Double(sample.measured) / 1e9, nanosecondsAStep: sample.value(as: .time),
          byteCount: try diskByteCount(of: session.folder), pendingWork: store.pendingWork()))
    }
    if !state.isReached { remark = "still moving after \(Int(state.seconds.rounded())) s" }
    return state
  }

  mutating func overwrite(_ workload: Workload) throws -> Sample {
    let store = try workload == .overwriteBatched && self.store == nil ? filled() : prepared()
    try store.sync()
    let writing = WrittenBytes(folder: session.folder)
    let setBefore = setByteCount
    let pieceCount = workload == .overwriteBatched ? keysInALoad : PacedLoop.pieceCount
    let secondsBetweenSyncs = workload == .overwriteSynced ? timing.secondsBetweenSyncs : nil
    let isBatched = workload == .overwriteBatched
    let work = { (life: inout StoreLife, seconds: Double) in
      try life.overwrite(
        store, isBatched: isBatched, pieceCount: pieceCount, seconds: seconds,
        secondsBetweenSyncs: secondsBetweenSyncs)
    }
    let state = try reachSteadyState(work)
    let sample = try work(&self, timing.steadySample)
    let (states, byteCount) = (ledger.states(), ledger.byteCount())
    let spaceNow = try diskByteCount(of: session.folder)
    try store.sync()
    let setCount = setByteCount - setBefore
    let written = writing.end()
    overwriting = Overwriting(
      written: written.byProcess.map { Sample(byteCount: $0, amount: setCount) },
      deviceWritten: written.byDevice.map { Sample(byteCount: $0, amount: setCount) },
      spacePeak: Sample(byteCount: max(state.byteCountMax, spaceNow), amount: byteCount),
      spaceSteady: Sample(byteCount: spaceNow, amount: byteCount))
    try checkOverwritten(store, states.masks)
    return sample
  }

  private mutating func filled() throws -> StoreCalls {
    _ = try fill(isBatched: true)
    return try opened()
  }

  /// Overwrites for some seconds, from where the last call has ended.
  mutating func overwrite(
    _ store: StoreCalls, isBatched: Bool = false, pieceCount: Int = PacedLoop.pieceCount, seconds: Double,
    secondsBetweenSyncs: Double? = nil
  ) throws -> Sample {
    let value = data.value
    let stopwatch = Stopwatch()
    var loop = PacedLoop(
      secondsMax: seconds, secondsBetweenSyncs: secondsBetweenSyncs, pieceCount: pieceCount)
    repeat {
      ledger.turn()
      let (draws, places, mask) = (ledger.draws, ledger.left, ledger.mask)
      let done = try loop.run(places.count, sync: store.sync) { piece in
        let range = places.lowerBound + piece.lowerBound..<places.lowerBound + piece.upperBound
        let keys = draws.keys[range]
        if isBatched {
          try store.setMany(keys, value, mask)
        } else if draws.byteCounts.isEmpty {
          try store.setEach(keys, value, mask)
        } else {
          try store.setEachSized(keys, draws.byteCounts[range], value, mask)
        }
      }
      ledger.write(done)
      setByteCount += data.byteCount(of: draws, places.lowerBound..<places.lowerBound + done)
    } while !loop.isOver
    return stopwatch.sample(of: loop.doneCount)
  }

  /// Reads keys and compares them with what passes of overwriting have left.
  func checkOverwritten(_ store: StoreCalls, _ masks: [UInt64]) throws {
    var random = SplitMix64(seed: 108)
    var buffer: [UInt8] = []
    var wrongCount = 0
    for _ in 0..<sampleCount {
      let number = random.below(data.keyCount)
      let key = data.keys[number]
      let isThere = try store.retrieveValue(key, &buffer)
      if !isThere || firstWord(unsafe buffer.span.bytes) != key.word ^ masks[number] { wrongCount += 1 }
    }
    try expectNone(wrongCount, "after overwriting in \(session.contender.name)")
  }

  /// Removes half of the keys, and waits until the store is as small as it becomes by itself.
  mutating func sizeOfHalf() throws -> Sample {
    let store = try opened()
    let byteCounts = ledger.states().byteCounts
    let half = data.keyCount / 2
    try expectNone(try store.countNotRemoved(data.keys[..<half]), "of those to be removed")
    try store.settle()
    var size = try diskByteCount(of: session.folder)
    var stillSince = Stopwatch()
    let stopwatch = Stopwatch()
    while Double(stillSince.nanoseconds) < timing.still * 1e9,
      Double(stopwatch.nanoseconds) < timing.steadyMax * 1e9
    {
      Thread.sleep(forTimeInterval: timing.still / 8)
      let now = try diskByteCount(of: session.folder)
      if now != size { stillSince = Stopwatch() }
      size = now
    }
    let leftByteCount = byteCounts[half...].reduce((data.keyCount - half) * BenchmarkKey.byteCount, +)
    return Sample(byteCount: size, amount: leftByteCount)
  }

  /// Overwrites in two threads, each with keys of its own choice.
  mutating func setInTwoThreads() throws -> Sample {
    let store = try prepared()
    let (value, draws) = (data.value, data.draws)
    var places = [0, draws[0].keys.count / 2]
    let sample = try steadySample { _, seconds in
      let starts = places
      let stopwatch = Stopwatch()
      let counts = try inParallel(threadCount: starts.count) { thread in
        var loop = PacedLoop(secondsMax: seconds)
        var place = starts[thread]
        while !loop.isOver {
          let keys = draws[thread % draws.count].keys
          if place >= keys.count { place = 0 }
          let start = place
          place += try loop.run(keys.count - start) { piece in
            try store.setEach(keys[start + piece.lowerBound..<start + piece.upperBound], value, 0)
          }
        }
        return (place, loop.doneCount)
      }
      places = counts.map(\.0)
      return stopwatch.sample(of: counts.map(\.1).reduce(0, +))
    }
    try expectNone(try store.countWrongRetrieved(nextKeys(), 0), "after sets in two threads")
    return sample
  }
}
