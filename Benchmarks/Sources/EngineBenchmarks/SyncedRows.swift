internal import BenchmarkHarness
internal import MachineLimits

/// Sets of values of one size that return when they are on the disk, beside the bare system calls.
struct SyncedRows {
  /// A disk is quicker in one tenth of a second than in the next: short samples in many turns even that out.
  private static let roundFactor = 5

  private let store: SyncedStore
  private let syncs: Syncs
  private let valueByteCount: Int

  init(_ scale: EngineScale, valueByteCount: Int, directory: String) throws {
    self.valueByteCount = valueByteCount
    store = try SyncedStore(scale, valueByteCount: valueByteCount, directory: directory)
    syncs = try Syncs(
      scale: scale.limits, directory: directory, recordByteCount: recordByteCountOfValue(valueByteCount),
      name: "syncs-\(valueByteCount)")
  }

  var section: Section {
    Section(
      [
        BenchmarkGroup(
          "Synced sets, values of \(valueByteCount) B",
          [
            bare(syncs.overwrite, "raw-sync"), alone,
            bare(syncs.groupCommit, "raw-group-commit"), together,
          ])
      ], comparisons, roundFactor: SyncedRows.roundFactor)
  }

  private var alone: Benchmark {
    figure("synced", "set, synced before it returns", threadCount: 1, countEach: syncs.syncCount)
  }

  private var together: Benchmark {
    figure(
      "synced-by-many", "the same from \(Syncs.threadCount) threads", threadCount: Syncs.threadCount,
      countEach: syncs.sharedCountEach)
  }

  private func figure(_ row: String, _ name: String, threadCount: Int, countEach: Int) -> Benchmark {
    Benchmark(
      self.name(row), name: name,
      meaning: threadCount == 1 ? "one after another" : "elapsed by the sets of all",
      method: "Sets keys of a loaded store again, each call with durability synced; then reads them all."
    ) {
      try store.set(threadCount: threadCount, countEach: countEach)
    }
  }

  private func bare(_ benchmark: Benchmark, _ row: String) -> Benchmark {
    var limit = benchmark
    limit.identifier = name(row)
    limit.name = "bare: \(benchmark.name)"
    limit.isLimit = true
    return limit
  }

  private func name(_ row: String) -> String { "\(row)-\(valueByteCount)" }

  private var comparisons: [Comparison] {
    [
      Comparison(
        "synced set, \(valueByteCount) B", .of(name("synced")), limit: .of(name("raw-sync")),
        "pwrite, fdatasync", target: .atMost(1.15)),
      Comparison(
        "from \(Syncs.threadCount) threads", .of(name("synced-by-many")),
        limit: .of(name("raw-group-commit")),
        "bare group commit", target: .atLeast(0.85)),
    ]
  }
}
