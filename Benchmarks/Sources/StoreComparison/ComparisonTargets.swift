internal import BenchmarkHarness

/// What the first contender is to reach beside the others.
struct ComparisonTargets {
  private let own: Contender
  private let peers: [Contender]

  /// Targets of the first of the contenders; none where it is alone.
  init(_ contenders: [Contender]) {
    own = contenders[0]
    peers = Array(contenders.dropFirst())
  }

  /// The targets of a part of the comparison.
  func comparisons(_ part: Options.Part) -> [Comparison] {
    guard !peers.isEmpty else { return [] }
    switch part {
    case .stores:
      return [
        fastest("load", "100-load", .atLeast(4)),
        beside("LMDB", "load", "100-load", .atLeast(10)),
        fastest("overwrite", "100-overwrite", .atLeast(1.3)),
        fastest("retrieve into a reused buffer", "100-retrieve", .atLeast(2)),
        beside("LMDB", "retrieve into a reused buffer", "100-retrieve", .atLeast(2.5)),
        beside("RocksDB", "retrieve into a reused buffer", "100-retrieve", .atLeast(10)),
        Comparison(
          "retrieve in place", figure("100-in-place"),
          limit: .best(identifiers("100-in-place") + identifiers("100-retrieve")), "fastest peer in any way",
          target: .atLeast(2.8)),
        Comparison(
          "batched in place", figure("100-batched"), limit: figure("100-in-place"), "one by one",
          target: .atLeast(3)),
        fastest("half retrieve, half set", "100-mixed", nil),
        beside("LMDB", "open after a close", "100-open", .atMost(5)),
      ].compactMap(\.self)
    case .json:
      return [beside("RocksDB", "file after compacting, JSON", "json-compacted-size", .atMost(1.25))]
        .compactMap(\.self)
    case .memory:
      let cached = peers.filter { ["LevelDB", "RocksDB", "SQLite"].contains($0.name) }
      guard !cached.isEmpty else { return [] }
      return [
        Comparison(
          "memory", figure("memory-memory"), limit: .best(cached.map { "memory-memory-\($0.identifier)" }),
          "least of those that cache", target: .atMost(1))
      ]
    case .waiting:
      return [
        fastest("synced set", "synced-synced-1", .atLeast(1)),
        fastest("synced sets, 16 threads", "synced-synced-16", .atLeast(1.5)),
      ]
    default: return []
    }
  }

  private func fastest(_ name: String, _ row: String, _ target: Comparison.Target?) -> Comparison {
    Comparison(name, figure(row), limit: .best(identifiers(row)), "fastest peer", target: target)
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
