internal import BenchmarkHarness
internal import StoreComparison

/// The slowest of all sets that make a store large, beside the slowest of as many bare appends.
///
/// On a disk a set may have to wait for the file system, whatever the index does; in memory it cannot.
struct GrowthRows {
  private let stores: [Place: GrowingStore]
  private let keyCount: Int
  private let roundCountMax: Int

  /// Where a store lies.
  private enum Place: String {
    case disk
    case memory

    var text: String { self == .disk ? "on the disk" : "in a file system in memory" }
  }

  /// `memoryDirectory` lies in a file system without a disk; nil if there is none.
  init(_ scale: EngineScale, directory: String, memoryDirectory: String?) {
    let keys = BenchmarkKeys.stored(count: scale.growthKeyCount, seed: 61)
    var stores = [Place.disk: GrowingStore(keys, directory: directory)]
    stores[.memory] = memoryDirectory.map { GrowingStore(keys, directory: $0) }
    self.stores = stores
    keyCount = scale.growthKeyCount
    roundCountMax = scale.slowRoundCount
  }

  var section: Section {
    Section([group(.memory), group(.disk)], comparisons(.memory) + comparisons(.disk))
  }

  private func group(_ place: Place) -> BenchmarkGroup {
    BenchmarkGroup(
      "Growing to \(countText(keyCount)) keys \(place.text), values of \(GrowingStore.valueByteCount) B",
      [
        row(
          "longest-append", place, "bare: longest copy into a mapped file", "what the machine holds up",
          "Each record is copied into the mapping of a file with reserved blocks and timed by itself.",
          isLimit: true
        ) { try $0.append() },
        row(
          "longest-set", place, "longest set", "of keys that are new, nothing synced",
          "Each set is timed by itself; then all keys are read."
        ) { try $0.grow() },
        row(
          "longest-growth", place, "longest set where the index grew", "among the 64 around that set",
          "The longest of the sets in those groups of 64 after which the index had another size."
        ) { try $0.growIndex() },
        row(
          "longest-growth-processor", place, "the same by processor time",
          "without waiting for other programs",
          "The time that the thread had a processor for during each of the sets in those groups."
        ) { try $0.growIndexByProcessor() },
        row(
          "largest-index", place, "index memory a key, at most", "from 1,000,000 keys on",
          "statistics.indexByteCount by the number of keys, whenever it has grown.", quantity: .size
        ) { try $0.index() },
        row(
          "grown-open", place, "open of what has grown, after a clean close",
          "until the first value is there",
          "Closes the store, which stores its index, opens it again and reads a value; then all keys are read."
        ) { try $0.opening() },
      ])
  }

  private func row(
    _ row: String, _ place: Place, _ name: String, _ meaning: String, _ method: String,
    quantity: Quantity = .time, isLimit: Bool = false, _ run: @escaping (GrowingStore) throws -> Sample
  ) -> Benchmark {
    let store = stores[place]
    return Benchmark(
      self.name(row, place), name: name, meaning: meaning, method: method, quantity: quantity,
      isLimit: isLimit, roundCountMax: roundCountMax
    ) {
      guard let store else { throw Unsupported("there is no file system in memory") }
      return try run(store)
    }
  }

  private func name(_ row: String, _ place: Place) -> String { "\(row)-\(place.rawValue)" }

  private func comparisons(_ place: Place) -> [Comparison] {
    func of(_ row: String) -> Comparison.Measure { .of(name(row, place)) }
    return [
      Comparison(
        "longest set \(place.text)", of("longest-set"), limit: of("longest-append"), "longest bare append"),
      Comparison(
        "where the index grew", of("longest-growth-processor"), limit: .constant(5_000_000, .time), "allowed",
        target: .atMost(1)),
      Comparison(
        "index memory a key, at most", of("largest-index"), limit: .constant(14, .size), "allowed",
        target: .atMost(1)),
    ]
  }
}
