internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

// What is written to a store that is new, or has just been loaded.
extension StoreLife {
  /// Makes a new store and sets all keys one by one; also returns what it takes to end what is left for later.
  mutating func loadOneByOne() throws -> (loaded: Sample, settling: Sample) {
    let store = try makeAnew()
    let loaded = try loadKeys(into: store)
    let stopwatch = Stopwatch()
    try store.settle()
    return (loaded, stopwatch.sample(of: loaded.amount))
  }

  private func loadKeys(into store: StoreCalls) throws -> Sample {
    let (keys, value) = (data.keys[..<data.keyCount], data.value)
    if let corpus = data.corpus {
      return try timed(keys.count) {
        for number in 0..<corpus.count {
          try store.setValue(keys[number], unsafe corpus.bytes.span.bytes.extracting(corpus.range(number)))
        }
        return 0
      }
    }
    let byteCounts = data.loadedByteCounts
    var loop = PacedLoop(secondsMax: timing.loadMax)
    let stopwatch = Stopwatch()
    let done = try loop.run(keys.count) { piece in
      if let byteCounts {
        try store.setEachSized(keys[piece], byteCounts[piece], value, 0)
      } else {
        try store.setEach(keys[piece], value, 0)
      }
    }
    let sample = stopwatch.sample(of: done)
    if byteCounts != nil, done < keys.count { throw Unsupported("it takes too long to load") }
    try store.fill(keys[done...], value, 0)
    return sample
  }

  /// Makes a new store and sets all keys in batches; where there are none, one by one, or not at all.
  mutating func fill(isBatched: Bool) throws -> Sample {
    let store = try makeAnew()
    let keys = data.keys[..<data.keyCount]
    let sample = try timed(keys.count) {
      try isBatched ? store.setMany(keys, data.value, 0) : store.fill(keys, data.value, 0)
      return 0
    }
    try store.settle()
    try expectNone(try store.countWrongRetrieved(nextKeys(), 0), "after loading \(session.contender.name)")
    return sample
  }

  /// Opens a store without any files of one before.
  private mutating func makeAnew() throws -> StoreCalls {
    try end()
    try? FileManager.default.removeItem(atPath: session.folder)
    try FileManager.default.createDirectory(atPath: session.folder, withIntermediateDirectories: true)
    let store = try session.contender.open(session.place())
    self.store = store
    return store
  }

  /// A burst of sets, short enough for what a sync leaves behind to be seen.
  mutating func setAfterSync() throws -> Sample {
    let (store, value) = (try opened(), data.value)
    try store.settle()
    let keys = nextKeys()
    return try timed(keys.count) {
      try store.setEach(keys, value, 0)
      return 0
    }
  }

  /// Removes keys, or sets all of them again if there are none.
  mutating func removePart() throws -> Sample {
    let store = try opened()
    if removedPartCount == partCount {
      try store.setEach(data.keys[..<data.keyCount], data.value, 0)
      try store.settle()
      removedPartCount = 0
    }
    removedPartCount += 1
    let keys = nextKeys()
    return try timed(keys.count) { try store.countNotRemoved(keys) }
  }

  mutating func synced(threadCount: Int) throws -> Sample {
    _ = try fill(isBatched: false)
    try end()
    let store = try session.contender.open(session.place(isSynced: true))
    self.store = store
    let countEach = max(1, sampleCount / threadCount)
    let parts = (0..<threadCount).map { data.keys[$0 * countEach..<($0 + 1) * countEach] }
    let value = data.value
    let sample = try repeated { life in
      try life.timed(parts.count * countEach) {
        try inParallel(threadCount: parts.count) { try store.setEach(parts[$0], value, ~0) }
        return 0
      }
    }
    for part in parts { try expectNone(try store.countWrongRetrieved(part, ~0), "in synced sets") }
    return sample
  }
}
