import Sediment
import SedimentDisk
import SedimentTesting
import Testing

/// Records that are long, and logs that are.
struct StoreLongRecordTests {
  @Test func `What is longer than a few pages is written by a call, the rest is stored`() throws {
    let fixture = try StoreFixture()
    func calls(_ byteCount: Int) throws -> Int {
      let before = fixture.disk.callCount
      for number in 0..<40 { try fixture.store.set(pattern(byteCount, number), forKey: "key \(number)") }
      return fixture.disk.callCount - before
    }
    // So that both find a file that has grown.
    _ = try calls(20_000)
    #expect(try calls(12_000) < 40)
    #expect(try calls(13_000) >= 40)
    try fixture.reopen()
    for number in 0..<40 {
      #expect(try same(fixture.store.retrieve(forKey: "key \(number)"), pattern(13_000, number)))
    }
  }

  @Test func `Short and long records alternate, and all are there`() throws {
    let fixture = try StoreFixture()
    for number in 0..<300 {
      try fixture.store.set(pattern(number % 3 == 0 ? 30_000 : 100, number), forKey: "key \(number)")
      _ = fixture.scheduler.advance(by: 1_000_000)
    }
    for _ in 0..<2 {
      for number in 0..<300 {
        let expected = pattern(number % 3 == 0 ? 30_000 : 100, number)
        #expect(try same(fixture.store.retrieve(forKey: "key \(number)"), expected))
      }
      try fixture.reopen()
    }
  }

  @Test(arguments: [SedimentDurability.unsynced, .interval(.seconds(3_600))])
  func `A log that is to be synced is synced after some megabytes`(durability: SedimentDurability) throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    let scheduler = ManualScheduler()
    let options = SedimentOptions(
      durability: durability, compaction: .off, compression: .off, storesIndex: false)
    let store = try SedimentStore(
      path: directory["store"], options: options, disk: SystemDisk(), scheduler: scheduler)
    for number in 0..<700 { try store.set(pattern(100_000), forKey: "key \(number)") }
    let before = store.statistics.syncCount
    while scheduler.runDue() > 0 {}
    #expect((store.statistics.syncCount > before) == (durability != .unsynced))
    try store.close()
  }
}
