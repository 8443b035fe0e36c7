internal import BenchmarkHarness

/// The slowest of all sets that make a store large, beside the slowest of as many bare appends.
struct GrowthRows {
  private let store: GrowingStore
  private let keyCount: Int
  private let roundCountMax: Int

  init(_ scale: EngineScale, directory: String) {
    store = GrowingStore(scale, directory: directory)
    keyCount = scale.growthKeyCount
    roundCountMax = scale.slowRoundCount
  }

  var section: Section {
    Section(
      [
        BenchmarkGroup(
          "Growing to \(countText(keyCount)) keys, values of \(GrowingStore.valueByteCount) B: the longest of all",
          [
            row(
              "longest-append", "bare: copies into a mapped file", "what the machine holds up",
              "Each record is copied into the mapping of a file with reserved blocks and timed by itself.",
              isLimit: true, store.append),
            row(
              "longest-set", "set, while the index grows", "keys that are new",
              "Each set is timed by itself, nothing is synced; then all keys are read.", store.grow),
            row(
              "longest-overwrite", "set, while it does not", "the same keys again",
              "The same sets once more: whatever the index does when it grows, it does not do then.",
              store.overwrite),
            row(
              "largest-index", "index memory a key, at most", "from 1,000,000 keys on",
              "statistics.indexByteCount by the number of keys after each 10,000 of those sets.",
              quantity: .size, store.index),
          ])
      ], comparisons)
  }

  private func row(
    _ identifier: String, _ name: String, _ meaning: String, _ method: String, quantity: Quantity = .time,
    isLimit: Bool = false, _ run: @escaping () throws -> Sample
  ) -> Benchmark {
    Benchmark(
      identifier, name: name, meaning: meaning, method: method, quantity: quantity, isLimit: isLimit,
      roundCountMax: roundCountMax, run: run)
  }

  private var comparisons: [Comparison] {
    [
      Comparison(
        "longest set while it grows", .of("longest-set"), limit: .constant(5_000_000, .time), "allowed",
        target: .atMost(1)),
      Comparison("", .of("longest-set"), limit: .of("longest-append"), "longest bare append"),
      Comparison("", .of("longest-set"), limit: .of("longest-overwrite"), "longest overwriting set"),
      Comparison(
        "index memory a key, at most", .of("largest-index"), limit: .constant(14, .size), "allowed",
        target: .atMost(1)),
    ]
  }
}
