import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Writes that the disk refuses before their first byte: nothing changes, and the store goes on once there is space.
struct StoreRefusedWriteTests {
  private static func prepared(_ access: SedimentOptions.Access) throws -> StoreFixture {
    let fixture = try StoreFixture(access, isObserved: true)
    try AnyChange.prepare(fixture.store)
    try fixture.store.sync()
    return fixture
  }

  /// A store goes on, and what it has outlives a power failure.
  private func expectHealthy(_ fixture: StoreFixture, _ comment: Comment) throws {
    try fixture.store.set("after", forKey: "after", durability: .synced)
    try fixture.store.batch { $0.set("batch", forKey: "batch") }
    try fixture.store.sync()
    #expect(fixture.store.accountFindings() == [], comment)
    let before = try contents(of: fixture.store)
    let image = fixture.disk.afterPowerLoss(.nothing)
    #expect(try contents(of: StoreFixture.opened(StoreFixture.path, on: image)) == before, comment)
    try fixture.reopen()
    #expect(fixture.store.recovery.wasClosed, comment)
    #expect(try contents(of: fixture.store) == before, comment)
  }

  @Test(arguments: accesses, AnyChange.allCases)
  func `A change whose write is refused is not made, and the store goes on`(
    access: SedimentOptions.Access, change: AnyChange
  ) throws {
    for refusal in [SystemErrorCode.noSpace, .quotaExceeded, .fileTooLarge] {
      let fixture = try Self.prepared(access)
      let before = try contents(of: fixture.store)
      let comment = Comment("\(refusal)")
      fixture.disk.injectForGood(.error(refusal), only: [.write])
      let code = code { try change.make(in: fixture.store, .synced) }
      // A new collection is stored into the window.
      #expect(code == .outOfSpace || code == nil && "\(change)" == "newCollection", comment)
      if code != nil { #expect(try contents(of: fixture.store) == before, comment) }
      fixture.disk.clearFaults()
      try expectHealthy(fixture, comment)
    }
  }

  @Test(arguments: accesses)
  func `A batch that was written in part poisons, and one of which nothing was does not`(
    access: SedimentOptions.Access
  ) throws {
    func makeBatch(_ store: SedimentStore) throws {
      try store.batch(durability: .synced) { batch in
        for number in 0..<40 { batch.set(pattern(9_000, number), forKey: "new \(number)") }
      }
    }
    let whole = try Self.prepared(access)
    let first = whole.disk.callCount
    try makeBatch(whole.store)
    var codes: [SedimentError.Code] = []
    for (index, call) in whole.disk.calls[first...].enumerated() where call.operation == .write {
      let fixture = try Self.prepared(access)
      let before = try contents(of: fixture.store)
      fixture.disk.injectForGood(.error(.noSpace), fromCall: first + index, only: [.write])
      guard let code = code({ try makeBatch(fixture.store) }) else { continue }
      codes.append(code)
      #expect(try contents(of: fixture.store) == before, "call \(index)")
      fixture.disk.clearFaults()
      if code == .outOfSpace { try expectHealthy(fixture, "call \(index)") }
    }
    #expect(Set(codes) == [.outOfSpace, .outcomeUnknown])
  }

  /// On a file system that copies on write a full disk refuses superblocks as well.
  @Test(arguments: accesses)
  func `Each write of a first change and a checkpoint may be refused, and the store goes on`(
    access: SedimentOptions.Access
  ) throws {
    let whole = try Self.prepared(access)
    try whole.reopen()
    let first = whole.disk.callCount
    try whole.store.set("new", forKey: "new", durability: .synced)
    try whole.store.checkpoint()
    var changeCodes: Set<SedimentError.Code?> = []
    for (index, call) in whole.disk.calls[first...].enumerated() where call.operation == .write {
      let fixture = try Self.prepared(access)
      try fixture.reopen()
      let before = try contents(of: fixture.store)
      fixture.disk.injectForGood(.error(.noSpace), fromCall: first + index, only: [.write])
      let codes = [
        code { try fixture.store.set("new", forKey: "new", durability: .synced) },
        code { try fixture.store.checkpoint() },
      ]
      #expect(codes.contains(.outOfSpace), "call \(index)")
      #expect(codes.allSatisfy { $0 == nil || $0 == .outOfSpace }, "call \(index): \(codes)")
      if codes[0] != nil { #expect(try contents(of: fixture.store) == before, "call \(index)") }
      fixture.disk.clearFaults()
      try expectHealthy(fixture, "call \(index)")
      changeCodes.insert(codes[0])
    }
    // The superblocks before the change were tried, and the one after it.
    #expect(changeCodes == [.outOfSpace, nil])
  }

  @Test(arguments: accesses)
  func `A close that cannot say so keeps everything`(access: SedimentOptions.Access) throws {
    let fixture = try Self.prepared(access)
    try fixture.store.set("new", forKey: "new", durability: .synced)
    let before = try contents(of: fixture.store)
    fixture.disk.injectForGood(.error(.noSpace), only: [.write])
    try fixture.store.close()
    #expect(code { _ = try StoreFixture.opened(StoreFixture.path, on: fixture.disk) } == .outOfSpace)
    fixture.disk.clearFaults()
    let again = try StoreFixture.opened(StoreFixture.path, on: fixture.disk.afterPowerLoss(.nothing))
    #expect(try contents(of: again) == before)
  }

  @Test func `What cannot be flushed waits in the window, and nothing is stored there before it can be`()
    throws
  {
    let window = try WindowFixture()
    let (store, disk) = (window.store, window.disk)
    try window.set(0..<20)
    disk.injectForGood(.error(.noSpace), only: [.write])
    #expect(code { try store.sync() } == .outOfSpace)
    #expect(code { try store.set("new", forKey: "020") } == .outOfSpace)
    #expect(code { try store.checkpoint() } == .outOfSpace)
    #expect(try WindowFixture.holds(0..<20, store))
    #expect(try WindowFixture.holds(0..<20, window.afterDeath()))
    disk.clearFaults()
    try window.set(20..<40)
    try store.sync()
    #expect(try WindowFixture.holds(0..<40, store))
    let after = try WindowFixture.opened(disk.afterPowerLoss(.nothing), window.fixture.options)
    #expect(try WindowFixture.holds(0..<40, after))
    try expectHealthy(window.fixture, "window")
  }

  @Test func `Who waits for a sync that is refused is told, and so is the observer`() throws {
    let fixture = try StoreFixture(isObserved: true)
    fixture.options.useSmallWindow()
    try fixture.reopen()
    try fixture.store.set("first", forKey: "first")
    fixture.scheduler.runDue()
    try fixture.store.set("second", forKey: "second")
    fixture.disk.injectForGood(.error(.noSpace), only: [.write])
    let outcome = Mutex<[SedimentError.Code?]>([])
    fixture.store.sync { error in outcome.withLock { $0.append(error?.code) } }
    fixture.scheduler.runDue()
    #expect(outcome.withLock { $0 } == [.outOfSpace])
    fixture.disk.clearFaults()
    fixture.store.sync { error in outcome.withLock { $0.append(error?.code) } }
    fixture.scheduler.runDue()
    #expect(outcome.withLock { $0 } == [.outOfSpace, nil])
    #expect(fixture.events.count("failed: outOfSpace") == 1)
    try expectHealthy(fixture, "waiting")
  }
}
