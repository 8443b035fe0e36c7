internal import BenchmarkHarness
internal import CBench
internal import Foundation
internal import MachineLimits

/// The life of one contender's store with one set of data, each part of it measured.
struct StoreSession {
  let contender: Contender
  let data: DataSet
  let workloads: [Workload]
  let sampleCountMax: Int
  let folder: String
  let program: String

  /// What was measured of a workload; ``Unsupported`` where the contender or the machine cannot do it.
  typealias Outcomes = [Workload: Result<Sample, Unsupported>]

  /// Makes a store, does everything to it, and removes it.
  func outcomes() throws -> Outcomes {
    try Room.warm((folder as NSString).deletingLastPathComponent, storeByteCount: data.byteCount * 3 / 2)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var life = StoreLife(self)
    var outcomes: Outcomes = [:]
    for workload in workloads {
      do {
        outcomes[workload] = .success(try life.sample(of: workload))
      } catch let error as Unsupported {
        outcomes[workload] = .failure(error)
      }
    }
    try life.end()
    return outcomes
  }

  fileprivate func place(isSynced: Bool = false, threadCount: Int = 1) -> StorePlace {
    StorePlace(
      folder: folder, keyCount: data.keyCount, isSynced: isSynced, isCompressible: data.corpus != nil,
      threadCount: threadCount)
  }
}

/// A store and what is known of its contents.
private struct StoreLife {
  /// What a process takes that does nothing much.
  private static let memoryByteCountMin = 64 << 20

  private let session: StoreSession
  private var store: StoreCalls?
  /// By what the values differ from their keys.
  private var mask: UInt64 = 0
  private var readCount = 0
  private var addedCount = 0
  /// What the process had written before the store was made; nil where that is not known.
  private var writtenBefore: Int?
  private var histogram: LatencyHistogram?

  init(_ session: StoreSession) {
    self.session = session
  }

  private var data: DataSet { session.data }

  mutating func end() throws {
    try store?.close()
    store = nil
  }

