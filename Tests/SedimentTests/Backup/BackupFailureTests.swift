import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Copies of stores that cannot be made.
struct BackupFailureTests {
  private static let copy = BackupTests.copy

  /// Nothing is left of the copy, and the store is as well as before.
  private func expectHealthy(_ fixture: StoreFixture, _ before: [String], _ comment: Comment) throws {
    #expect(fixture.disk.paths == [StoreFixture.path], comment)
    #expect(fixture.store.pinnedGenerationCount == 0, comment)
    try fixture.store.set("1", forKey: "after")
    try fixture.store.remove(forKey: "after", durability: .synced)
    #expect(try contents(of: fixture.store) == before, comment)
  }

  @Test(arguments: [false, true])
  func `A file that is there already stays as it is`(clones: Bool) throws {
    let fixture = try StoreFixture(on: disk(clones: clones))
    try StoreFixture.fill(fixture.store)
    fixture.disk.install([1, 2, 3], at: Self.copy)
    for path in [Self.copy, StoreFixture.path] {
      let error = #expect(throws: SedimentError.self) { try fixture.store.backup(to: path) }
      #expect(error?.code == .exists)
      #expect(error?.path == path)
    }
    #expect(fixture.disk.contents(of: Self.copy) == [1, 2, 3])
    #expect(BackupTests.leftovers(fixture.disk) == [])
  }

  /// How long the file is in which nearly all was removed, once the background has nothing to do any more.
  private static func byteCount(afterRemoving remove: (StoreFixture, @escaping () -> Void) throws -> Void)
    throws
    -> UInt64
  {
    let fixture = try StoreFixture()
    for number in 0..<400 { try fixture.store.set(pattern(8_000, number), forKey: "\(number)") }
    try fixture.store.sync()
    try remove(fixture) {
      let refusal = code {
        for number in 10..<400 { try fixture.store.remove(forKey: "\(number)") }
        try fixture.store.sync()
      }
      #expect(refusal == nil)
      fixture.scheduler.advance(by: 60_000_000_000)
    }
    fixture.scheduler.advance(by: 60_000_000_000)
    #expect(fixture.store.accountFindings() == [])
    let figures = fixture.store.statistics
    return figures.fileByteCount - figures.freeByteCount
  }

  @Test func `What was freed beside a copy comes back though nobody writes any more`() throws {
    let alone = try Self.byteCount { _, remove in remove() }
    let beside = try Self.byteCount { fixture, remove in
      var isFirst = true
      try fixture.store.backup(to: Self.copy) { _ in
        if isFirst { remove() }
        isFirst = false
        return .continue
      }
    }
    #expect(beside <= alone + 4 << 14, "\(beside), and \(alone) alone")
  }

  /// A disk that has no blocks for a few bytes once it is told so.
  private final class FullForHeaders: ForwardingDisk, @unchecked Sendable {
    let isFull = Atomic<Bool>(false)

    override func file(_ file: any DiskFile) -> any DiskFile { Refusing(file, self) }

    private final class Refusing: ForwardingFile, @unchecked Sendable {
      private let disk: FullForHeaders

      init(_ file: any DiskFile, _ disk: FullForHeaders) {
        self.disk = disk
        super.init(file)
      }

