import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// What an observer is told.
struct StoreObserverTests {
  @Test func `Opening is told soon, and closing before it returns`() throws {
    let fixture = try StoreFixture(isObserved: true)
    fixture.scheduler.runDue()
    #expect(fixture.events.all == ["recovered"])
    try fixture.close()
    #expect(fixture.events.all == ["recovered", "closed"])
  }

  @Test func `Dropping a store tells that it was closed`() throws {
    let fixture = try StoreFixture(isObserved: true)
    fixture.drop()
    #expect(fixture.events.all == ["recovered", "closed"])
  }

  @Test func `The report of recovery is the one that the store has`() throws {
    let disk = SimulatedDisk(seed: 1)
    let first = try StoreFixture(on: disk)
    try first.store.set("value", forKey: "key")
    let told = Mutex<RecoveryReport?>(nil)
    let scheduler = ManualScheduler()
    let options = SedimentOptions { event in
      if case .recovered(let report) = event { told.withLock { $0 = report } }
    }
    let store = try SedimentStore(
      path: StoreFixture.path, options: options, disk: disk.afterProcessDeath(), scheduler: scheduler)
    scheduler.runDue()
    #expect(told.withLock { $0 } == store.recovery)
    #expect(!store.recovery.wasClosed)
    #expect(store.recovery.isDurable)
    #expect(store.recovery.scannedRecordCount > 0)
  }

