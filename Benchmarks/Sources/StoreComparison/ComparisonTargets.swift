internal import BenchmarkHarness

/// What the store of this package is to reach beside the others, as it opens by default and in its plainest form.
struct ComparisonTargets {
  /// What a read from memory that waits for the one before takes where the targets of processor time were set.
  private static let readNanoseconds = 180.0
  private static let overwriteProcessorNanoseconds = 900.0

  private let own: Contender
  /// The same store without what costs the default one time; nil where it does not take part.
  private let plain: Contender?
  private let peers: [Contender]

  /// Targets of the first of the contenders, and of those whose names begin with its name and a comma.
  init(_ contenders: [Contender]) {
    own = contenders[0]
    let isOwn = { (other: Contender) in other.name.hasPrefix("\(contenders[0].name),") }
    plain = contenders.first { isOwn($0) && $0.repeats == nil }
    peers = contenders.dropFirst().filter { !isOwn($0) }
  }

  /// The targets of a part of the comparison.
  func comparisons(_ part: Options.Part) -> [Comparison] {
    alone(part) + besideOthers(part)
  }

  /// What takes no others.
  private func alone(_ part: Options.Part) -> [Comparison] {
    switch part {
    case .steady: [overwriting]
    case .stores: [batched]
    default: []
    }
  }

  private var overwriting: Comparison {
    Comparison(
      "processor time of an overwrite, with defaults",
      .processor(of: "100-overwrite-\(own.identifier)"),
      limit: .scaled(
        ComparisonTargets.overwriteProcessorNanoseconds, by: MachineRow.read,
        reference: ComparisonTargets.readNanoseconds), "900 ns where a DRAM read takes 180",
      target: .atMost(1))
  }

  private var batched: Comparison {
    Comparison(
      "batched in place", figure("100-batched"), limit: figure("100-in-place"), "one by one",
      target: .atLeast(2.5))
  }

  private func besideOthers(_ part: Options.Part) -> [Comparison] {
    guard !peers.isEmpty else { return [] }
    let comparisons: [Comparison?] =
      switch part {
      case .stores: stores
      case .steady: steady
      case .processor:
        [
          fastest("overwrite, one processor", "100-one-processor-overwrite", .atLeast(1 / 1.15)),
          fastest("half retrieve, half set, one processor", "100-one-processor-mixed", nil),
        ]
      case .json: [beside("RocksDB", "file after compacting, JSON", "json-compacted-size", .atMost(1.25))]
      case .memory: [memory]
      case .waiting:
        [
          fastest("synced set", "synced-synced-1", .atLeast(1)),
          fastest("synced sets, 16 threads", "synced-synced-16", .atLeast(1.5)),
        ]
      default: []
      }
    return comparisons.compactMap(\.self)
  }

  private var stores: [Comparison?] {
    [
      fastest("load, one by one, with defaults", "100-load", .atLeast(1.6)),
      plain.map { fastest("load, one by one, unsynced", "100-load", .atLeast(2), of: $0) },
      fastest("load in batches", "100-load-batches", nil),
      fastest("retrieve into a reused buffer", "100-retrieve", .atLeast(1.3)),
      beside("LMDB", "retrieve into a reused buffer", "100-retrieve", .atLeast(2.5)),
      Comparison(
        "retrieve in place", figure("100-in-place"),
        limit: .best(identifiers("100-in-place") + identifiers("100-retrieve")), "fastest peer in any way"),
      beside("LMDB", "open after a close", "100-open", .atMost(5)),
    ]
  }

  private var steady: [Comparison?] {
    [
      fastest("overwrite, one by one, with defaults", "100-overwrite", .atLeast(1)),
      plain.map { fastest("overwrite, one by one, unsynced", "100-overwrite", nil, of: $0) },
      fastest("overwrite with a sync each second", "100-overwrite-synced", nil),
      fastest("half retrieve, half set", "100-mixed", nil),
      Comparison(
        "disk while overwriting, at most", figure("100-space-peak"), limit: .constant(1.6, .size), "allowed",
        target: .atMost(1)),
    ]
  }

  private var memory: Comparison? {
    let cached = peers.filter { ["LevelDB", "RocksDB", "SQLite"].contains($0.name) }
    guard !cached.isEmpty else { return nil }
    return Comparison(
      "memory", figure("memory-memory"), limit: .best(cached.map { "memory-memory-\($0.identifier)" }),
      "least of those that cache", target: .atMost(1))
  }

  private func fastest(
    _ name: String, _ row: String, _ target: Comparison.Target?, of contender: Contender? = nil
  ) -> Comparison {
    Comparison(
      name, .of("\(row)-\((contender ?? own).identifier)"), limit: .best(identifiers(row)), "fastest peer",
      target: target)
  }

  private func beside(
    _ peer: String, _ name: String, _ row: String, _ target: Comparison.Target
  ) -> Comparison? {
    guard let peer = peers.first(where: { $0.name == peer }) else { return nil }
    return Comparison(
      name, figure(row), limit: .of("\(row)-\(peer.identifier)"), peer.name, target: target)
  }

  private func figure(_ row: String) -> Comparison.Measure { .of("\(row)-\(own.identifier)") }

  private func identifiers(_ row: String) -> [String] { peers.map { "\(row)-\($0.identifier)" } }
}
