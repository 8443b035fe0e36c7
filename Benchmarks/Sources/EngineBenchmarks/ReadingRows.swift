internal import BenchmarkHarness
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// Reading a store with values of one size in all ways, beside the bare loops that do the least.
struct ReadingRows {
  /// Samples are short, and each is held against limits of the same moment.
  private static let roundFactor = 4

  private let scale: EngineScale
  private let names: RowNames
  private let store: ReadStore
  private let lookups: LookupRing
  private let dram: PointerRing

  init(_ scale: EngineScale, valueByteCount: Int, directory: String) throws {
    self.scale = scale
    names = RowNames(valueByteCount: valueByteCount)
    store = try ReadStore(scale, valueByteCount: valueByteCount, directory: directory)
    var random = SplitMix64(seed: 22)
    // An index of 12 bytes a key, and records of the store's size in a mapped file like the store's.
    lookups = try LookupRing(
      entryCount: scale.keyCount * 3 / 2, recordCount: scale.keyCount,
      recordByteCount: recordByteCountOfValue(valueByteCount),
      recordsIn: ScratchFile("records-\(valueByteCount)", in: directory), random: &random)
    dram = try PointerRing(byteCount: scale.limits.largeByteCount, random: &random)
  }

  var section: Section {
    let title = "Reading \(names.title(keyCount: scale.keyCount))"
    return Section(
      [BenchmarkGroup(title, reads + batchedReads + threads)], comparisons,
      roundFactor: ReadingRows.roundFactor)
  }

  private var sampleCount: Int { scale.keyCount / ReadStore.partCount }

  private var reads: [Benchmark] {
    [
      names.limit("dram", "one DRAM read", "each waits for the one before") {
        dram.walk(stepCount: sampleCount)
      },
      names.limit("lookup", "entry and record, dependent", "the least for one lookup") {
        lookups.walk(lookupCount: sampleCount)
      },
      names.limit("checked-lookup", "the same, checksummed", "in a mapped file; nothing is compared") {
        lookups.walkChecked(lookupCount: sampleCount)
      },
      read("in-place", "retrieve in place", "the closure sees the file's bytes") {
        try countWrongInPlace($0, $1)
      },
      read("buffer", "retrieve into a reused buffer", "copied, not allocated", countWrongInBuffer),
      read("bytes", "retrieve as [UInt8]", "a new array each", countWrongAsBytes),
      read("data", "retrieve as Data", "a new Data each", countWrongAsData),
      names.figure("missing", "retrieve what is missing", "keys that were never set") {
        try store.read(store.missing, countFound)
      },
    ]
  }

  private var batchedReads: [Benchmark] {
    var random = SplitMix64(seed: 23)
    var checkedRandom = SplitMix64(seed: 24)
    let call = "\(countText(callKeyCount)) keys a call"
    return [
      names.limit("batched-lookup", "entry and record, 64 at a time", "the least for one of a batch") {
        lookups.lookUpBatches(count: max(1, sampleCount / batchCount), random: &random)
      },
      names.limit("checked-batched-lookup", "the same, checksummed", "all lines of a record asked for") {
        lookups.lookUpBatches(
          count: max(1, sampleCount / batchCount), isChecked: true, random: &checkedRandom)
      },
      read("batched-in-place", "batched, in place", call) { try countWrongInPlaceBatched($0, $1) },
      read("batched-bytes", "batched, as arrays", call, countWrongAsArraysBatched),
    ]
  }

  private var threads: [Benchmark] {
    [
      names.limit("lookup-two-threads", "entry and record, two threads", "elapsed by the lookups of both") {
        try lookups.walkInTwoThreads(lookupCountEach: sampleCount)
      },
      names.figure("two-threads", "retrieve in place, two threads", "elapsed by the reads of both") {
        try store.readInTwoThreads()
      },
    ]
  }

  private func read(
    _ row: String, _ name: String, _ meaning: String,
    _ loop: @escaping (SedimentStore, ArraySlice<BenchmarkKey>) throws -> Int
  ) -> Benchmark {
    names.figure(row, name, meaning) { try store.read(store.keys, loop) }
  }

  private var comparisons: [Comparison] {
    let of = names.of
    let pair = "entry and record"
    let twoReads = Comparison.Measure.multiple(2, of: names.identifier("dram"))
    return [
      Comparison(
        "retrieve in place, \(names.valueByteCount) B", of("in-place"), limit: of("lookup"), pair,
        target: .atMost(1.3)),
      Comparison("", of("in-place"), limit: twoReads, "two DRAM reads"),
      Comparison("", of("in-place"), limit: of("checked-lookup"), "\(pair), checksummed"),
      Comparison("into a reused buffer", of("buffer"), limit: of("lookup"), pair, target: .atMost(1.5)),
      Comparison("", of("buffer"), limit: twoReads, "two DRAM reads"),
      Comparison("", of("buffer"), limit: of("checked-lookup"), "\(pair), checksummed"),
      Comparison("as [UInt8]", of("bytes"), limit: of("lookup"), pair),
      Comparison("as Data", of("data"), limit: of("lookup"), pair),
      Comparison("missing", of("missing"), limit: of("dram"), "one DRAM read"),
      Comparison(
        "batched in place", of("batched-in-place"), limit: of("in-place"), "one by one", target: .atLeast(3)),
      Comparison("", of("batched-in-place"), limit: of("batched-lookup"), "\(pair), 64 at a time"),
      Comparison(
        "", of("batched-in-place"), limit: of("checked-batched-lookup"), "the same, checksummed"),
      Comparison(
        "batched as arrays", of("batched-bytes"), limit: of("bytes"), "one by one", target: .atLeast(2)),
      Comparison(
        "gain of a second thread",
        .gain(alone: names.identifier("in-place"), together: names.identifier("two-threads")),
        limit: .gain(alone: names.identifier("lookup"), together: names.identifier("lookup-two-threads")),
        "of bare loops", target: .atLeast(0.9)),
    ]
  }
}
