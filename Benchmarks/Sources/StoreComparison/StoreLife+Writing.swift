internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

// What is written to a store: until it is in a steady state, or the state that a row names.
extension StoreLife {
  /// How many syncs there are in the time that a loop of writes has.
  private static let syncCount = 4.0

  /// All keys into another store, which is removed.
  func loadBatches() throws -> Sample {
    let folder = "\(session.folder)-batches"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try session.contender.open(session.place(folder))
    defer { try? store.close() }
    let keys = data.keys[..<data.keyCount]
    let sample = try timed(keys.count) {
      try store.setMany(keys, data.value, mask)
      return 0
    }
    try expectNone(
      try store.countWrongRetrieved(data.shuffled.prefix(sampleCount), mask),
      "after batches in \(session.contender.name)")
    return sample
  }

  /// Makes the store that the life goes on with, and sets all keys one by one as long as there is time.
  mutating func load() throws -> Sample {
    let store = try make()
    if let corpus = data.corpus {
      setCount += corpus.count
      return try timed(data.keyCount) {
        for number in 0..<corpus.count {
          try store.setValue(
            corpus.keys[number], unsafe corpus.bytes.span.bytes.extracting(corpus.range(number)))
        }
        return 0
      }
    }
    let (keys, value, mask) = (data.keys[..<data.keyCount], data.value, mask)
    let stopwatch = Stopwatch()
    var loop = PacedLoop(secondsMax: session.secondsMax)
    let done = try loop.run(keys.count) { try store.setEach(keys[$0], value, mask) }
    let sample = stopwatch.sample(of: done)
    try store.fill(keys[done...], value, mask)
    setCount += keys.count
    try store.settle()
    return sample
  }

  /// Makes the store that the life goes on with, in batches where there are any.
  mutating func fill() throws -> Sample {
    let store = try make()
    let keys = data.keys[..<data.keyCount]
    let sample = try timed(keys.count) {
      try store.fill(keys, data.value, mask)
      return 0
    }
    setCount += keys.count
    try store.settle()
    return sample
  }

  private mutating func make() throws -> StoreCalls {
    writtenBefore = try? writtenByteCount()
    let threadCount = session.workloads.contains(.twoThreads) ? 2 : 1
    let store = try session.contender.open(session.place(threadCount: threadCount))
    self.store = store
    return store
  }

  mutating func overwriteBatches() throws -> Sample {
    let store = try opened()
    let keys = nextOrder()
    let sample = try timed(keys.count) {
      try store.setMany(keys[...], data.value, ~mask)
      return 0
    }
    overwriting(keys.count)
    try checkOverwritten(store)
    return sample
  }

  /// Writes all keys again one by one, after they were overwritten at least once.
  mutating func overwrite() throws -> Sample {
    try reachSteadyState()
    var loop = PacedLoop(secondsMax: session.secondsMax)
    return try overwrite(&loop, isRepeated: false)
  }

  /// The same with a sync each second, again and again as long as there is time.
  mutating func overwriteWithSyncs() throws -> Sample {
    try reachSteadyState()
    var loop = PacedLoop(
      secondsMax: session.secondsMax, secondsBetweenSyncs: session.secondsMax / StoreLife.syncCount)
    return try overwrite(&loop, isRepeated: true)
  }

  private mutating func overwrite(_ loop: inout PacedLoop, isRepeated: Bool) throws -> Sample {
    let (store, value) = (try opened(), data.value)
    var keys: [BenchmarkKey] = []
    var done = 0
    let stopwatch = Stopwatch()
    repeat {
      keys = nextOrder()
      overwriting(keys.count)
      let (all, mask) = (keys[...], mask)
      done = try loop.run(keys.count, sync: store.sync) { try store.setEach(all[$0], value, mask) }
    } while isRepeated && !loop.isOver
    let sample = stopwatch.sample(of: loop.doneCount)
    try store.fill(keys[done...], value, mask)
    try checkOverwritten(store)
    return sample
  }

  private mutating func reachSteadyState() throws {
    guard overwrittenCount == 0 else { return }
    let store = try opened()
    let keys = nextOrder()
    try store.fill(keys[...], data.value, ~mask)
    overwriting(keys.count)
  }

  private mutating func overwriting(_ count: Int) {
    mask = ~mask
    overwrittenCount += 1
    setCount += count
  }

  /// The keys in another order than they were written in last.
  private func nextOrder() -> [BenchmarkKey] {
    let orders = [data.shuffled] + data.overwritten
    return orders[overwrittenCount % orders.count]
  }

  private mutating func checkOverwritten(_ store: StoreCalls) throws {
    try expectNone(
      try store.countWrongRetrieved(nextKeys(), mask), "after overwriting in \(session.contender.name)")
  }

  /// What loading and overwriting gave the system to write.
  func written() throws -> Sample {
    let writtenNow = try writtenByteCount()
    guard let writtenBefore else { throw Unsupported("the store was not loaded") }
    return Sample(
      byteCount: writtenNow - writtenBefore, amount: setCount * (data.byteCount / data.keyCount))
  }

  /// A burst of sets, short enough for what a sync leaves behind to be seen.
  mutating func setAfterSync() throws -> Sample {
    let (store, value, mask) = (try opened(), data.value, mask)
    try store.settle()
    let keys = nextKeys()
    return try timed(keys.count) {
      try store.setEach(keys, value, mask)
      return 0
    }
  }

  mutating func setInTwoThreads() throws -> Sample {
    try setInParallel(try opened(), [nextKeys(), nextKeys()], mask, "after sets in two threads")
  }

  mutating func synced(threadCount: Int) throws -> Sample {
    try end()
    let store = try session.contender.open(session.place(isSynced: true, threadCount: threadCount))
    self.store = store
    let countEach = max(1, sampleCount / threadCount)
    let parts = (0..<threadCount).map { data.keys[$0 * countEach..<($0 + 1) * countEach] }
    return try setInParallel(store, parts, UInt64(threadCount), "in synced sets")
  }

  /// Sets the keys of each part in a thread of its own, and reads them afterwards.
  private func setInParallel(
    _ store: StoreCalls, _ parts: [ArraySlice<BenchmarkKey>], _ mask: UInt64, _ when: String
  ) throws -> Sample {
    let value = data.value
    let sample = try timed(parts.map(\.count).reduce(0, +)) {
      try inParallel(threadCount: parts.count) { try store.setEach(parts[$0], value, mask) }
      return 0
    }
    for part in parts { try expectNone(try store.countWrongRetrieved(part, mask), when) }
    return sample
  }
}
