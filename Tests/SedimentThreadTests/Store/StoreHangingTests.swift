import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Stores whose disks or observers hang, and another store of the process.
@Suite struct StoreHangingTests {
  private static let path = "/data/store.sediment"
  private let pool = WorkPool(
    placeCount: 4, placeNanoseconds: 1_000_000, threadCountMax: 64, idleNanoseconds: 1_000_000_000)

  private func open(
    _ disk: any Disk, observer: (@Sendable (SedimentEvent) -> Void)? = nil
  ) throws -> SedimentStore {
    var options = SedimentOptions(durability: .interval(.zero), compression: .off)
    options.observer = observer
    return try SedimentStore(path: Self.path, options: options, disk: disk, scheduler: pool)
  }

  /// Expects that a store of the pool syncs and compacts by itself.
  private func expectBackgroundWork() throws {
    let store = try open(SimulatedDisk(seed: 100))
    let syncCount = store.statistics.syncCount
    try store.set("value", forKey: "key")
    #expect(eventually { store.statistics.syncCount > syncCount })
    // 2.7 MB of these are dead then, and no change of the caller wins them back.
    let value = [UInt8](repeating: 7, count: 10_000)
    for number in 0..<300 { try store.set(value, forKey: "\(number)") }
    for number in 0..<300 where number % 10 != 0 { try store.remove(forKey: "\(number)") }
    #expect(
      eventually { store.statistics.deadByteCount < 1 << 20 },
      "\(store.statistics), \(pool.threadCount) threads, \(pool.waitingCount) jobs wait")
    try store.close()
  }

  @Test func `Four stores whose syncs hang keep a fifth from neither syncing nor compacting`() throws {
    let disks = try (0..<4).map { number in
      let disk = HeldSyncDisk(SimulatedDisk(seed: UInt64(number)))
      try open(disk).close()
      return disk
    }
    let stores = try disks.map { disk in
      let store = try open(disk)
      try store.set("value", forKey: "key")
      try store.sync()
      disk.gate.hold()
      return store
    }
    for store in stores { try store.set("another value", forKey: "key") }
    for disk in disks { disk.gate.arrived.wait(for: 1) }
    try expectBackgroundWork()
    for (store, disk) in zip(stores, disks) {
      #expect(store.statistics.syncingNanoseconds == 0)
      disk.inner.advanceClocks(by: .seconds(5))
      #expect(store.statistics.syncingNanoseconds == 5_000_000_000)
      disk.gate.released.add(1000)
      try store.close()
      #expect(store.statistics.syncingNanoseconds == 0)
    }
  }

  @Test func `Observers that block keep no other store from syncing and compacting`() throws {
    let entered = Counter()
    let mayEnd = Counter()
    let stores = try (0..<4).map { number in
      try open(SimulatedDisk(seed: UInt64(number))) { _ in
        entered.add()
        mayEnd.wait(for: 1)
      }
    }
    entered.wait(for: 4)
    try expectBackgroundWork()
    mayEnd.add()
    for store in stores { try store.close() }
  }
}
