internal import CPeers
public import StoreComparison

/// The other engines, those first that are most like ours.
public let peers: [Contender] = unsafe [
  contender(peer_kyoto), contender(peer_tkrzw), contender(peer_lmdb), contender(peer_leveldb),
  contender(peer_rocksdb), contender(peer_sqlite),
]

private func contender(_ functions: peer_engine) -> Contender {
  let engine = unsafe PeerEngine(functions: functions)
  let settings = unsafe String(cString: functions.settings).split(separator: "\n").map(String.init)
  let version = unsafe functions.version().map { unsafe String(cString: $0) } ?? "unknown"
  return unsafe Contender(String(cString: functions.name), version: version, settings: settings) {
    try PeerStore(engine, at: $0)
  }
}

/// The functions of an engine, which are the same for the life of the process.
@safe struct PeerEngine: @unchecked Sendable {
  let functions: peer_engine
}
