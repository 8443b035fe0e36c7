internal import BenchmarkHarness
internal import MachineLimits

/// Loading and overwriting a store with values of one size, beside the bare loops that do the least.
struct LoadingRows {
  /// Enough for a sequential copy to be none from cache to cache.
  private static let copiedByteCountMax = 128 << 20

  private let scale: EngineScale
  private let directory: String
  private let names: RowNames
  private let store: FreshStore
  private let dram: PointerRing

  init(_ scale: EngineScale, valueByteCount: Int, directory: String) throws {
    self.scale = scale
    self.directory = directory
    names = RowNames(valueByteCount: valueByteCount)
    store = FreshStore(scale, valueByteCount: valueByteCount, directory: directory)
    var random = SplitMix64(seed: 21)
    dram = try PointerRing(byteCount: scale.limits.largeByteCount, random: &random)
  }

  var section: Section {
    Section(
      [
        BenchmarkGroup(
          "Writing \(names.title(keyCount: scale.keyCount))",
          [
            names.limit("load-dram", "one DRAM read", "each waits for the one before") {
              dram.walk(stepCount: scale.keyCount / 2)
            },
            copy, append,
            names.figure("load", "load", "random keys into a new store, nothing synced", store.load),
            memory,
            names.figure("overwrite", "overwrite", "the same keys in another order", store.overwrite),
          ])
      ], comparisons)
  }

  private var copy: Benchmark {
    let recordByteCount = recordByteCountOfValue(names.valueByteCount)
    let byteCount = min(scale.keyCount * recordByteCount, LoadingRows.copiedByteCountMax)
    return names.limit("copy", "copies of as many bytes", "in memory that is in use already") {
      try appendRecords(try Memory(byteCount: byteCount), recordByteCount)
    }
  }

  private var append: Benchmark {
    let recordByteCount = recordByteCountOfValue(names.valueByteCount)
    let byteCount = scale.keyCount * recordByteCount
    return names.limit("append", "the same into a mapped file", "first touch of each page") {
      let file = try ScratchFile("append", in: directory, warmedByteCount: byteCount)
      try file.preallocate(byteCount: byteCount)
      return try appendRecords(try Memory(mapping: file, byteCount: byteCount), recordByteCount)
    }
  }

  private var memory: Benchmark {
    Benchmark(
      names.identifier("memory"), name: "index memory a key", meaning: "by the store's statistics",
      method: "statistics.indexByteCount by the number of keys, just after loading.", quantity: .size,
      run: store.indexMemory)
  }

  private var comparisons: [Comparison] {
    [
      Comparison(
        "load, \(names.valueByteCount) B", names.of("load"), limit: names.of("load-dram"), "one DRAM read",
        target: .atMost(1), bareLoop: names.of("append")),
      Comparison("", names.of("load"), limit: names.of("append"), "copies into a mapped file"),
      Comparison("overwrite", names.of("overwrite"), limit: names.of("append"), "copies into a mapped file"),
      Comparison(
        "index memory a key", names.of("memory"), limit: .constant(12, .size), "allowed", target: .atMost(1)),
    ]
  }
}
