internal import BenchmarkHarness
internal import MachineLimits

/// Loading, reading and overwriting keys with values of one size, each beside the bare loop that does the least.
struct StoreRows {
  /// Enough for a sequential copy to be none from cache to cache.
  private static let copiedByteCountMax = 128 << 20

  private let store: LoadedStore
  private let scale: EngineScale
  private let lookups: LookupRing
  private let dram: PointerRing
  private let directory: String

  init(_ scale: EngineScale, valueByteCount: Int, directory: String) throws {
    self.scale = scale
    self.directory = directory
    store = LoadedStore(scale, valueByteCount: valueByteCount, directory: directory)
    var random = SplitMix64(seed: 21)
    // An index of 12 bytes a key, and records of the store's size.
    lookups = try LookupRing(
      entryCount: scale.keyCount * 3 / 2, recordCount: scale.keyCount,
      recordByteCount: store.recordByteCount, random: &random)
    dram = try PointerRing(byteCount: scale.limits.largeByteCount, random: &random)
  }

  var section: Section {
    let title =
      "\(countText(scale.keyCount)) keys of \(BenchmarkKey.byteCount) B, values of \(store.valueByteCount) B"
    return Section(
      [
        BenchmarkGroup(
          title,
          [
            limit("dram", "one DRAM read", "each waits for the one before") {
              dram.walk(stepCount: scale.keyCount / 2)
            },
            bareCopy, bareAppend,
            figure("load", "load", "random keys into a new store, nothing synced", store.load),
            memory,
            limit("lookup", "entry and record, dependent", "the least for one lookup") {
              lookups.walk(lookupCount: scale.keyCount / 2)
            },
          ] + reads + batchedReads + threads + [
            figure("overwrite", "overwrite", "the same keys in another order", store.overwrite)
          ])
      ], comparisons)
  }

  private var reads: [Benchmark] {
    [
      figure("in-place", "retrieve in place", "the closure sees the file's bytes") {
        try store.read(store.keys.shuffled) { try countWrongInPlace($0, $1) }
      },
      figure("buffer", "retrieve into a reused buffer", "copied, not allocated") {
        try store.read(store.keys.shuffled, countWrongInBuffer)
      },
      figure("bytes", "retrieve as [UInt8]", "a new array each") {
        try store.read(store.keys.shuffled, countWrongAsBytes)
      },
      figure("data", "retrieve as Data", "a new Data each") {
        try store.read(store.keys.shuffled, countWrongAsData)
      },
      figure("missing", "retrieve what is missing", "keys that were never set") {
        try store.read(store.keys.missing, countFound)
      },
    ]
  }

  private var batchedReads: [Benchmark] {
    var random = SplitMix64(seed: 22)
    return [
      limit("batched-lookup", "entry and record, 64 at a time", "the least for one of a batch") {
        lookups.lookUpBatches(count: max(1, scale.keyCount / 2 / batchCount), random: &random)
      },
      figure("batched-in-place", "batched, in place", "\(countText(callKeyCount)) keys a call") {
        try store.read(store.keys.shuffled, countWrongInPlaceBatched)
      },
      figure("batched-bytes", "batched, as arrays", "\(countText(callKeyCount)) keys a call") {
        try store.read(store.keys.shuffled, countWrongAsArraysBatched)
      },
    ]
  }

  private var threads: [Benchmark] {
    [
      limit("lookup-two-threads", "entry and record, two threads", "elapsed by the lookups of both") {
        try lookups.walkInTwoThreads(lookupCountEach: scale.keyCount / 2)
      },
      figure("two-threads", "retrieve in place, two threads", "elapsed by the reads of both") {
        try store.readInTwoThreads()
      },
    ]
  }

  private var memory: Benchmark {
    Benchmark(
      name("memory"), name: "index memory a key", meaning: "by the store's statistics",
      method: "statistics.indexByteCount by the number of keys, just after loading.", quantity: .size,
      run: store.indexMemory)
  }

  private var bareCopy: Benchmark {
    let recordByteCount = store.recordByteCount
    let byteCount = min(scale.keyCount * recordByteCount, StoreRows.copiedByteCountMax)
    return limit("copy", "copies of as many bytes", "in memory that is in use already") {
      try appendRecords(try Memory(byteCount: byteCount), recordByteCount)
    }
  }

  private var bareAppend: Benchmark {
    let (count, recordByteCount) = (scale.keyCount, store.recordByteCount)
    return limit("append", "the same into a mapped file", "first touch of each page") {
      let byteCount = count * recordByteCount
      let file = try ScratchFile("append", in: directory, warmedByteCount: byteCount)
      try file.preallocate(byteCount: byteCount)
      return try appendRecords(try Memory(mapping: file, byteCount: byteCount), recordByteCount)
    }
  }

  private func name(_ row: String) -> String { "\(row)-\(store.valueByteCount)" }

  private func figure(
    _ row: String, _ name: String, _ meaning: String, _ run: @escaping () throws -> Sample
  ) -> Benchmark {
    Benchmark(
      self.name(row), name: name, meaning: meaning,
      method:
        "Timed over all calls of a round, in an order that is random to index and file. Each value that was"
        + " read is known by its first 8 bytes.",
      run: run)
  }

  private func limit(
    _ row: String, _ name: String, _ meaning: String, _ run: @escaping () throws -> Sample
  ) -> Benchmark {
    Benchmark(
      self.name(row), name: "bare: \(name)", meaning: meaning,
      method: "A loop that does only that, on an index of 12 bytes a key and records of"
        + " \(store.recordByteCount) B.",
      isLimit: true, run: run)
  }

  private var comparisons: [Comparison] {
    func of(_ row: String) -> Comparison.Measure { .of(name(row)) }
    let size = "\(store.valueByteCount) B"
    let pair = "entry and record"
    return [
      Comparison(
        "load, \(size)", of("load"), limit: of("dram"), "one DRAM read", target: .atMost(1),
        bareLoop: of("append")),
      Comparison("", of("load"), limit: of("append"), "copies into a mapped file"),
      Comparison("overwrite", of("overwrite"), limit: of("append"), "copies into a mapped file"),
      Comparison("retrieve in place", of("in-place"), limit: of("lookup"), pair, target: .atMost(1.3)),
      Comparison("", of("in-place"), limit: .multiple(2, of: name("dram")), "two DRAM reads"),
      Comparison("into a reused buffer", of("buffer"), limit: of("lookup"), pair, target: .atMost(1.5)),
      Comparison("", of("buffer"), limit: .multiple(2, of: name("dram")), "two DRAM reads"),
      Comparison("as [UInt8]", of("bytes"), limit: of("lookup"), pair),
      Comparison("as Data", of("data"), limit: of("lookup"), pair),
      Comparison("missing", of("missing"), limit: of("dram"), "one DRAM read"),
      Comparison(
        "batched in place", of("batched-in-place"), limit: of("in-place"), "one by one", target: .atLeast(3)),
      Comparison("", of("batched-in-place"), limit: of("batched-lookup"), "\(pair), 64 at a time"),
      Comparison(
        "batched as arrays", of("batched-bytes"), limit: of("bytes"), "one by one", target: .atLeast(2)),
      Comparison(
        "gain of a second thread", .gain(alone: name("in-place"), together: name("two-threads")),
        limit: .gain(alone: name("lookup"), together: name("lookup-two-threads")), "of bare loops",
        target: .atLeast(0.9)),
      Comparison(
        "index memory a key", of("memory"), limit: .constant(12, .size), "allowed", target: .atMost(1)),
    ]
  }
}
