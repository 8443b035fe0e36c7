import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Threads that wait for their changes to be on the disk.
@Suite struct StoreConcurrencySyncTests {
  private static let path = "/data/store.sediment"
  private static let threadCount = 16

  private static func open(_ disk: any Disk, _ scheduler: any WorkScheduler) throws -> SedimentStore {
    try SedimentStore(
      path: path, options: SedimentOptions(durability: .unsynced), disk: disk, scheduler: scheduler)
  }

  @Test func `Sixteen threads share two syncs: one that is under way, and one for all who came meanwhile`()
    throws
  {
    let disk = HeldSyncDisk(SimulatedDisk(seed: 1))
    let scheduler = ManualScheduler()
    let store = try Self.open(disk, scheduler)
    try store.set("0", forKey: "before", durability: .synced)
    let syncCount = disk.inner.calls.count { $0.operation == .sync }
    disk.gate.hold()
    let crew = Crew()
    try crew.work { crew in
      crew.start { _ in try store.set("0", forKey: "key:0", durability: .synced) }
      disk.gate.arrived.wait(for: 1)
      let before = store.statistics.sequence
      for thread in 1..<Self.threadCount {
        crew.start { _ in try store.set("\(thread)", forKey: "key:\(thread)", durability: .synced) }
      }
      // All have appended, and wait; none of them is on the disk.
      #expect(eventually { store.statistics.sequence >= before + UInt64(Self.threadCount - 1) })
      let image = try Self.open(disk.inner.afterPowerLoss(.nothing), scheduler)
      #expect(try image.keys() == [Array("before".utf8)])
      disk.gate.released.add()
      disk.gate.arrived.wait(for: 2)
      disk.gate.released.add()
    }
    #expect(disk.inner.calls.count { $0.operation == .sync } == syncCount + 2)
    let image = try Self.open(disk.inner.afterPowerLoss(.nothing), scheduler)
    #expect(try image.count() == 1 + Self.threadCount)
    disk.gate.released.add(100)
    try store.close()
  }

  @Test
  func `What was acknowledged as synced is there after a power failure at any time, whoever shared the sync`()
    throws
  {
    let disk = SimulatedDisk(seed: 2)
    let scheduler = ManualScheduler()
    let store = try Self.open(disk, scheduler)
    let keys = (0..<Self.threadCount).map { VersionedKey($0) }
    let crew = Crew()
    let images = Atomic(0)
    // A failure now and then, while all others go on; one at a time, because it takes the whole history.
    crew.repeating { _, crew in
      let before = keys.map(\.doneVersion)
      let image = try Self.open(disk.afterPowerLoss(.nothing), scheduler)
      for (key, before) in zip(keys, before) {
        let complaint = try key.complaint(image.retrieve(forKey: key.key), before: before)
        if let complaint { crew.complain("after a power failure, \(complaint)") }
      }
      images.add(1, ordering: .relaxed)
    }
    try crew.work { writers in
      for key in keys {
        writers.start { _ in
          for number in 0..<ConcurrencyScale.of(1000) {
            try key.change { value in
              if let value {
                if number % 4 == 0 {
                  try store.batch(durability: .synced) { batch in
                    batch.set(value, forKey: key.key)
                    batch.set("x", forKey: "other:\(key.key)")
                  }
                } else {
                  try store.set(value, forKey: key.key, durability: .synced)
                }
              } else {
                try store.remove(forKey: key.key, durability: .synced)
              }
            }
          }
        }
      }
    }
    #expect(images.load(ordering: .relaxed) > 0)
    try store.close()
  }

  @Test
  func `When a shared sync fails, every thread that waited for it is told, and so is whoever comes later`()
    throws
  {
    let disk = HeldSyncDisk(SimulatedDisk(seed: 3))
    let scheduler = ManualScheduler()
    let store = try Self.open(disk, scheduler)
    try store.set("0", forKey: "before", durability: .synced)
    disk.gate.hold()
    disk.inner.inject(.droppedSync(.inputOutput), only: [.sync])
    let failures = Counter()
    let crew = Crew()
    try crew.work { crew in
      for thread in 0..<Self.threadCount {
        crew.start { crew in
          do {
            try store.set("1", forKey: "key:\(thread)", durability: .synced)
            crew.complain("thread \(thread) was told that its value is on the disk")
          } catch let error as SedimentError {
            if error.code != .outcomeUnknown { crew.complain("\(error)") }
            failures.add()
          }
        }
      }
      disk.gate.arrived.wait(for: 1)
      disk.gate.released.add(100)
    }
    #expect(failures.value == Self.threadCount)
    #expect(throws: SedimentError.self) { try store.set("2", forKey: "later") }
    #expect(throws: SedimentError.self) { try store.sync() }
    #expect(try store.retrieve(forKey: "before", as: String.self) == "0")
    #expect(throws: SedimentError.self) { try store.close() }
    let image = try Self.open(disk.inner.afterPowerLoss(.nothing), scheduler)
    #expect(try image.keys() == [Array("before".utf8)])
  }

  @Test(
    arguments: [(1, 1000, isTold: false), (1200, 1000, isTold: true), (1, 2 << 20, isTold: true)])
  func `A sync that brings much to the medium is told in the log at once, though something followed`(
    valueCount: Int, valueByteCount: Int, isTold: Bool
  ) throws {
    let disk = HeldSyncDisk(SimulatedDisk(seed: 5))
    let scheduler = ManualScheduler()
    let store = try SedimentStore(
      path: Self.path, options: SedimentOptions(durability: .unsynced, compression: .off), disk: disk,
      scheduler: scheduler)
    try store.set("0", forKey: "before", durability: .synced)
    let value = [UInt8](repeating: 1, count: valueByteCount)
    for number in 0..<valueCount { try store.set(value, forKey: "\(number)") }
    disk.gate.hold()
    let crew = Crew()
    try crew.work { crew in
      crew.start { _ in try store.sync() }
      disk.gate.arrived.wait(for: 1)
      try store.set("1", forKey: "behind")
      disk.gate.released.add(100)
    }
    // What recovery writes again: the record behind, and the mark, or everything since the sync before.
    let log = try readLog(disk.inner.afterProcessDeath(), Self.path)
    #expect(log.watermark.generation == log.end.generation)
    let byteCount = log.end.offset.byteOffset - log.watermark.offset.byteOffset
    let behind = UInt64(24 + Mark.recordByteCount)
    #expect(isTold ? byteCount == behind : byteCount > behind + 1000)
    try store.close()
  }
}