  @Test(arguments: accesses)
  func `Each sync is told, with its time`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access, isObserved: true)
    try fixture.store.set("1", forKey: "key")
    try fixture.store.sync()
    try fixture.store.set("2", forKey: "key", durability: .synced)
    fixture.scheduler.runDue()
    #expect(fixture.events.all == ["recovered", "synced", "synced"])
    try fixture.store.set("3", forKey: "key", durability: .interval(.milliseconds(1)))
    fixture.scheduler.advance(by: 1_000_000)
    #expect(fixture.events.count("synced") == 3)
  }

  @Test(arguments: accesses)
  func `Each segment that is full is told`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access, isObserved: true)
    let before = fixture.store.statistics.segmentCount
    for number in 0..<100 { try fixture.store.set(pattern(1_000, number), forKey: "key") }
    fixture.scheduler.runDue()
    let count = fixture.store.statistics.segmentCount - before
    #expect(count > 3)
    #expect(fixture.events.count("sealed") == count)
  }

  @Test func `A checkpoint is told, also one of the background`() throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, fileByteCountMax: 256 << 20))
    let fixture = try StoreFixture(
      durability: .interval(.seconds(3_600)), compaction: .manual, isObserved: true, on: disk)
    // One that says that there is a window is told as well.
    fixture.options.windowedSlotCount = .max
    try fixture.reopen()
    try fixture.store.checkpoint()
    fixture.scheduler.runDue()
    #expect(fixture.events.count("checkpoint") == 1)
    // So many MiB since then make one due.
    for number in 0..<700 { try fixture.store.set(pattern(100_000, 1), forKey: "\(number % 7)") }
    while fixture.scheduler.runDue() > 0 {}
    #expect(fixture.events.count("checkpoint") == 2)
  }

  @Test func `What makes the store refuse changes is told once`() throws {
    let fixture = try StoreFixture(isObserved: true)
    try fixture.store.set("1", forKey: "key")
    fixture.disk.inject(.error(.inputOutput), only: [.sync])
    #expect(code { try fixture.store.sync() } == .outcomeUnknown)
    #expect(code { try fixture.store.sync() } == .outcomeUnknown)
    #expect(code { try fixture.store.set("2", forKey: "key") } == .outcomeUnknown)
    #expect(code { try fixture.store.checkpoint() } == .outcomeUnknown)
    fixture.scheduler.runDue()
    #expect(fixture.events.all == ["recovered", "failed: outcomeUnknown"])
  }

  @Test func `A sync that fails in the background is told`() throws {
    let fixture = try StoreFixture(durability: .interval(.milliseconds(1)), isObserved: true)
    try fixture.store.set("1", forKey: "key")
    fixture.disk.inject(.error(.inputOutput), only: [.sync])
    fixture.scheduler.advance(by: 1_000_000)
    #expect(fixture.events.all == ["recovered", "failed: outcomeUnknown"])
  }

  @Test func `A full disk is the caller's to know, and not told`() throws {
    let fixture = try StoreFixture(maxByteCount: 256 << 10, isObserved: true)
    #expect(
      code { for number in 0... { try fixture.store.set(pattern(5_000), forKey: "\(number)") } }
        == .outOfSpace)
    fixture.scheduler.runDue()
    #expect(fixture.events.all.allSatisfy { !$0.hasPrefix("failed") })
  }

  // MARK: What an observer may do

  /// A store that its observer knows.
  private final class Known: Sendable {
    let store = Mutex<SedimentStore?>(nil)
    let seen = Mutex<[UInt64]>([])
  }

  @Test func `An observer uses the store`() throws {
    let known = Known()
    let disk = SimulatedDisk(seed: 1)
    let scheduler = ManualScheduler()
    let options = SedimentOptions(durability: .unsynced) { _ in
      guard let store = known.store.withLock({ $0 }) else { return }
      let statistics = store.statistics
      let isFirst = known.seen.withLock { seen in
        seen.append(statistics.syncCount)
        return seen.count == 1
      }
      try? store.set("\(statistics.syncCount)", forKey: "syncs")
      if isFirst { try? store.sync() }
    }
    let store = try SedimentStore(
      path: StoreFixture.path, options: options, disk: disk, scheduler: scheduler)
    known.store.withLock { $0 = store }
    for number in 0..<60 { try store.set(pattern(1_000, number), forKey: "key") }
    try store.checkpoint()
    while scheduler.runDue() > 0 {}
    #expect(known.seen.withLock { $0.count } > 5)
    #expect(try store.contains("syncs"))
    known.store.withLock { $0 = nil }
    try store.close()
  }

  @Test func `An observer closes the store`() throws {
    let known = Known()
    let events = EventList()
    let scheduler = ManualScheduler()
    let options = SedimentOptions(durability: .unsynced) { event in
      events.add(event)
      if case .synced = event { try? known.store.withLock({ $0 })?.close() }
    }
    let store = try SedimentStore(
      path: StoreFixture.path, options: options, disk: SimulatedDisk(seed: 1), scheduler: scheduler)
    known.store.withLock { $0 = store }
    try store.set("value", forKey: "key", durability: .synced)
    scheduler.runDue()
    #expect(events.all == ["recovered", "synced", "closed"])
    #expect(code { _ = try store.contains("key") } == .closed)
    known.store.withLock { $0 = nil }
  }

  @Test func `An observer that is far behind is told the newest events, and the last`() throws {
    let fixture = try StoreFixture(isObserved: true)
    for number in 0..<1_200 { try fixture.store.set("\(number)", forKey: "key", durability: .synced) }
    try fixture.close()
    #expect(fixture.events.all.count == 1_024)
    let others = fixture.events.all.filter { $0 != "sealed" }
    #expect(others == Array(repeating: "synced", count: others.count - 1) + ["closed"])
  }

  @Test func `An observer that makes an event of each event keeps nobody waiting`() throws {
    let known = Known()
    let scheduler = ManualScheduler()
    let options = SedimentOptions(durability: .unsynced) { _ in
      try? known.store.withLock({ $0 })?.set("value", forKey: "key", durability: .synced)
    }
    let store = try SedimentStore(
      path: StoreFixture.path, options: options, disk: SimulatedDisk(seed: 1), scheduler: scheduler)
    known.store.withLock { $0 = store }
    for _ in 0..<5 { #expect(scheduler.runDue() == 1) }
    #expect(store.statistics.syncCount == 5)
    known.store.withLock { $0 = nil }
    try store.close()
  }

  @Test func `A store without an observer schedules nothing for one`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key", durability: .synced)
    #expect(fixture.scheduler.pendingCount == 0)
  }
}