      override func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
        if bytes.byteCount == 8, disk.isFull.load(ordering: .relaxed) {
          throw DiskError(.write, path: StoreFixture.path, offset: offset, code: .noSpace)
        }
        try super.write(bytes, at: offset)
      }
    }
  }

  @Test func `What was freed of a file that shares its blocks comes back on a full disk, too`() throws {
    let disk = FullForHeaders(SimulatedDisk(seed: 1))
    let store = try SedimentStore(
      path: StoreFixture.path, options: SedimentOptions(durability: .unsynced, compression: .off), disk: disk,
      scheduler: ManualScheduler())
    for number in 0..<200 { try store.set(pattern(8_000, number), forKey: "\(number)") }
    for number in 0..<200 { try store.remove(forKey: "\(number)") }
    try store.sync()
    disk.isFull.store(true, ordering: .relaxed)
    try store.compact()
    #expect(store.statistics.fileByteCount < 1 << 20)
    try store.set("1", forKey: "after")
    #expect(try store.retrieve(forKey: "after", as: String.self) == "1")
    try store.close()
  }

  @Test(arguments: [false, true])
  func `A file that appears meanwhile stays as it is, too`(clones: Bool) throws {
    let fixture = try StoreFixture(on: disk(clones: clones))
    try StoreFixture.fill(fixture.store)
    let error = #expect(throws: SedimentError.self) {
      try fixture.store.backup(to: Self.copy) { _ in
        fixture.disk.install([1, 2, 3], at: Self.copy)
        return .continue
      }
    }
    #expect(error?.code == .exists)
    #expect(fixture.disk.contents(of: Self.copy) == [1, 2, 3])
    #expect(BackupTests.leftovers(fixture.disk) == [])
  }

  @Test(arguments: [false, true])
  func `Stopped at any moment it leaves nothing behind`(clones: Bool) throws {
    let fixture = try StoreFixture(on: disk(clones: clones))
    try StoreFixture.fill(fixture.store)
    let before = try contents(of: fixture.store)
    var moments = 0
    try fixture.store.backup(to: "data/whole") { _ in
      moments += 1
      return .continue
    }
    try fixture.disk.remove("data/whole")
    for moment in 1..<moments {
      var count = 0
      let error = #expect(throws: SedimentError.self) {
        try fixture.store.backup(to: Self.copy) { _ in
          count += 1
          return count == moment ? .stop : .continue
        }
      }
      #expect(error?.code == .cancelled)
      try expectHealthy(fixture, before, "moment \(moment)")
    }
  }

  @Test(arguments: [false, true])
  func `A task that is cancelled makes no copy, and another one does`(clones: Bool) async throws {
    let fixture = try StoreFixture(on: disk(clones: clones))
    try StoreFixture.fill(fixture.store)
    let before = try contents(of: fixture.store)
    let store = fixture.store
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await store.backup(to: Self.copy)
    }
    task.cancel()
    let error = await #expect(throws: SedimentError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    try expectHealthy(fixture, before, "cancelled")
    let last = Mutex<SedimentProgress?>(nil)
    try await store.backup(to: Self.copy) { progress in
      last.withLock { $0 = progress }
      return .continue
    }
    #expect(last.withLock { $0.map { $0.completedByteCount == $0.totalByteCount } } == true)
    #expect(try contents(of: StoreFixture.opened(Self.copy, on: fixture.disk)) == before)
  }

  @Test(arguments: [false, true])
  func `A full disk is an error that leaves the store as well as before`(clones: Bool) throws {
    let fixture = try StoreFixture(on: disk(clones: clones))
    try StoreFixture.fill(fixture.store)
    try fixture.store.sync()
    let before = try contents(of: fixture.store)
    let used = fixture.disk.usedByteCount
    var isMade = false
    var failureCount = 0
    for blockCount in 0..<400 where !isMade {
      fixture.disk.capacity = used + UInt64(blockCount) * 4096
      if let code = code({ try fixture.store.backup(to: Self.copy) }) {
        #expect(code == .outOfSpace)
        #expect(fixture.disk.paths == [StoreFixture.path])
        failureCount += 1
      } else {
        isMade = true
      }
    }
    #expect(failureCount > 50 && isMade)
    #expect(try contents(of: StoreFixture.opened(Self.copy, on: fixture.disk)) == before)
    fixture.disk.capacity = nil
    try fixture.disk.remove(Self.copy)
    try expectHealthy(fixture, before, "afterwards")
  }

  @Test(arguments: [SystemErrorCode.inputOutput, .noSpace, .accessDenied], [true, false])
  func `Whichever call fails, there is no copy or all of it`(code: SystemErrorCode, isDone: Bool) throws {
    let whole = try StoreFixture()
    try StoreFixture.fill(whole.store)
    let first = whole.disk.callCount
    try whole.store.backup(to: Self.copy)
    let last = whole.disk.callCount
    for index in first..<last {
      let fixture = try StoreFixture()
      try StoreFixture.fill(fixture.store)
      let before = try contents(of: fixture.store)
      fixture.disk.inject(isDone ? .errorAfterwards(code) : .error(code), atCall: index)
      let comment = Comment("call \(index - first)")
      do {
        try fixture.store.backup(to: Self.copy)
        fixture.disk.clearFaults()
        #expect(try contents(of: StoreFixture.opened(Self.copy, on: fixture.disk)) == before, comment)
        try fixture.disk.remove(Self.copy)
      } catch {
        let error = error as? SedimentError
        #expect(error?.systemError?.code == code, comment)
        // The sync of the store itself.
        if error?.code == .outcomeUnknown {
          #expect(fixture.disk.paths == [StoreFixture.path], comment)
          #expect(try contents(of: fixture.store) == before, comment)
          continue
        }
      }
      fixture.disk.clearFaults()
      // What failed only afterwards may have made the name, and then the file has it as a whole.
      if isDone, fixture.disk.paths.contains(Self.copy) {
        #expect(try contents(of: StoreFixture.opened(Self.copy, on: fixture.disk)) == before, comment)
        try fixture.disk.remove(Self.copy)
      }
      if isDone { for path in BackupTests.leftovers(fixture.disk) { try fixture.disk.remove(path) } }
      try expectHealthy(fixture, before, comment)
    }
  }

  @Test func `Where sharing blocks fails, the bytes are copied`() throws {
    for code in [SystemErrorCode.notSupported, .noSpace, .inputOutput] {
      let fixture = try StoreFixture(on: disk(clones: true))
      try StoreFixture.fill(fixture.store)
      fixture.disk.inject(.error(code), only: [.clone])
      try fixture.store.backup(to: Self.copy)
      let before = try contents(of: fixture.store)
      #expect(try contents(of: StoreFixture.opened(Self.copy, on: fixture.disk)) == before)
      #expect(BackupTests.leftovers(fixture.disk) == [])
    }
  }

  @Test func `After sharing blocks nothing is stored where others would have to be found for it`() throws {
    for isShared in [true, false] {
      let fixture = try StoreFixture(on: disk(clones: isShared))
      let store = fixture.store
      try StoreFixture.fill(store)
      // Slots that were taken and given back.
      #expect(try !store.setIfAbsent(pattern(300_000), forKey: "large"))
      let before = try contents(of: store)
      try store.backup(to: Self.copy)
      fixture.disk.injectForGood(.error(.noSpace), only: [.allocate])
      // It takes a segment of its own.
      let code = code { try store.set(pattern(20_000), forKey: "new") }
      #expect(code == (isShared ? .outOfSpace : nil))
      fixture.disk.clearFaults()
      try store.set(pattern(20_000), forKey: "new")
      try store.remove(forKey: "new")
      #expect(try contents(of: store) == before)
    }
  }

  @Test func `Slots that come to be free after the sharing are not stored into either`() throws {
    for isShared in [true, false] {
      let fixture = try StoreFixture(on: disk(clones: isShared))
      try StoreFixture.fill(fixture.store)
      try fixture.store.backup(to: Self.copy)
      #expect(try !fixture.store.setIfAbsent(pattern(300_000), forKey: "large"))
      fixture.disk.injectForGood(.error(.noSpace), only: [.allocate])
      let code = code { try fixture.store.set(pattern(20_000), forKey: "new") }
      // What the file grew by since is its own.
      #expect(code == nil || isShared)
      fixture.disk.clearFaults()
    }
    var space = SlotSpace(end: 10)
    space.give(2..<4)
    space.makeFreeBare()
    #expect(space.freeCount == 0 && space.bareCount == 2)
    space.give(4..<6)
    #expect(space.bareRun(for: 4, isAdjacent: true) == 2..<6)
    space.extend(by: 2)
    #expect(space.freeCount == 2)
    space.noteBlocks(in: 2..<5)
    #expect(space.take(3, for: .goingOn)?.first == 2)
    space.give(2..<5)
    #expect(space.freeCount == 2 && space.bareRun(for: 4, isAdjacent: true) == 2..<6)
    #expect(space.take(10..<11) != nil && space.freeCount == 1)
    space.give(10..<11)
    #expect(space.freeCount == 2)
  }

  @Test func `The log and the window are given blocks of their own again, or records go out one by one`()
    throws
  {
    for isFull in [false, true] {
      let fixture = try WindowFixture(on: disk(clones: true)).fixture
      if isFull { fixture.disk.injectForGood(.error(.noSpace), only: [.allocate]) }
      try? fixture.store.backup(to: Self.copy)
      let clone = try #require(fixture.disk.calls.lastIndex { $0.operation == .clone })
      let next = fixture.disk.calls[clone + 1]
      #expect(next.operation == .allocate && next.path == StoreFixture.path)
      fixture.disk.clearFaults()
      let call = fixture.disk.callCount
      try fixture.store.set("2", forKey: "key")
      #expect(fixture.count(.write, since: call) == (isFull ? 1 : 0))
      try fixture.reopen()
      #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "2")
    }
  }

  @Test(arguments: [false, true])
  func `After a power failure at any moment the copy is absent or whole, and so is the store`(
    clones: Bool
  ) throws {
    let fixture = try StoreFixture(on: disk(clones: clones))
    for number in 0..<20 { try fixture.store.set(pattern(100, number), forKey: "key \(number)") }
    try fixture.store.sync()
    let before = try contents(of: fixture.store)
    fixture.disk.trimHistory()
    try fixture.store.backup(to: Self.copy)
    let plans = CrashPlanOptions(exhaustiveCountMax: 64, randomCount: 8, countMax: 40)
    var (absentCount, wholeCount) = (0, 0)
    for state in fixture.disk.history {
      for choice in state.plans(plans, seed: 1) {
        let image = state.afterPowerLoss(choice)
        #expect(try contents(of: StoreFixture.opened(StoreFixture.path, on: image)) == before)
        guard image.paths.contains(Self.copy) else {
          absentCount += 1
          continue
        }
        wholeCount += 1
        let copy = try StoreFixture.opened(Self.copy, on: image)
        #expect(copy.recovery.wasClosed)
        #expect(try contents(of: copy) == before)
      }
    }
    #expect(absentCount > 50 && wholeCount > 0)
    let last = fixture.disk.afterPowerLoss(.nothing)
    #expect(last.paths == [Self.copy, StoreFixture.path])
  }

  @Test func `A closed store is not backed up`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try fixture.close()
    #expect(code { try store.backup(to: Self.copy) } == .closed)
    #expect(fixture.disk.paths == [StoreFixture.path])
  }

  @Test func `Closed in the middle of it, the store makes no copy`() throws {
    let fixture = try StoreFixture()
    try StoreFixture.fill(fixture.store)
    let store = fixture.store
    #expect(
      code {
        try store.backup(to: Self.copy) { _ in
          try? store.close()
          return .continue
        }
      } == .closed)
    #expect(fixture.disk.paths == [StoreFixture.path])
    fixture.drop()
    try fixture.open()
    #expect(fixture.store.recovery.wasClosed)
  }

  @Test func `A store whose disk failed is still copied as it is read`() throws {
    let fixture = try StoreFixture()
    try StoreFixture.fill(fixture.store)
    let before = try contents(of: fixture.store)
    fixture.disk.inject(.error(.inputOutput), only: [.sync])
    #expect(code { try fixture.store.sync() } == .outcomeUnknown)
    try fixture.store.backup(to: Self.copy)
    #expect(try contents(of: StoreFixture.opened(Self.copy, on: fixture.disk)) == before)
  }
}
