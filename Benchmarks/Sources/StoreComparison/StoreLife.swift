internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

/// A store and what is known of its contents.
struct StoreLife {
  let session: StoreSession
  var store: StoreCalls?
  /// By what the values differ from their keys.
  var mask: UInt64 = 0
  /// How often parts of the keys were used that no other part is in a cache of.
  private var usedCount = 0
  /// How often all keys were written after they were loaded.
  var overwrittenCount = 0
  /// How many values were set since the store was made.
  var setCount = 0
  var addedCount = 0
  /// What the process had written before the store was made; nil where that is not known.
  var writtenBefore: Int?
  private var histogram: LatencyHistogram?

  init(_ session: StoreSession) {
    self.session = session
  }

  var data: DataSet { session.data }

  mutating func end() throws {
    try store?.close()
    store = nil
  }

  mutating func sample(of workload: Workload) throws -> Sample {
    switch workload {
    case .loadBatched: return try loadBatches()
    case .load: return try load()
    case .fill: return try fill()
    case .size: return try size()
    case .retrieve: return try retrieve()
    case .inPlace:
      let (store, keys, mask) = (try opened(), nextKeys(), mask)
      return try timed(keys.count) { try store.countWrongInPlace(keys, mask) }
    case .batched:
      let (store, keys, mask) = (try opened(), nextKeys(), mask)
      return try timed(keys.count) { try store.countWrongBatched(keys, mask) }
    case .missing:
      let (store, keys) = (try opened(), data.missing.prefix(sampleCount))
      return try timed(keys.count) { try store.countFound(keys) }
    case .twoThreads: return try readInTwoThreads()
    case .overwriteBatched: return try overwriteBatches()
    case .overwrite: return try overwrite()
    case .overwriteSynced: return try overwriteWithSyncs()
    case .set: return try setAfterSync()
    case .setInTwoThreads: return try setInTwoThreads()
    case .written: return try written()
    case .mixed(let load): return try mixed(load)
    case .latency(let number):
      guard let histogram else { throw Unsupported("nothing was timed") }
      return Sample(nanoseconds: histogram.exceeded(byOneOf: number), amount: 1)
    case .iterate:
      let (store, count, mask) = (try opened(), data.keyCount + addedCount, mask)
      return try timed(count) { count - (try store.countIterated(mask)) }
    case .remove:
      let (store, keys) = (try opened(), nextKeys())
      return try timed(keys.count) { try store.countNotRemoved(keys) }
    case .compactedSize:
      try opened().compact()
      try end()
      return try size()
    case .open, .openAfterKill: return try open()
    case .memory: return try memory()
    case .limited: return try readWithLimit()
    case .synced(let threadCount): return try synced(threadCount: threadCount)
    }
  }

  var sampleCount: Int { min(data.keyCount, session.sampleCountMax) }

  func opened() throws -> StoreCalls {
    guard let store else { throw Unsupported("the store was not loaded") }
    return store
  }

  /// Times a loop that returns how many values were wrong.
  func timed(_ amount: Int, _ loop: () throws -> Int) throws -> Sample {
    let stopwatch = Stopwatch()
    let wrongCount = try loop()
    let sample = stopwatch.sample(of: amount)
    try expectNone(wrongCount, "by \(session.contender.name)")
    return sample
  }

  /// Other keys than those that were used last: these are in no cache.
  mutating func nextKeys() -> ArraySlice<BenchmarkKey> {
    let partCount = data.keyCount / sampleCount
    let start = usedCount % partCount * sampleCount
    usedCount += 1
    return data.shuffled[start..<start + sampleCount]
  }

  private mutating func retrieve() throws -> Sample {
    let store = try opened()
    guard let corpus = data.corpus else {
      let (keys, mask) = (nextKeys(), mask)
      return try timed(keys.count) { try store.countWrongRetrieved(keys, mask) }
    }
    var random = SplitMix64(seed: 104)
    let marks = corpus.marks(shuffledBy: &random).prefix(sampleCount)
    return try timed(marks.count) {
      var wrongCount = 0
      var buffer: [UInt8] = []
      for mark in marks {
        let isThere = try store.retrieveValue(mark.key, &buffer)
        if !isThere || !mark.fits(unsafe buffer.span.bytes) { wrongCount += 1 }
      }
      return wrongCount
    }
  }

  private mutating func readInTwoThreads() throws -> Sample {
    let (store, mask) = (try opened(), mask)
    let parts = [nextKeys(), nextKeys()]
    return try timed(parts[0].count + parts[1].count) {
      try inParallel(threadCount: parts.count) { try store.countWrongRetrieved(parts[$0], mask) }.reduce(0, +)
    }
  }

  private mutating func mixed(_ load: MixedLoad) throws -> Sample {
    let (store, mask) = (try opened(), mask)
    let isTimed =
      load == .even && session.workloads.contains { if case .latency = $0 { true } else { false } }
    // Where each step is timed, one in ten thousand is still to be several, and the background to come into its stride.
    let stepCount = isTimed ? min(data.keyCount, 2 * session.sampleCountMax) : sampleCount
    let steps = load.steps(
      count: stepCount, keyCount: data.keyCount + addedCount,
      addedCount: data.keys.count - data.keyCount - addedCount, seed: 105)
    let keys = BenchmarkKey.copies(of: steps.map { data.keys[$0.keyNumber] })
    let sample = try timed(steps.count) {
      try store.countWrongInSteps(keys, steps, data.value, mask, nil)
    }
    if isTimed {
      let histogram = LatencyHistogram()
      let wrongCount = try store.countWrongInSteps(keys, steps, data.value, mask, histogram)
      try expectNone(wrongCount, "by \(session.contender.name)")
      self.histogram = histogram
    }
    addedCount += steps.count { $0.writes && $0.keyNumber >= data.keyCount + addedCount }
    return sample
  }

  private mutating func open() throws -> Sample {
    try end()
    let stopwatch = Stopwatch()
    let store = try session.contender.open(session.place())
    var buffer: [UInt8] = []
    let isThere = try store.retrieveValue(data.keys[0], &buffer)
    let sample = stopwatch.sample(of: 1)
    self.store = store
    // It may have been removed.
    if isThere, data.corpus == nil {
      try expectNone(firstWord(unsafe buffer.span.bytes) == data.keys[0].word ^ mask ? 0 : 1, "after opening")
    }
    return sample
  }

  /// What the files take of the disk.
  private func size() throws -> Sample {
    let byteCount = try diskByteCount(of: session.folder)
    return Sample(byteCount: byteCount, amount: data.byteCount)
  }
}
