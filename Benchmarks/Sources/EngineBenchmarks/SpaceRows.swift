internal import BenchmarkHarness
internal import MachineLimits
internal import StoreComparison

/// A store all of whose keys are overwritten again and again, and one that serves as a cache.
struct SpaceRows {
  private let stores: [Load: OverwrittenStore]
  private let cache: CacheStore
  private let scale: EngineScale

  /// How the keys are chosen that are overwritten, and whether as fast as can be.
  private enum Load: String, CaseIterable {
    case uniform
    case hot
    case paced

    var text: String {
      switch self {
      case .uniform: "uniformly"
      case .hot: "a fifth of them four times in five"
      case .paced: "uniformly, \(countText(Load.pacedCount)) a second"
      }
    }

    /// About half of what one thread can.
    static let pacedCount = 400_000
  }

  init(_ scale: EngineScale, directory: String) throws {
    self.scale = scale
    stores = Dictionary(
      uniqueKeysWithValues: Load.allCases.map { load in
        let store = OverwrittenStore(
          scale, named: load.rawValue, isHot: load == .hot,
          countASecond: load == .paced ? Load.pacedCount : nil, directory: directory)
        return (load, store)
      })
    cache = CacheStore(scale, directory: directory)
  }

  var section: Section {
    Section(
      Load.allCases.map { group($0) } + [cacheGroup],
      Load.allCases.flatMap { comparisons($0) } + [
        Comparison(
          "hit ratio of a cache", .of("cache-hits"), limit: .of("cache-lru"), "exact LRU of as many bytes",
          target: .atLeast(0.96))
      ])
  }

  private func group(_ load: Load) -> BenchmarkGroup {
    BenchmarkGroup(
      "Overwriting \(countText(scale.keyCount)) keys for \(Int(scale.overwritingSeconds.rounded(.up))) s, \(load.text)",
      [
        row(
          "overwriting-bare-late", load, "bare: append, 99.99 %", "a mapped file, synced by another thread",
          "Each record is copied into the mapping of a file with reserved blocks and timed by itself, while a"
            + " thread syncs the file again and again; at a rate from when it was due.", isLimit: true
        ) { try $0.append() },
        row(
          "overwriting-late", load, "set, 99.99 %", "while compaction runs",
          "Each set is timed by itself, at a rate from when it was due; of ten thousand, one took longer."
        ) { try $0.overwrite() },
        row(
          "overwriting-set", load, "set", "all of them by the whole time", "The same by their number."
        ) { try $0.mean() },
        row(
          "overwriting-disk", load, "disk a byte of keys and values, at most", "looked at each 4,096 sets",
          "The blocks that the file has of the disk by the bytes of keys and values.", .size
        ) { try $0.largest() },
        row(
          "overwriting-amplification", load, "written a byte that was set", "what compaction moves as well",
          "The bytes of records that were appended or moved by those that were appended.", .size
        ) { try $0.amplification() },
      ])
  }

  private var cacheGroup: BenchmarkGroup {
    let name = "A cache of a tenth of \(countText(scale.keyCount)) records, asked by Zipf's law (0.99)"
    let method = "A key that is missing is set. Counted from the second third of the requests on."
    return BenchmarkGroup(
      name,
      [
        Benchmark(
          "cache-lru", name: "bare: an exact LRU", meaning: "of records of as many bytes", method: method,
          quantity: .share, isLimit: true, roundCountMax: 1
        ) { try cache.leastRecentlyUsed() },
        Benchmark(
          "cache-hits", name: "hits", meaning: "the file never exceeds its cap", method: method,
          quantity: .share, roundCountMax: 1
        ) { try cache.hits() },
        Benchmark(
          "cache-request", name: "request", meaning: "a retrieval in place, and a set where it missed",
          method: method, roundCountMax: 1
        ) { try cache.time() },
      ])
  }

  private func row(
    _ row: String, _ load: Load, _ name: String, _ meaning: String, _ method: String,
    _ quantity: Quantity = .time, isLimit: Bool = false,
    _ run: @escaping (OverwrittenStore) throws -> Sample
  ) -> Benchmark {
    let store = stores[load]
    return Benchmark(
      "\(row)-\(load.rawValue)", name: name, meaning: meaning, method: method, quantity: quantity,
      isLimit: isLimit, roundCountMax: 1
    ) {
      guard let store else { throw Unsupported("there is no such store") }
      return try run(store)
    }
  }

  private func comparisons(_ load: Load) -> [Comparison] {
    func of(_ row: String) -> Comparison.Measure { .of("\(row)-\(load.rawValue)") }
    return [
      Comparison(
        "set while compaction runs, 99.99 %, \(load.rawValue)", of("overwriting-late"),
        limit: of("overwriting-bare-late"), "bare append", target: .atMost(3)),
      Comparison(
        "disk a byte of keys and values", of("overwriting-disk"), limit: .constant(1.6, .size), "allowed",
        target: .atMost(1)),
      Comparison(
        "written a byte", of("overwriting-amplification"), limit: .constant(2.4, .size), "allowed",
        target: .atMost(1)),
    ]
  }
}
