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
    test.secondsMax = 0.01
    let report = try test.run()
    let missing = report.groups.flatMap(\.rows).filter {
      $0.samples.isEmpty && !$0.identifier.contains("-written-")
    }
    .map(\.identifier)
    let hasPlaces = peer.name != "LevelDB"
    let readsMany = ["TKRZW", "RocksDB"].contains(peer.name)
    let hasBatches = !["Kyoto Cabinet", "TKRZW"].contains(peer.name)
    #expect(missing.contains { $0.contains("in-place") } != hasPlaces)
    #expect(missing.contains { $0.contains("batched") } != readsMany)
    #expect(missing.count { $0.contains("batches") } == (hasBatches ? 0 : 2))
    #expect(missing.count == (hasPlaces ? 0 : 1) + (readsMany ? 0 : 1) + (hasBatches ? 0 : 2), "\(missing)")
  }

  @Test(arguments: peerVariants.indices)
  func `each variant does what it is asked, and survives being closed`(number: Int) throws {
    let engine = peerVariants[number]
    #expect(Set(engine.variants.map(\.name)).count == engine.variants.count)
    #expect(engine.variants.contains { $0.name == engine.chosen })
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let sheet = ComparisonSheet(
      engine.name, DataSet("sweep", keyCount: 500, valueByteCount: 100, drawCount: 2),
      [.reading, Life([.overwrite]), Life([.overwriteSynced]), Life([.mixed(.even)]), Life([.remove])],
      contenders: engine.variants, sampleCountMax: 200, timing: .scaled(toSeconds: 0.01), directory: folder,
      program: "")
    let groups = try sheet.section.measured(roundCount: 1).groups
    for row in groups.flatMap(\.rows) where !["in-place", "batched"].contains(where: row.identifier.contains)
    {
      #expect(row.unsupported == nil, "\(engine.name), \(row.name)")
    }
  }

  private func inFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
  }

  @Test(arguments: peers)
  func `one that has settled has nothing left to do`(peer: Contender) throws {
    try inFolder { folder in
      let data = DataSet("settled", keyCount: 300_000, valueByteCount: 500, hasOthers: false)
      let store = try peer.open(StorePlace(folder: folder, keyCount: data.keyCount))
      try store.fill(data.keys[...], data.value, 0)
      try store.settle()
      #expect(store.pendingWork() == 0)
      try store.close()
    }
  }

  @Test(arguments: peers)
  func `values of all lengths come one after another into one buffer, which keeps its room`(peer: Contender)
    throws
  {
    try inFolder { folder in
      let data = DataSet("lengths", keyCount: 200, sizes: ValueSizes(), drawCount: 0)
      let lengths = data.loadedByteCounts ?? []
      let store = try peer.open(StorePlace(folder: folder, keyCount: data.keyCount))
      try store.setEachSized(data.keys[...], lengths[...], data.value, 0)
      var value = data.value
      var buffer: [UInt8] = []
      var capacity = 0
      for (key, length) in zip(data.keys, lengths) {
        unsafe value.withUnsafeMutableBytes { bytes in
          unsafe mark(UnsafeMutableRawBufferPointer(rebasing: bytes[..<Int(length)]), key.word)
        }
        #expect(try store.retrieveValue(key, &buffer))
        #expect(buffer == Array(value.prefix(Int(length))))
        #expect(buffer.capacity >= capacity)
        capacity = buffer.capacity
      }
      try store.close()
    }
  }

  @Test
  func `RocksDB has a dictionary, as the store of this package has: JSON is less than four tenths of itself`()
    throws
  {
    let rocks = try #require(peers.first { $0.name == "RocksDB" })
    try inFolder { folder in
      let sheet = ComparisonSheet(
        "JSON", DataSet("json", jsonCount: 50_000), [Life([.load, .retrieve, .compactedSize])],
        contenders: [rocks],
        sampleCountMax: 50_000, timing: .quick, directory: folder, program: "")
      let size = try #require(
        try sheet.section.measured(roundCount: 1).groups.last?.rows.first?.statistics?.median)
      #expect(size < 0.42)
    }
  }

  @Test(arguments: peerVariants.indices)
  func `each variant opens with little memory what it has stored with much`(number: Int) throws {
    let engine = peerVariants[number]
    for variant in engine.variants {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let data = DataSet("limited", keyCount: 500, valueByteCount: 100, hasOthers: false)
      let store = try variant.open(StorePlace(folder: folder, keyCount: 500, isMemoryLimited: true))
      try store.fill(data.keys[...], data.value, 0)
      try store.settle()
      try store.close()
      let limited = try variant.open(StorePlace(folder: folder, keyCount: 500, memoryByteCount: 64 << 20))
      #expect(try limited.countWrongRetrieved(data.shuffled[...], 0) == 0, "\(engine.name), \(variant.name)")
      try limited.close()
    }
  }

  private static let keptSweep = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Kept/sweep.json").standardizedFileURL

  @Test(.enabled(if: FileManager.default.fileExists(atPath: keptSweep.path), "no sweep was kept yet"))
  func `each takes part in the variant that is the best of the kept sweep`() throws {
    let sweep = try Sweep(json: Data(contentsOf: PeerStoreTests.keptSweep))
    #expect(!sweep.isQuick)
    for engine in peerVariants {
      let kept = try #require(sweep.engine(engine.name), "\(engine.name)")
      #expect(kept.best?.name == engine.chosen, "\(engine.name)")
      #expect(kept.variants.map(\.name) == engine.variants.map(\.name), "\(engine.name): sweep again")
    }
  }

  @Test(arguments: peers)
  func `what cannot be opened is an error that names the engine`(peer: Contender) throws {
    let error = #expect(throws: (any Error).self) {
      _ = try peer.open(StorePlace(folder: "/dev/null/nowhere", keyCount: 10))
    }
    #expect("\(try #require(error))".hasPrefix(peer.name))
  }
}
