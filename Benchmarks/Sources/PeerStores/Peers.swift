internal import CPeers
public import StoreComparison

/// The other engines, those first that are most like ours, each in the variant that is the best of the kept sweep.
public let peers: [Contender] = engines.map { engine in
  engine.contender(engine.name, variant: engine.chosenVariant, saying: [engine.variantSentence])
}

/// All variants of each of the other engines, of which a sweep finds the best.
public let peerVariants: [SweptEngine] = engines.map { engine in
  SweptEngine(
    name: engine.name, chosen: engine.variants[engine.chosenVariant],
    variants: engine.variants.enumerated().map { number, name in
      engine.contender(name, variant: number, saying: [])
    })
}

private let engines = unsafe [peer_kyoto, peer_tkrzw, peer_lmdb, peer_leveldb, peer_rocksdb, peer_sqlite]
  .map { unsafe PeerEngine(functions: $0) }

/// The functions of an engine, which are the same for the life of the process.
@safe struct PeerEngine: @unchecked Sendable {
  let functions: peer_engine

  var name: String { unsafe String(cString: functions.name) }

  var chosenVariant: Int { unsafe functions.chosen }

  /// What tells the variants from each other.
  var variants: [String] {
    var names: [String] = []
    while let name = unsafe functions.variant(names.count) { names.append(unsafe String(cString: name)) }
    return names
  }

  var variantSentence: String {
    "The best of \(variants.count) variants in a sweep: \(variants[chosenVariant])."
  }

  func contender(_ name: String, variant: Int, saying sentences: [String]) -> Contender {
    let settings = unsafe String(cString: functions.settings).split(separator: "\n").map(String.init)
    let version = unsafe functions.version().map { unsafe String(cString: $0) } ?? "unknown"
    return Contender(name, version: version, settings: sentences + settings) {
      try PeerStore(self, variant: variant, at: $0)
    }
  }
}
