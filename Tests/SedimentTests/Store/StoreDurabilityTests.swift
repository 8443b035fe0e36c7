import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// What survives a power failure, and when the disk is made to have it.
struct StoreDurabilityTests {
  /// The store after a power failure that keeps nothing but what was synced.
  private static func afterPowerLoss(_ fixture: StoreFixture) throws -> StoreFixture {
    try StoreFixture(fixture.options.access, on: fixture.disk.afterPowerLoss(.nothing))
  }

  private static let milliseconds: UInt64 = 1_000_000

  // MARK: Levels

  @Test(arguments: accesses)
  func `An unsynced change survives the process, and is lost with the power`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access, durability: .unsynced)
    try fixture.store.set("1", forKey: "a")
    try fixture.store.sync()
    let call = fixture.disk.callCount
    try fixture.store.set("2", forKey: "b")
    try fixture.store.set(pattern(200_000), forKey: "large")
    #expect(fixture.count(.sync, since: call) == 0)
    #expect(fixture.scheduler.pendingCount == 0)
    let killed = try StoreFixture(access, on: fixture.disk.afterProcessDeath())
    #expect(try killed.store.keys() == ["a", "b", "large"].map { Array($0.utf8) })
    #expect(try same(killed.store.retrieve(forKey: "large"), pattern(200_000)))
    #expect(!killed.store.recovery.wasClosed)
    #expect(try Self.afterPowerLoss(fixture).store.keys() == [Array("a".utf8)])
  }

  @Test(arguments: accesses, AnyChange.allCases)
  func `A synced change survives a power failure, by the call or by the store`(
    access: SedimentOptions.Access, change: AnyChange
  ) throws {
    // A new collection is as durable as the store says.
    var isOfStore = false
    if case .ofStore(.newCollection) = change { isOfStore = true }
    for byStore in isOfStore ? [true] : [false, true] {
      let fixture = try StoreFixture(access, durability: byStore ? .synced : .unsynced)
      try AnyChange.prepare(fixture.store)
      let before = try contents(of: fixture.store)
      try change.make(in: fixture.store, byStore ? nil : .synced)
      let after = try contents(of: fixture.store)
      #expect(after != before)
      #expect(try contents(of: Self.afterPowerLoss(fixture).store) == after)
    }
  }

  @Test(arguments: accesses, StoreChange.allCases)
  func `A change of a call that says unsynced waits for no disk`(
    access: SedimentOptions.Access, change: StoreChange
  ) throws {
    let fixture = try StoreFixture(access, durability: .synced)
    try AnyChange.prepare(fixture.store)
    let call = fixture.disk.callCount
    try change.make(in: fixture.store, .unsynced)
    #expect(fixture.count(.sync, since: call) == 0)
  }

  /// Changes that are refused, by what an unsynced change made of the store.
  private static let refusals: [(String, @Sendable (SedimentStore) throws -> Bool)] = [
    ("if absent", { try $0.setIfAbsent("new", forKey: "key", durability: .synced) }),
    ("large, if absent", { try $0.setIfAbsent(pattern(200_000), forKey: "key", durability: .synced) }),
    ("remove", { try $0.remove(forKey: "removed", durability: .synced) }),
    ("exchange", { try $0.compareAndSet(forKey: "key", expected: nil, new: [8], durability: .synced) }),
    (
      "exchange with nothing",
      {
        try !$0.compareAndSet(forKey: "removed", expected: nil, new: nil, durability: .synced)
      }
    ),
    (
      "update",
      {
        try $0.update(forKey: "removed", durability: .synced) { _ in nil }
        return false
      }
    ),
    ("expiry", { try $0.setExpiry(.never, forKey: "removed", durability: .synced) }),
    ("expiry that stays", { try !$0.setExpiry(.unchanged, forKey: "key", durability: .synced) }),
    ("drop", { try $0.dropCollection("dropped", durability: .synced) }),
  ]

  @Test(arguments: refusals.indices)
  func `A synced change that is refused waits for what it went by`(number: Int) throws {
    let (name, change) = Self.refusals[number]
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "removed")
    _ = try fixture.store.collection("dropped")
    try fixture.store.sync()
    try fixture.store.remove(forKey: "removed")
    try fixture.store.dropCollection("dropped")
    try fixture.store.set("value", forKey: "key")
    #expect(try !change(fixture.store), "\(name)")
    let after = try Self.afterPowerLoss(fixture)
    #expect(try after.store.keys() == [Array("key".utf8)], "\(name)")
    #expect(after.store.collectionNames == [], "\(name)")
  }

  // MARK: Barriers

  @Test(arguments: accesses)
  func `After a sync everything before it survives a power failure`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let users = try fixture.store.collection("users")
    for number in 0..<300 {
      try users.set(pattern(500, number), forKey: "\(number)")
      try fixture.store.set(pattern(number, number), forKey: "\(number)")
    }
    try fixture.store.set(pattern(3 << 20), forKey: "large")
    try fixture.store.sync()
    try fixture.store.set("lost", forKey: "late")
    let after = try Self.afterPowerLoss(fixture).store
    #expect(try after.count() == 301)
    #expect(try after.collection("users").count() == 300)
    for number in 0..<300 {
      #expect(try after.retrieve(forKey: "\(number)") == pattern(number, number))
      #expect(try after.collection("users").retrieve(forKey: "\(number)") == pattern(500, number))
    }
    #expect(try same(after.retrieve(forKey: "large"), pattern(3 << 20)))
  }

  @Test func `A sync with nothing to sync makes no call`() throws {
    let fixture = try StoreFixture()
    var call = fixture.disk.callCount
    try fixture.store.sync()
    #expect(fixture.changes(since: call) == [])
    try fixture.store.set("value", forKey: "key")
    try fixture.store.sync()
    call = fixture.disk.callCount
    try fixture.store.sync()
    try fixture.store.sync()
    #expect(fixture.changes(since: call) == [])
  }

  @Test func `A synced set takes one write and one sync, and a mark behind it`() throws {
    for access in accesses {
      let fixture = try StoreFixture(access, durability: .synced)
      try fixture.store.set("value", forKey: "key")
      for _ in 0..<5 {
        let call = fixture.disk.callCount
        try fixture.store.set("value", forKey: "key")
        #expect(fixture.changes(since: call) == [.write, .sync, .write])
      }
    }
  }

  @Test func `A clean close is durable`() throws {
    for access in accesses {
      let fixture = try StoreFixture(access)
      for number in 0..<100 { try fixture.store.set(pattern(400, number), forKey: "\(number)") }
      try fixture.close()
      let after = try Self.afterPowerLoss(fixture)
      #expect(after.store.recovery.wasClosed)
      #expect(try after.store.count() == 100)
    }
  }

  // MARK: Intervals

  @Test(arguments: accesses)
  func `A change is synced when its interval is over, and not before`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access, durability: .interval(.milliseconds(100)))
    try fixture.store.set("1", forKey: "a")
    #expect(fixture.scheduler.nanosecondsToFirst == 100 * Self.milliseconds)
    let call = fixture.disk.callCount
    fixture.scheduler.advance(by: 99 * Self.milliseconds)
    #expect(fixture.count(.sync, since: call) == 0)
    try fixture.store.set("2", forKey: "b")
    fixture.scheduler.advance(by: Self.milliseconds)
    #expect(fixture.count(.sync, since: call) == 1)
    #expect(try Self.afterPowerLoss(fixture).store.count() == 2)
    #expect(fixture.scheduler.pendingCount == 0)
  }

  @Test func `An idle store wakes nothing up`() throws {
    let fixture = try StoreFixture(durability: .interval(.milliseconds(100)))
    #expect(fixture.scheduler.pendingCount == 0)
    try fixture.store.set("1", forKey: "a")
    #expect(fixture.scheduler.pendingCount == 1)
    #expect(fixture.scheduler.advance(by: 100 * Self.milliseconds) == 1)
    let call = fixture.disk.callCount
    _ = try fixture.store.retrieve(forKey: "a")
    try fixture.store.forEach { _, _ in .continue }
    #expect(fixture.scheduler.pendingCount == 0)
    #expect(fixture.scheduler.advance(by: 3_600_000 * Self.milliseconds) == 0)
    #expect(fixture.disk.callCount == call)
  }

  @Test func `Each change after a sync begins an interval of its own`() throws {
    let fixture = try StoreFixture(durability: .interval(.milliseconds(100)))
    try fixture.store.set("first", forKey: "key")
    try fixture.store.sync()
    fixture.scheduler.advance(by: 100 * Self.milliseconds)
    for number in 0..<5 {
      let call = fixture.disk.callCount
      try fixture.store.set("\(number)", forKey: "key")
      fixture.scheduler.advance(by: 50 * Self.milliseconds)
      #expect(fixture.count(.sync, since: call) == 0)
      fixture.scheduler.advance(by: 50 * Self.milliseconds)
      #expect(fixture.count(.sync, since: call) == 1)
      fixture.scheduler.advance(by: 500 * Self.milliseconds)
      #expect(fixture.count(.sync, since: call) == 1)
    }
  }

  @Test func `The shortest interval of the changes that wait is kept`() throws {
    let fixture = try StoreFixture(durability: .interval(.seconds(10)))
    try fixture.store.set("1", forKey: "a")
    try fixture.store.set("2", forKey: "b", durability: .interval(.milliseconds(50)))
    try fixture.store.set("3", forKey: "c", durability: .interval(.seconds(1)))
    #expect(fixture.scheduler.nanosecondsToFirst == 50 * Self.milliseconds)
    fixture.scheduler.advance(by: 50 * Self.milliseconds)
    #expect(try Self.afterPowerLoss(fixture).store.count() == 3)
    #expect(fixture.scheduler.pendingCount == 0)
    // The next change is on its own again.
    try fixture.store.set("4", forKey: "d")
    #expect(fixture.scheduler.nanosecondsToFirst == 10_000 * Self.milliseconds)
  }

  @Test func `A later change that may wait as long does not put the sync off`() throws {
    let fixture = try StoreFixture(durability: .interval(.milliseconds(100)))
    try fixture.store.set("1", forKey: "a")
    for number in 0..<9 {
      fixture.scheduler.advance(by: 11 * Self.milliseconds)
      try fixture.store.set("\(number)", forKey: "b")
    }
    #expect(fixture.scheduler.nanosecondsToFirst == Self.milliseconds)
  }

  @Test(arguments: AnyChange.allCases)
  func `Every change is synced within the interval`(change: AnyChange) throws {
    let fixture = try StoreFixture(durability: .interval(.milliseconds(100)))
    try AnyChange.prepare(fixture.store)
    fixture.scheduler.advance(by: 1_000 * Self.milliseconds)
    try change.make(in: fixture.store)
    let after = try contents(of: fixture.store)
    fixture.scheduler.advance(by: 100 * Self.milliseconds)
    #expect(try contents(of: Self.afterPowerLoss(fixture).store) == after)
  }

  @Test func `The default is an interval of a second`() throws {
    #expect(SedimentOptions().durability == .interval(.seconds(1)))
  }

  @Test(arguments: accesses, [1, 2, 3] as [UInt64])
  func `What a power failure leaves is a prefix of the history`(
    access: SedimentOptions.Access, seed: UInt64
  ) throws {
    let fixture = try StoreFixture(access, on: SimulatedDisk(seed: seed))
    for number in 0..<150 {
      try fixture.store.set(pattern(600, number), forKey: "\(number)")
      if number == 60 { try fixture.store.sync() }
    }
    for plan in (0..<8).map({ CrashPlan.random(seed: seed &* 100 &+ $0) }) {
      let after = try StoreFixture(access, on: fixture.disk.afterPowerLoss(plan)).store
      let count = try after.count()
      #expect(count >= 61, "\(plan), seed \(seed)")
      for number in 0..<150 {
        let expected = number < count ? pattern(600, number) : nil
        #expect(try after.retrieve(forKey: "\(number)") == expected, "\(plan), seed \(seed)")
      }
    }
  }
}
