import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Disks that fail: what is told, what goes on, and what is there afterwards.
struct StoreFailureTests {
  /// A store with something in it that is synced, and something that is not.
  private static func prepared(_ access: SedimentOptions.Access) throws -> StoreFixture {
    let fixture = try StoreFixture(access)
    try AnyChange.prepare(fixture.store)
    try fixture.store.sync()
    try fixture.store.set("unsynced", forKey: "late")
    return fixture
  }

  /// How a sync fails.
  enum SyncFailure: CaseIterable {
    case keepingData, droppingData, fullDisk, quota

    var effect: FaultEffect {
      switch self {
      case .keepingData: .error(.inputOutput)
      case .droppingData: .droppedSync(.inputOutput)
      case .fullDisk: .error(.noSpace)
      case .quota: .droppedSync(.quotaExceeded)
      }
    }
  }

  @Test(arguments: accesses, SyncFailure.allCases)
  func `A sync that fails leaves the outcome unknown, whatever the disk says`(
    access: SedimentOptions.Access, failure: SyncFailure
  ) throws {
    let fixture = try Self.prepared(access)
    fixture.disk.inject(failure.effect, only: [.sync])
    let error = #expect(throws: SedimentError.self) { try fixture.store.sync() }
    #expect(error?.code == .outcomeUnknown)
    #expect(error?.systemError?.operation == .sync)
    #expect(error?.path == StoreFixture.path)
  }

  @Test func `A sync counts whose mark cannot be written, and nothing goes on after it`() throws {
    let fixture = try Self.prepared(.automatic)
    fixture.disk.inject(.error(.inputOutput), only: [.write])
    try fixture.store.sync()
    let call = fixture.disk.callCount
    #expect(code { try fixture.store.set("more", forKey: "more") } == .outcomeUnknown)
    #expect(code { try fixture.store.checkpoint() } == .outcomeUnknown)
    #expect(code { try fixture.close() } == .outcomeUnknown)
    #expect(fixture.changes(since: call) == [])
    let after = try StoreFixture(on: fixture.disk.afterPowerLoss(.nothing))
    #expect(try after.store.retrieve(forKey: "late", as: String.self) == "unsynced")
  }

  @Test func `A checkpoint whose mark cannot be written leaves the superblocks as they are`() throws {
    let fixture = try Self.prepared(.automatic)
    let superblocks = Array(fixture.contents[..<32_768])
    // What a checkpoint says is stored; the mark behind its sync is the first that is written by a call.
    fixture.disk.inject(.error(.inputOutput), only: [.write])
    #expect(code { try fixture.store.checkpoint() } == .outcomeUnknown)
    #expect(same(Array(fixture.contents[..<32_768]), superblocks))
    #expect(code { try fixture.close() } == .outcomeUnknown)
    try fixture.open()
    #expect(try fixture.store.retrieve(forKey: "late", as: String.self) == "unsynced")
  }

  @Test(arguments: accesses, AnyChange.allCases)
  func `After a failed sync every change is refused, and nothing is written or synced any more`(
    access: SedimentOptions.Access, change: AnyChange
  ) throws {
    let fixture = try Self.prepared(access)
    fixture.disk.inject(.error(.inputOutput), only: [.sync])
    #expect(code { try fixture.store.sync() } == .outcomeUnknown)
    let call = fixture.disk.callCount
    let image = fixture.image
    #expect(code { try change.make(in: fixture.store) } == .outcomeUnknown)
    #expect(code { try change.make(in: fixture.store, .synced) } == .outcomeUnknown)
    #expect(code { try fixture.store.sync() } == .outcomeUnknown)
    #expect(code { try fixture.store.checkpoint() } == .outcomeUnknown)
    fixture.scheduler.advance(by: 10_000_000_000)
    #expect(code { try fixture.close() } == .outcomeUnknown)
    #expect(fixture.changes(since: call) == [])
    #expect(fixture.image == image)
  }

  @Test(arguments: accesses)
  func `After a failed sync reading goes on`(access: SedimentOptions.Access) throws {
    let fixture = try Self.prepared(access)
    fixture.disk.inject(.droppedSync(.inputOutput), only: [.sync])
    #expect(code { try fixture.store.sync() } == .outcomeUnknown)
    for reading in StoreReading.allCases where reading != .text { try reading.make(in: fixture.store) }
    #expect(try fixture.store.retrieve(forKey: "late", as: String.self) == "unsynced")
    #expect(try fixture.store.count() == 2)
    #expect(fixture.store.collectionNames == ["users"])
    #expect(fixture.store.statistics.liveKeyCount == 2)
  }

  @Test(arguments: accesses, SyncFailure.allCases)
  func `A store whose sync failed opens again, and what it then shows is durable`(
    access: SedimentOptions.Access, failure: SyncFailure
  ) throws {
    let fixture = try Self.prepared(access)
    fixture.disk.inject(failure.effect, only: [.sync])
    #expect(code { try fixture.store.sync() } == .outcomeUnknown)
    #expect(code { try fixture.close() } == .outcomeUnknown)
    try fixture.open()
    #expect(!fixture.store.recovery.wasClosed)
    #expect(fixture.store.recovery.isDurable)
    #expect(try fixture.store.retrieve(forKey: "late", as: String.self) == "unsynced")
    let after = try StoreFixture(access, on: fixture.disk.afterPowerLoss(.nothing))
    #expect(try after.store.retrieve(forKey: "late", as: String.self) == "unsynced")
    try after.store.set("new", forKey: "key", durability: .synced)
  }

