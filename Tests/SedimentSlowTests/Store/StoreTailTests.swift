import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// What happens where a segment has hardly any room left.
@Suite struct StoreTailTests {
  private static let path = "/data/store.sediment"

  /// Opens a store whose segment has so many bytes left behind one record, or a few less.
  private func store(on disk: SimulatedDisk, valueByteCount: Int) throws -> SedimentStore {
    let options = SedimentOptions(durability: .unsynced)
    let store = try SedimentStore(path: Self.path, options: options, disk: disk, scheduler: ManualScheduler())
    try store.set([UInt8](repeating: 7, count: valueByteCount), forKey: "a")
    return store
  }

  /// What is done when the room runs out, by name.
  static let calls: [(name: String, call: @Sendable (SedimentStore) throws -> Void)] = [
    ("close", { try $0.close() }),
    ("checkpoint", { try $0.checkpoint() }),
    ("sync", { try $0.sync() }),
    ("collection", { try $0.collection("c").set("1", forKey: "d") }),
    ("clear", { try $0.removeAll() }),
    ("everything", { try $0.removeEverything() }),
    ("remove", { try $0.remove(forKey: "a") }),
    (
      "batch",
      {
        try $0.batch { batch in
          batch.set("1", forKey: "b")
          batch.remove(forKey: "a")
        }
      }
    ),
  ]

  @Test(arguments: calls.indices)
  func `Whatever comes at whichever end of a segment, the store opens again and holds the same`(
    _ number: Int
  ) throws {
    for valueByteCount in stride(from: 15_700, to: 16_300, by: 8) {
      let place = "\(Self.calls[number].name) behind a value of \(valueByteCount) bytes"
      let disk = SimulatedDisk(SimulatedDiskOptions(seed: 3, fileByteCountMax: 1 << 20))
      let store = try store(on: disk, valueByteCount: valueByteCount)
      try Self.calls[number].call(store)
      let isClosed = Self.calls[number].name == "close"
      let keys = isClosed ? [Array("a".utf8)] : try store.keys()
      // As a crash would find it, and after a close.
      let crashed = try SedimentStore(path: Self.path, disk: disk.afterProcessDeath())
      #expect(try crashed.keys() == keys, "\(place)")
      try store.close()
      let closed = try SedimentStore(path: Self.path, disk: disk)
      #expect(closed.recovery.wasClosed, "\(place)")
      #expect(try closed.keys() == keys, "\(place)")
    }
  }
}
