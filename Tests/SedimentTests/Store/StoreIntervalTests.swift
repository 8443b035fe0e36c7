import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// What the background syncs, and by when.
@Suite struct StoreIntervalTests {
  private static let path = "/data/store.sediment"
  private let disk = SimulatedDisk(seed: 5)
  private let scheduler = ManualScheduler()

  private func open(_ disk: SimulatedDisk) throws -> SedimentStore {
    try SedimentStore(
      path: Self.path, options: SedimentOptions(durability: .unsynced), disk: disk, scheduler: scheduler)
  }

  private func keysAfterPowerLoss() throws -> [String] {
    let image = disk.afterPowerLoss(.nothing)
    return try open(image).keys().map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `A change with a short interval does not wait for the sync of one with a long interval`() throws
  {
    let store = try open(disk)
    try store.set("1", forKey: "a", durability: .interval(.milliseconds(500)))
    try store.set("2", forKey: "b", durability: .interval(.milliseconds(20)))
    scheduler.advance(by: 19_999_999)
    #expect(try keysAfterPowerLoss() == [])
    scheduler.advance(by: 1)
    #expect(try keysAfterPowerLoss() == ["a", "b"])
  }

  @Test func `A change with a long interval does not put off the sync of one with a short interval`() throws {
    let store = try open(disk)
    try store.set("1", forKey: "a", durability: .interval(.milliseconds(20)))
    scheduler.advance(by: 10_000_000)
    try store.set("2", forKey: "b", durability: .interval(.milliseconds(500)))
    scheduler.advance(by: 10_000_000)
    #expect(try keysAfterPowerLoss() == ["a", "b"])
    try store.set("3", forKey: "c", durability: .interval(.milliseconds(500)))
    scheduler.advance(by: 499_999_999)
    #expect(try keysAfterPowerLoss() == ["a", "b"])
    scheduler.advance(by: 1)
    #expect(try keysAfterPowerLoss() == ["a", "b", "c"])
  }

  @Test func `A synced call that changes nothing waits for the changes that it goes by`() throws {
    let calls: [(SedimentStore) throws -> Bool] = [
      { try !$0.dropCollection("c", durability: .synced) },
      { try !$0.remove(forKey: "gone", durability: .synced) },
      { try !$0.setIfAbsent("2", forKey: "a", durability: .synced) },
      { try !$0.setExpiry(.never, forKey: "gone", durability: .synced) },
      { try !$0.compareAndSet(forKey: "a", expected: [2], new: [3], durability: .synced) },
      { try $0.compareAndSet(forKey: "gone", expected: nil, new: nil, durability: .synced) },
      {
        try $0.update(forKey: "gone", durability: .synced) { _ in nil }
        return true
      },
    ]
    for (number, call) in calls.enumerated() {
      let disk = SimulatedDisk(seed: UInt64(number))
      let store = try open(disk)
      _ = try store.collection("c")
      try store.set("0", forKey: "gone")
      try store.set("1", forKey: "a")
      try store.sync()
      try store.remove(forKey: "gone")
      try store.dropCollection("c")
      #expect(try call(store), "call \(number)")
      let image = try open(disk.afterPowerLoss(.nothing))
      #expect(try image.keys() == [Array("a".utf8)], "call \(number)")
      #expect(image.collectionNames == [], "call \(number)")
    }
  }
}