  // MARK: Writes

  @Test(
    arguments: [
      .error(.inputOutput), .shortWrite(byteCount: 10, .inputOutput), .shortWrite(byteCount: 10, .noSpace),
    ] as [FaultEffect])
  func `A write to the log that fails leaves the outcome unknown, and reading goes on`(
    effect: FaultEffect
  ) throws {
    for access in [.windowless, .unmapped] as [SedimentOptions.Access] {
      let fixture = try Self.prepared(access)
      fixture.disk.inject(effect, only: [.write])
      let error = #expect(throws: SedimentError.self) { try fixture.store.set("new", forKey: "key") }
      #expect(error?.code == .outcomeUnknown)
      #expect(error?.systemError?.operation == .write)
      #expect(error?.offset != nil)
      #expect(code { try fixture.store.set("newer", forKey: "key") } == .outcomeUnknown)
      #expect(try fixture.store.retrieve(forKey: "key") == [7])
      #expect(try fixture.store.retrieve(forKey: "late", as: String.self) == "unsynced")
      #expect(code { try fixture.close() } == .outcomeUnknown)
      try fixture.open()
      #expect(try fixture.store.retrieve(forKey: "key") == [7])
      #expect(try fixture.store.retrieve(forKey: "late", as: String.self) == "unsynced")
      try fixture.store.set("new", forKey: "key", durability: .synced)
    }
  }

  @Test(arguments: accesses)
  func `A synced set whose write fails is not there afterwards`(access: SedimentOptions.Access) throws {
    let fixture = try Self.prepared(access)
    fixture.disk.inject(.error(.inputOutput), only: [.write])
    #expect(code { try fixture.store.set("new", forKey: "key", durability: .synced) } == .outcomeUnknown)
    #expect(try fixture.store.retrieve(forKey: "key") == [7])
  }

  @Test(arguments: accesses)
  func `A large value whose bytes cannot be written fails alone`(access: SedimentOptions.Access) throws {
    let fixture = try Self.prepared(access)
    let free = fixture.store.statistics.freeByteCount
    fixture.disk.inject(.error(.inputOutput), only: [.write])
    let error = #expect(throws: SedimentError.self) {
      try fixture.store.set(pattern(1 << 20), forKey: "key")
    }
    #expect(error?.code == .inputOutput)
    #expect(error?.systemError?.operation == .write)
    #expect(try fixture.store.retrieve(forKey: "key") == [7])
    // Its slots are free for others.
    #expect(fixture.store.statistics.freeByteCount > free + (1 << 20))
    let byteCount = fixture.store.statistics.fileByteCount
    try fixture.store.set(pattern(1 << 20), forKey: "key")
    #expect(fixture.store.statistics.fileByteCount == byteCount)
    try fixture.reopen()
    #expect(try same(fixture.store.retrieve(forKey: "key"), pattern(1 << 20)))
  }

  @Test(arguments: accesses)
  func `The first change fails with the head that it has to open, and nothing is believed of it`(
    access: SedimentOptions.Access
  ) throws {
    for operation in [DiskOperation.write, .sync] {
      let fixture = try StoreFixture(access)
      try fixture.store.set("old", forKey: "key")
      try fixture.reopen()
      fixture.disk.inject(.error(.inputOutput), only: [operation])
      #expect(code { try fixture.store.set("new", forKey: "key") } == .outcomeUnknown)
      #expect(code { try fixture.store.set("new", forKey: "key") } == .outcomeUnknown)
      #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "old")
      try? fixture.close()
      try fixture.open()
      #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "old")
      try fixture.store.set("new", forKey: "key")
    }
  }

  // MARK: Closing

  @Test(arguments: accesses, [DiskOperation.write, .sync])
  func `A close that fails says so, lets go of the file and loses nothing`(
    access: SedimentOptions.Access, operation: DiskOperation
  ) throws {
    let fixture = try Self.prepared(access)
    fixture.disk.injectForGood(.error(.inputOutput), only: [operation])
    #expect(code { try fixture.store.close() } == .outcomeUnknown)
    #expect(code { _ = try fixture.store.retrieve(forKey: "key") } == .closed)
    try fixture.store.close()
    fixture.disk.clearFaults()
    let again = try fixture.another()
    #expect(!again.recovery.wasClosed)
    #expect(try again.retrieve(forKey: "late", as: String.self) == "unsynced")
  }

  @Test(arguments: accesses)
  func `A failure in opening is told with its call, and the file is free again`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.prepared(access)
    for operation in [DiskOperation.open, .lock, .read, .write, .sync, .allocate] {
      let disk = fixture.disk.afterProcessDeath()
      disk.injectForGood(.error(.inputOutput), only: [operation])
      let error = #expect(throws: SedimentError.self) { try StoreFixture(access, on: disk) }
      #expect(error?.code == .inputOutput, "\(operation)")
      #expect(error?.systemError?.operation == operation)
      disk.clearFaults()
      let after = try StoreFixture(access, on: disk)
      #expect(try after.store.retrieve(forKey: "late", as: String.self) == "unsynced")
    }
  }
}