  mutating func sample(of workload: Workload) throws -> Sample {
    switch workload {
    case .load: return try load()
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
    case .overwrite: return try overwrite()
    case .set:
      let (store, value, mask) = (try opened(), data.value, mask)
      let keys = nextKeys()
      return try timed(keys.count) {
        try store.setEach(keys, value, mask)
        return 0
      }
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

  private var sampleCount: Int { min(data.keyCount, session.sampleCountMax) }

  private func opened() throws -> StoreCalls {
    guard let store else { throw Unsupported("the store was not loaded") }
    return store
  }

  /// Times a loop that returns how many values were wrong.
  private func timed(_ amount: Int, _ loop: () throws -> Int) throws -> Sample {
    let stopwatch = Stopwatch()
    let wrongCount = try loop()
    let nanoseconds = stopwatch.nanoseconds
    try expectNone(wrongCount, "by \(session.contender.name)")
    return Sample(nanoseconds: nanoseconds, amount: amount)
  }

  /// Other keys than those that were used last: these are in no cache.
  private mutating func nextKeys() -> ArraySlice<BenchmarkKey> {
    let partCount = data.keyCount / sampleCount
    let start = readCount % partCount * sampleCount
    readCount += 1
    return data.shuffled[start..<start + sampleCount]
  }

  private mutating func load() throws -> Sample {
    writtenBefore = try? writtenByteCount()
    let store = try session.contender.open(session.place(threadCount: threadCount))
    self.store = store
    if let corpus = data.corpus {
      return try timed(data.keyCount) {
        for number in 0..<corpus.count {
          try store.setValue(
            corpus.keys[number], unsafe corpus.bytes.span.bytes.extracting(corpus.range(number)))
        }
        return 0
      }
    }
    let keys = data.keys[..<data.keyCount]
    let sample = try timed(keys.count) {
      try store.setMany(keys, data.value, mask)
      return 0
    }
    try store.settle()
    return sample
  }

  private var threadCount: Int { session.workloads.contains(.twoThreads) ? 2 : 1 }

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

  private mutating func setInTwoThreads() throws -> Sample {
    let store = try opened()
    return try setInParallel(store, [nextKeys(), nextKeys()], mask, "after sets in two threads")
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

  /// What loading and overwriting gave the system to write.
  private func written() throws -> Sample {
    let writtenNow = try writtenByteCount()
    guard let writtenBefore else { throw Unsupported("the store was not loaded") }
    return Sample(byteCount: writtenNow - writtenBefore, amount: 2 * data.byteCount)
  }

  private mutating func overwrite() throws -> Sample {
    let store = try opened()
    mask = ~mask
    let sample = try timed(data.shuffled.count) {
      try store.setMany(data.shuffled[...], data.value, mask)
      return 0
    }
    try store.settle()
    try expectNone(
      try store.countWrongRetrieved(nextKeys(), mask), "after overwriting in \(session.contender.name)")
    return sample
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
    let sample = try timed(steps.count) {
      try store.countWrongInSteps(data.keys, steps[...], data.value, mask, nil)
    }
    if isTimed {
      let histogram = LatencyHistogram()
      let wrongCount = try store.countWrongInSteps(data.keys, steps[...], data.value, mask, histogram)
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
    let nanoseconds = stopwatch.nanoseconds
    self.store = store
    // It may have been removed.
    if isThere, data.corpus == nil {
      try expectNone(firstWord(unsafe buffer.span.bytes) == data.keys[0].word ^ mask ? 0 : 1, "after opening")
    }
    return Sample(nanoseconds: nanoseconds, amount: 1)
  }

  /// Has another process load the store, and kills it.
  private mutating func memory() throws -> Sample {
    try end()
    let held = HeldStore(session.contender, folder: session.folder, data: data)
    let process = try ChildProcess(held.arguments, program: session.program)
    try process.kill()
    guard let byteCount = process.anonymousByteCount else { throw Unsupported(ChildProcess.memoryIsUnknown) }
    return Sample(byteCount: byteCount, amount: data.keyCount)
  }

  /// Has a process read the store that has less memory than the store takes.
  private mutating func readWithLimit() throws -> Sample {
    try end()
    let memoryByteCount = max(data.byteCount / 3, StoreLife.memoryByteCountMin)
    let group = try MemoryLimit(byteCount: memoryByteCount)
    forgetPages(below: session.folder)
    let limited = LimitedStore(
      session.contender, folder: session.folder, data: data, sampleCount: sampleCount,
      memoryByteCount: memoryByteCount, group: group)
    do {
      let process = try ChildProcess(limited.arguments, program: session.program)
      try process.finish()
      return Sample(nanoseconds: UInt64(max(process.answer, 1)), amount: sampleCount)
    } catch let error as ChildFailure where error.wasKilled {
      throw Unsupported("it does not get by with \(memoryByteCount >> 20) MiB")
    }
  }

  private mutating func synced(threadCount: Int) throws -> Sample {
    try end()
    let store = try session.contender.open(session.place(isSynced: true, threadCount: threadCount))
    self.store = store
    let countEach = max(1, sampleCount / threadCount)
    let parts = (0..<threadCount).map { data.keys[$0 * countEach..<($0 + 1) * countEach] }
    return try setInParallel(store, parts, UInt64(threadCount), "in synced sets")
  }

  /// What the files take of the disk.
  private func size() throws -> Sample {
    let byteCount = try diskByteCount(of: session.folder)
    return Sample(byteCount: byteCount, amount: data.byteCount)
  }
}

/// What all files below a folder take of the disk.
package func diskByteCount(of folder: String) throws -> Int {
  var byteCount = 0
  for file in try FileManager.default.subpathsOfDirectory(atPath: folder) {
    var status = stat()
    guard unsafe lstat("\(folder)/\(file)", &status) == 0 else { throw SystemFailure("looking at \(file)") }
    // In these units, whatever the file system's blocks are.
    byteCount += Int(status.st_blocks) * 512
  }
  return byteCount
}
