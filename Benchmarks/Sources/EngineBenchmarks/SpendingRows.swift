internal import BenchmarkHarness
internal import StoreComparison

/// What sets take of the clock, of the setting thread's processor and of all processors, with default options.
struct SpendingRows {
  private let keyCount: Int
  private let store: SpendingStore
  private let compacted: CompactedStore

  init(_ scale: EngineScale, directory: String) {
    keyCount = scale.keyCount
    store = SpendingStore(scale, directory: directory)
    compacted = CompactedStore(scale, directory: directory)
  }

  var section: Section {
    let size = "\(countText(keyCount)) keys with values of \(SpendingStore.valueByteCount) B"
    return Section(
      [
        BenchmarkGroup(
          "Loading \(size), with default options",
          [bare] + rows("load", "keys that are new", { try $0.load() }, \.loaded)),
        BenchmarkGroup(
          "Overwriting \(size) \(SpendingStore.roundCount) times at random, with default options",
          rows("overwrite", "while compaction runs", { try $0.overwrite() }, \.overwritten)),
        BenchmarkGroup(
          "Compaction while \(size) are overwritten at full speed",
          [
            Benchmark(
              "spending-compaction", name: "processor time for a record that it reads",
              meaning: "of all threads but the one that sets",
              method:
                "Nothing is synced or compressed. What the process takes less what the setting thread takes, by the"
                + " records of the segments that compaction has read meanwhile.", run: compacted.read)
          ]),
      ],
      comparisons("load") + comparisons("overwrite") + [
        Comparison(
          "compaction, a record that it reads", .of("spending-compaction"), limit: .constant(120, .time),
          "allowed", target: .atMost(1))
      ])
  }

  private var bare: Benchmark {
    Benchmark(
      "spending-bare", name: "bare: records copied, and written some at a time", meaning: "and nothing else",
      method:
        "Each record is copied into memory, and what was copied is written once it is as long as a store"
        + " lets it become.", isLimit: true, run: store.append)
  }

  /// The first row does what all of them tell of.
  private func rows(
    _ row: String, _ meaning: String, _ run: @escaping (SpendingStore) throws -> Void,
    _ spent: @escaping (SpendingStore) -> Spending?
  ) -> [Benchmark] {
    func sample(_ part: (Spending) -> UInt64) throws -> Sample {
      guard let spending = spent(store) else { throw Unsupported("it was not measured") }
      return Sample(nanoseconds: part(spending), amount: spending.count)
    }
    return [
      Benchmark(
        "spending-\(row)", name: "set", meaning: meaning, method: "The time of all sets by their number."
      ) {
        try run(store)
        return try sample(\.elapsed)
      },
      Benchmark(
        "spending-\(row)-thread", name: "the same by the thread's processor time",
        meaning: "of the same sets",
        method: "What the thread had a processor for meanwhile."
      ) { try sample(\.thread) },
      Benchmark(
        "spending-\(row)-process", name: "the same by the process's processor time",
        meaning: "with compaction and syncs", method: "What all threads had processors for meanwhile."
      ) { try sample(\.process) },
    ]
  }

  private func comparisons(_ row: String) -> [Comparison] {
    [("", "time"), ("-thread", "thread's processor time"), ("-process", "process's processor time")].map {
      Comparison(
        "\(row), \($0.1)", .of("spending-\(row)\($0.0)"), limit: .of("spending-bare"), "bare append")
    }
  }
}
