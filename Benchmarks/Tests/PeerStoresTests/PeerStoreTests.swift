import BenchmarkHarness
import Foundation
import PeerStores
import StoreComparison
import Testing

@Suite struct PeerStoreTests {
  @Test func `all six are there, with their versions and reasons`() {
    #expect(peers.map(\.name) == ["Kyoto Cabinet", "TKRZW", "LMDB", "LevelDB", "RocksDB", "SQLite"])
    for peer in peers {
      #expect(peer.version.contains { $0.isNumber }, "\(peer.name)")
      #expect(!peer.settings.isEmpty, "\(peer.name)")
    }
  }

  @Test(arguments: peers)
  func `each does what it is asked, and is verified`(peer: Contender) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var test = StoreTest([peer], folder: folder)
    test.keyCount = 500
    test.roundCount = 1
    let report = try test.run()
    let missing = report.groups.flatMap(\.rows).filter { $0.samples.isEmpty }.map(\.identifier)
    let hasPlaces = ["LMDB", "RocksDB", "SQLite"].contains(peer.name)
    let hasBatches = peer.name == "RocksDB"
    #expect(missing.contains { $0.contains("in-place") } != hasPlaces)
    #expect(missing.contains { $0.contains("batched") } != hasBatches)
    #expect(missing.count == (hasPlaces ? 0 : 1) + (hasBatches ? 0 : 1), "\(missing)")
  }

  @Test(arguments: peers)
  func `what cannot be opened is an error that names the engine`(peer: Contender) throws {
    let error = #expect(throws: (any Error).self) {
      _ = try peer.open(StorePlace(folder: "/dev/null/nowhere", keyCount: 10))
    }
    #expect("\(try #require(error))".hasPrefix(peer.name))
  }
}
