import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Copies of stores of which a write or a sync failed.
struct BackupAfterFailureTests {
  private static let copy = BackupTests.copy

  /// A store with small records that are synced, and some that are not.
  private static func prepared(
    _ access: SedimentOptions.Access, _ prepare: (SedimentStore) throws -> Void
  ) throws -> StoreFixture {
    let fixture = try StoreFixture(access)
    fixture.options.useSmallWindow()
    try fixture.reopen()
    for number in 0..<400 { try fixture.store.set(pattern(1_000, number), forKey: "key \(number)") }
    _ = try fixture.store.collection("users")
    try prepare(fixture.store)
    try fixture.store.sync()
    try fixture.store.set("unsynced", forKey: "late")
    return fixture
  }

  /// The copy is sound and has what the store reads.
  private func expectSound(_ fixture: StoreFixture, _ comment: Comment) throws {
    let figures = fixture.store.statistics
    let before = try contents(of: fixture.store)
    try fixture.store.backup(to: Self.copy)
    let disk = fixture.disk.afterPowerLoss(.nothing)
    let findings = try SedimentStore.verify(path: Self.copy, on: disk).findings
    #expect(findings.filter { $0.kind != .orphaned } == [], comment)
    let opened = try StoreFixture.opened(Self.copy, on: disk)
    #expect(try contents(of: opened) == before, comment)
    #expect(opened.statistics.liveKeyCount == figures.liveKeyCount, comment)
    #expect(opened.statistics.liveByteCount == figures.liveByteCount, comment)
    #expect(fixture.store.pinnedGenerationCount == 0, comment)
  }

  /// Lets each call that writes or syncs in a change fail in turn, in two ways.
  private func failEach(
    _ access: SedimentOptions.Access, _ prepare: (SedimentStore) throws -> Void = { _ in },
    _ change: (SedimentStore) throws -> Void
  ) throws {
    let whole = try Self.prepared(access, prepare)
    let first = whole.disk.callCount
    try change(whole.store)
    let calls = whole.disk.calls[first...].enumerated()
      .filter { [.write, .sync].contains($1.operation) }
    try #require(!calls.isEmpty)
    for (index, call) in calls {
      let effects: [FaultEffect] =
        call.operation == .sync
        ? [.error(.inputOutput), .droppedSync(.noSpace)]
        : [.error(.inputOutput), .shortWrite(byteCount: 40, .noSpace), .errorAfterwards(.inputOutput)]
      for effect in effects {
        let fixture = try Self.prepared(access, prepare)
        let before = try contents(of: fixture.store)
        fixture.disk.inject(effect, atCall: first + index)
        let code = code { try change(fixture.store) }
        let comment = Comment("\(call.operation) \(index), \(effect)")
        if code != nil { #expect(try contents(of: fixture.store) == before, comment) }
        try expectSound(fixture, comment)
      }
    }
  }

  @Test(arguments: accesses)
  func `Whichever write of a batch fails, the copy has nothing of it`(access: SedimentOptions.Access) throws {
    try failEach(access) { store in
      try store.batch { batch in
        for number in 0..<40 { batch.set(pattern(9_000, number), forKey: "new \(number)") }
        for number in 0..<40 { batch.remove(forKey: "key \(number)") }
      }
    }
  }

  @Test(arguments: accesses)
  func `Whichever write of a change of all keys fails, the copy has them as they are read`(
    access: SedimentOptions.Access
  ) throws {
    try failEach(access) { try $0.dropCollection("users", durability: .unsynced) }
    try failEach(access) { try $0.set(pattern(300_000), forKey: "large") }
    try failEach(access) { try $0.set(pattern(12_000), forKey: "key 1") }
  }

  @Test(arguments: accesses)
  func `Whichever write or sync of compaction fails, the copy has all that was there`(
    access: SedimentOptions.Access
  ) throws {
    try failEach(access) { store in
      for number in 0..<300 where number % 10 > 0 { try store.remove(forKey: "key \(number)") }
    } _: { store in
      try store.compact()
    }
  }

  @Test(arguments: accesses)
  func `What the device forgets before a sync tells of it is in no copy`(
    access: SedimentOptions.Access
  ) throws {
    let change = { (store: SedimentStore) in
      try store.batch { batch in
        for number in 0..<40 { batch.set(pattern(9_000, number), forKey: "key \(number)") }
      }
      try store.set(pattern(300_000), forKey: "large")
    }
    let copies = [
      { (store: SedimentStore) in try store.backup(to: Self.copy) },
      { (store: SedimentStore) in try store.backupLiveRecords(to: Self.copy) },
    ]
    let whole = try Self.prepared(access) { _ in }
    let first = whole.disk.callCount
    try change(whole.store)
    let writes = whole.disk.calls[first...].indices.filter { whole.disk.calls[$0].operation == .write }
    try #require(!writes.isEmpty)
    for write in writes {
      for (way, copy) in copies.enumerated() {
        let fixture = try Self.prepared(access) { _ in }
        fixture.disk.inject(.forgottenWrite(.inputOutput), atCall: write)
        try change(fixture.store)
        let code = code { try copy(fixture.store) }
        // Each record is verified where live ones alone are copied, so its damage may be told first.
        let isTold = code == .outcomeUnknown || way == 1 && code == .damaged
        #expect(isTold, "write \(write - first): \(code as Any)")
        #expect(fixture.disk.paths == [StoreFixture.path], "write \(write - first)")
        #expect(fixture.store.pinnedGenerationCount == 0, "write \(write - first)")
        #expect(try fixture.store.retrieve(forKey: "late") == Array("unsynced".utf8))
      }
    }
  }

  @Test func `What a failed flush has left in the window is copied`() throws {
    let fixture = try WindowFixture()
    try fixture.set(0..<20)
    fixture.disk.inject(.error(.inputOutput), only: [.write])
    #expect(code { try fixture.store.sync() } == .outcomeUnknown)
    try expectSound(fixture.fixture, "flush")
    #expect(try WindowFixture.holds(0..<20, StoreFixture.opened(Self.copy, on: fixture.disk)))
  }

  @Test func `A store that fails while it is copied is copied by the next call`() throws {
    let fixture = try Self.prepared(.automatic) { _ in }
    fixture.disk.inject(.droppedSync(.inputOutput), only: [.sync])
    let failure = code {
      var isFirst = true
      try fixture.store.backup(to: Self.copy) { _ in
        if isFirst { try? fixture.store.sync() }
        isFirst = false
        return .continue
      }
    }
    #expect(failure == .outcomeUnknown)
    #expect(fixture.disk.paths == [StoreFixture.path])
    try expectSound(fixture, "again")
  }
}
