import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// The calls that wait without a thread.
struct StoreAsyncTests {
  private static func afterPowerLoss(_ fixture: StoreFixture) throws -> SedimentStore {
    try SedimentStore(path: StoreFixture.path, disk: fixture.disk.afterPowerLoss(.nothing))
  }

  /// The call that holds its thread, which a task would not choose.
  private static func syncAtOnce(_ store: SedimentStore) throws {
    try store.sync()
  }

  /// Runs the background of a store's until the task has ended.
  private static func run(_ scheduler: ManualScheduler, _ body: @escaping @Sendable () async throws -> Void)
    async throws
  {
    let isDone = Counter()
    let task = Task {
      defer { isDone.add() }
      try await body()
    }
    while isDone.value == 0 {
      scheduler.runDue()
      await Task.yield()
    }
    try await task.value
  }

  @Test(arguments: accesses)
  func `What waits for a sync is durable when it goes on`(access: SedimentOptions.Access) async throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    try store.set("1", forKey: "a")
    try await Self.run(fixture.scheduler) { try await store.sync() }
    #expect(try Self.afterPowerLoss(fixture).keys().count == 1)
    try await Self.run(fixture.scheduler) { try await store.setSynced("2", forKey: "b") }
    #expect(try Self.afterPowerLoss(fixture).retrieve(forKey: "b", as: String.self) == "2")
    try await Self.run(fixture.scheduler) {
      try await store.setSynced("3", forKey: "c", expiry: .at(milliseconds: 1 << 47))
    }
    #expect(try Self.afterPowerLoss(fixture).expiry(forKey: "c") == .at(milliseconds: 1 << 47))
    try await Self.run(fixture.scheduler) {
      let first = try await store.removeSynced(forKey: "a")
      let second = try await store.removeSynced(forKey: "a")
      #expect(first && !second)
    }
    #expect(try !Self.afterPowerLoss(fixture).contains("a"))
    try await Self.run(fixture.scheduler) {
      let result = try await store.batchSynced { batch in
        batch.set("4", forKey: "d")
        batch.remove(forKey: "b")
        return 7
      }
      #expect(result == 7)
    }
    #expect(try Self.afterPowerLoss(fixture).keys() == [Array("c".utf8), Array("d".utf8)])
    let users = try store.collection("users")
    try await Self.run(fixture.scheduler) { try await users.setSynced(pattern(200_000), forKey: "large") }
    #expect(
      try same(Self.afterPowerLoss(fixture).collection("users").retrieve(forKey: "large"), pattern(200_000)))
  }

  @Test func `A sync with nothing to sync goes on at once`() async throws {
    let fixture = try StoreFixture()
    try await fixture.store.sync()
    try fixture.store.set("value", forKey: "key", durability: .synced)
    let call = fixture.disk.callCount
    try await fixture.store.sync()
    #expect(fixture.disk.callCount == call)
    #expect(fixture.scheduler.pendingCount == 0)
  }

  @Test func `Many that wait share one sync`() async throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.set("value", forKey: "key")
    try Self.syncAtOnce(store)
    let before = store.statistics.syncCount
    let sets = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          try store.set("\(number)", forKey: "\(number)")
          sets.add()
          try await store.sync()
        }
      }
      while sets.value < 50 { await Task.yield() }
      while fixture.scheduler.pendingCount == 0 { await Task.yield() }
      fixture.scheduler.runDue()
      // Whoever came to wait only now asks for one more.
      while try await next(&group, fixture.scheduler) {}
    }
    #expect(store.statistics.syncCount - before <= 2)
    #expect(try Self.afterPowerLoss(fixture).count() == 51)
  }

  private func next(
    _ group: inout ThrowingTaskGroup<Void, any Error>, _ scheduler: ManualScheduler
  ) async throws -> Bool {
    scheduler.runDue()
    return try await group.next() != nil
  }

  @Test func `Who waits for a sync that fails is told`() async throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.set("value", forKey: "key")
    try Self.syncAtOnce(store)
    try store.set("new", forKey: "key")
    fixture.disk.inject(.error(.inputOutput), only: [.sync])
    let failure = await code { try await Self.run(fixture.scheduler) { try await store.sync() } }
    #expect(failure == .outcomeUnknown)
    #expect(await code { try await store.sync() } == .outcomeUnknown)
    #expect(await code { try await store.setSynced("newer", forKey: "key") } == .outcomeUnknown)
  }

  @Test func `Who waits while the store is closed goes on, as closing syncs`() async throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.set("value", forKey: "key")
    let task = Task { try await store.sync() }
    while fixture.scheduler.pendingCount == 0 { await Task.yield() }
    try fixture.close()
    try await task.value
    #expect(try Self.afterPowerLoss(fixture).contains("key"))
  }

  @Test func `Who waits while closing fails is told`() async throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.set("value", forKey: "key")
    try Self.syncAtOnce(store)
    try store.set("new", forKey: "key")
    let task = Task { try await store.sync() }
    while fixture.scheduler.pendingCount == 0 { await Task.yield() }
    fixture.disk.injectForGood(.error(.inputOutput), only: [.sync])
    #expect(code { try store.close() } == .outcomeUnknown)
    #expect(await code { try await task.value } == .outcomeUnknown)
  }

  @Test func `A set that is refused waits for nothing`() async throws {
    let fixture = try StoreFixture()
    let key = [UInt8](repeating: 1, count: 65_536)
    #expect(await code { try await fixture.store.setSynced("value", forKey: key) } == .tooLarge)
    #expect(await code { try await fixture.store.batchSynced { $0.remove(forKey: key) } } == .tooLarge)
    #expect(fixture.scheduler.pendingCount == 0)
  }

  @Test func `The background of the process syncs for those who wait`() async throws {
    let directory = try StoreDirectory()
    let store = try SedimentStore(path: directory["store"], options: SedimentOptions(durability: .unsynced))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { try await store.setSynced("\(number)", forKey: "\(number)") }
      }
      try await group.waitForAll()
    }
    #expect(store.statistics.syncCount >= 1)
    #expect(try store.count() == 20)
    try store.close()
  }
}
