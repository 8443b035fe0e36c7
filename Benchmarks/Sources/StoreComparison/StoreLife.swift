internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

/// A store and what is known of its contents.
struct StoreLife {
  static let openingCount = 10

  let session: StoreSession
  var store: StoreCalls?
  /// What the keys hold that were overwritten.
  var ledger: WriteLedger
  /// How often parts of the keys were used that no other part is in a cache of.
  private var usedCount = 0
  /// What the store did on its way to the steady state, and then.
  var overwriting: Overwriting?
  /// What loads and the calls took that ended what they had left for later.
  private var settled: Sample?
  /// The steps of a mixed load with their keys, of which the next comes at a place.
  var steps = StepPool()
  var lateness: LatencyHistogram?
  /// How many bytes were overwritten, keys and values.
  var setByteCount = 0
  /// Whether the store was made ready to be read.
  private var isArranged = false
  /// How many parts of the keys are not there.
  var removedPartCount = 0
  /// Why a figure is not what it should be.
  var remark: String?

  init(_ session: StoreSession) {
    self.session = session
    ledger = WriteLedger(session.data)
  }

  var data: DataSet { session.data }
  var timing: Timing { session.timing }

  mutating func end() throws {
    try store?.close()
    store = nil
  }

  mutating func sample(of workload: Workload) throws -> Sample {
    remark = nil
    var sample = try measured(workload)
    sample.remark = remark
    return sample
  }

  private mutating func measured(_ workload: Workload) throws -> Sample {
    switch workload {
    case .loadBatched: return withoutMaking(try repeated { try $0.fill(isBatched: true) })
    case .load: return withoutMaking(try repeated { try $0.load() })
    case .loadSettled: return try known(settled)
    case .fill: return try fill(isBatched: false)
    case .size: return try size()
    case .retrieve: return try repeated { try $0.retrieve() }
    case .inPlace: return try repeatedReads { try $0.countWrongInPlace($1, 0) }
    case .batched: return try repeatedReads { try $0.countWrongBatched($1, 0) }
    case .missing: return try repeatedReads(data.missing) { try $0.countFound($1) }
    case .twoThreads: return try repeated { try $0.readInTwoThreads() }
    case .overwrite, .overwriteBatched, .overwriteSynced: return withoutMaking(try overwrite(workload))
    case .written: return try known(overwriting?.written)
    case .deviceWritten: return try known(overwriting?.deviceWritten)
    case .spacePeak: return try known(overwriting?.spacePeak)
    case .spaceSteady: return try known(overwriting?.spaceSteady)
    case .spaceHalf: return try sizeOfHalf()
    case .set:
      _ = try prepared()
      return try repeated { try $0.setAfterSync() }
    case .setInTwoThreads: return try setInTwoThreads()
    case .mixed(let load): return try mixed(load)
    case .latency(let rate, let number): return try latency(rate: rate, oneOf: number)
    case .iterate: return try repeated { try $0.iterate() }
    case .remove:
      _ = try prepared()
      return try repeated { try $0.removePart() }
    case .compactedSize:
      try opened().compact()
      try end()
      return try size()
    case .open: return try repeated(countMax: StoreLife.openingCount) { try $0.open() }
    case .openAfterKill: return try open()
    case .memory: return try memory()
    case .limited: return try readWithLimit()
    case .synced(let threadCount): return try synced(threadCount: threadCount)
    }
  }

  /// A sample of sets without the time in which their values were made.
  func withoutMaking(_ sample: Sample) -> Sample {
    let made = UInt64(data.nanosecondsToMakeValue() * Double(sample.amount))
    var sample = sample
    sample.measured = max(sample.measured - min(made, sample.measured), 1)
    sample.processor = sample.processor.map { $0 - min(made, $0) }
    return sample
  }

  private func known(_ sample: Sample?) throws -> Sample {
    guard let sample else { throw Unsupported("it was not measured") }
    return sample
  }

  var sampleCount: Int { min(data.keyCount, session.sampleCountMax) }

  func opened() throws -> StoreCalls {
    guard let store else { throw Unsupported("the store was not loaded") }
    return store
  }

  /// The store with all keys, set one by one and not timed if no workload before has done so.
  mutating func prepared() throws -> StoreCalls {
    if store == nil {
      _ = try load()
    }
    return try opened()
  }

  /// The store as it is quickest to read.
  private mutating func arranged() throws -> StoreCalls {
    let store = try opened()
    if !isArranged { try store.arrange() }
    isArranged = true
    return store
  }

  /// Does something again and again until its times are a sample together.
  mutating func repeated(
    countMax: Int = .max, _ piece: (inout StoreLife) throws -> Sample
  ) throws -> Sample {
    var sum = try piece(&self)
    var count = 1
    while Double(sum.measured) < timing.sample * 1e9, count < countMax {
      sum += try piece(&self)
      count += 1
    }
    return sum
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
  mutating func nextKeys(of keys: [BenchmarkKey]? = nil) -> ArraySlice<BenchmarkKey> {
    let start = usedCount % partCount * sampleCount
    usedCount += 1
    return (keys ?? data.shuffled)[start..<start + sampleCount]
  }

  /// In how many parts the keys are used.
  var partCount: Int { data.keyCount / sampleCount }

  private mutating func repeatedReads(
    _ keys: [BenchmarkKey]? = nil, _ count: (StoreCalls, ArraySlice<BenchmarkKey>) throws -> Int
  ) throws -> Sample {
    let store = try arranged()
    return try repeated { life in
      let part = life.nextKeys(of: keys)
      return try life.timed(part.count) { try count(store, part) }
    }
  }

  private mutating func retrieve() throws -> Sample {
    let store = try arranged()
    guard let corpus = data.corpus else {
      let keys = nextKeys()
      return try timed(keys.count) { try store.countWrongRetrieved(keys, 0) }
    }
    var random = SplitMix64(seed: 104)
    let marks = corpus.marks(shuffledBy: &random)
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
    _ = try prepared()
    let store = try arranged()
    let parts = [nextKeys(), nextKeys()]
    return try timed(parts[0].count + parts[1].count) {
      try inParallel(threadCount: parts.count) { try store.countWrongRetrieved(parts[$0], 0) }.reduce(0, +)
    }
  }

  private mutating func iterate() throws -> Sample {
    let (store, count) = (try arranged(), data.keyCount)
    return try timed(count) { count - (try store.countIterated(0)) }
  }

  /// Loads and notes what the calls took that follow it.
  private mutating func load() throws -> Sample {
    let (loaded, settling) = try loadOneByOne()
    let sample = Sample(
      nanoseconds: loaded.measured + settling.measured, amount: loaded.amount,
      processor: (loaded.processor ?? 0) + (settling.processor ?? 0))
    if settled == nil { settled = sample } else { settled? += sample }
    return loaded
  }

  private mutating func open() throws -> Sample {
    try end()
    let stopwatch = Stopwatch()
    let store = try session.contender.open(session.place())
    var buffer: [UInt8] = []
    let isThere = try store.retrieveValue(data.keys[0], &buffer)
    let sample = stopwatch.sample(of: 1)
    self.store = store
    guard isThere else { throw Unsupported("it has forgotten what it had before it was closed") }
    let isRight = firstWord(unsafe buffer.span.bytes) == data.keys[0].word
    if data.corpus == nil { try expectNone(isRight ? 0 : 1, "after opening") }
    return sample
  }

  /// What the files take of the disk.
  private func size() throws -> Sample {
    Sample(byteCount: try diskByteCount(of: session.folder), amount: data.byteCount)
  }
}
