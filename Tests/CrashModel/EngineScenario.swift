package import Sediment
package import SedimentTesting
internal import Synchronization

/// The engine as the crash checks know it: one store in one file.
package struct EngineScenario: CrashScenario {
  package static let path = "/data/store.sediment"

  package var access: SedimentOptions.Access
  /// What random operations there are.
  package var mix = CrashMix()
  /// The most bytes of a store that leaves out what was not read lately; nil for one that keeps everything.
  package var evictingByteCount: UInt64?
  package var compression = SedimentCompression.off
  /// Whether a close stores the index.
  package var storesIndex = true
  /// What the entries of a catalogue change may take in one record; small numbers make most changes batches.
  package var changeByteCountMax = 15_000
  /// Whether what a crash left is now and then opened in the way of access that reads by calls.
  package var variesAccess = true
  /// Whether calls to the disk fail: then the store may refuse anything, and else only what it has no room for.
  package var hasFaults = false

  package init(
    _ access: SedimentOptions.Access, mix: CrashMix = CrashMix(), evictingByteCount: UInt64? = nil,
    compression: SedimentCompression = .off
  ) {
    self.access = access
    self.mix = mix
    self.evictingByteCount = evictingByteCount
    self.compression = compression
  }

  package var empty: CrashContents { CrashContents() }

  package func open(on disk: SimulatedDisk) throws -> EngineUnderTest {
    try EngineUnderTest(self, disk)
  }

  package func close(_ storage: EngineUnderTest) throws -> CrashPromise {
    // One that could not be opened again promises nothing.
    guard let store = storage.store else { return .nothing }
    try storage.checkAccounts()
    try store.close()
    try storage.checkLocks()
    return .forEver
  }

  package func contents(of storage: EngineUnderTest) throws -> CrashContents {
    try storage.checkAccounts()
    return try CrashContents(of: try storage.opened())
  }

  package func operation(using generator: inout SeededGenerator) -> CrashOperation {
    mix.random(using: &generator)
  }

  package func operations(before operation: CrashOperation, in contents: CrashContents) -> [CrashOperation] {
    operation.collectionsNeeded.filter { contents.collections[$0] == nil }.map { .create($0) }
  }

  package func probes(using generator: inout SeededGenerator) -> [CrashOperation] {
    [
      .set(.init("key-0"), byteCount: 24, .synced),
      .batch([(.init("key-1"), 24), (.init("key-2"), nil)], .unsynced),
    ]
  }

  package func perform(
    _ operation: CrashOperation, number: Int, on storage: EngineUnderTest
  ) throws -> CrashPromise {
    try storage.perform(operation, number: number)
  }

  package func apply(
    _ operation: CrashOperation, number: Int, to contents: inout CrashContents, on disk: SimulatedDisk
  ) {
    contents.apply(operation, number: number, time: disk.wallClock())
  }

  package func accepts(_ found: CrashContents, as expected: CrashContents) -> Bool {
    evictingByteCount == nil ? found.isAll(of: expected) : found.isPart(of: expected)
  }

  package func outcome(of error: any Error) -> CrashOutcome {
    guard let error = error as? SedimentError, error.code != .outcomeUnknown else { return .unknown }
    return hasFaults || error.code == .outOfSpace ? .refused : .unknown
  }

  package func successor(using generator: inout SeededGenerator) -> EngineScenario {
    guard variesAccess, Int.random(in: 0..<6, using: &generator) == 0 else { return self }
    var other = self
    other.access = .unmapped
    return other
  }

  package func describe(_ contents: CrashContents) -> String { contents.summary }
}

/// A store on a simulated disk, whose background works when an operation says so.
package final class EngineUnderTest {
  /// Nil once it could not be opened again.
  package private(set) var store: SedimentStore?
  private let scenario: EngineScenario
  private let disk: SimulatedDisk
  private let scheduler = ManualScheduler()
  /// What failed in the background.
  private let failures = BackgroundFailures()
  /// By when, in the scheduler's nanoseconds, the background must have synced the operation of a number.
  private var due: [(time: UInt64, number: Int)] = []
  private var isPoisoned = false

  init(_ scenario: EngineScenario, _ disk: SimulatedDisk) throws {
    self.scenario = scenario
    self.disk = disk
    store = try Self.open(scenario, disk, scheduler, failures)
  }

  private static func open(
    _ scenario: EngineScenario, _ disk: SimulatedDisk, _ scheduler: ManualScheduler,
    _ failures: BackgroundFailures
  ) throws -> SedimentStore {
    var options = SedimentOptions(
      durability: .unsynced, access: scenario.access, compression: scenario.compression
    ) { event in
      if case .failed(let error) = event { failures.add(error) }
    }
    options.storesIndex = scenario.storesIndex
    // Some dead records are enough for the background to move what is live.
    options.slackSlotCount = 3
    options.useSmallWindow()
    options.changeByteCountMax = scenario.changeByteCountMax
    if let byteCount = scenario.evictingByteCount { options.capacity = .evicting(maxBytes: byteCount) }
    return try SedimentStore(path: EngineScenario.path, options: options, disk: disk, scheduler: scheduler)
  }

  func opened() throws -> SedimentStore {
    guard let store else { throw CrashContradiction(description: "the store could not be opened again") }
    return store
  }

  func perform(_ operation: CrashOperation, number: Int) throws -> CrashPromise {
    let store = try opened()
    let before = store.lastSequence
    do {
      try carryOut(operation, number, on: store)
    } catch let error as SedimentError where error.code == .outcomeUnknown {
      isPoisoned = true
      throw error
    }
    try checkSize()
    try checkBackground()
    if operation.isSynced { return .forEver }
    if case .interval(let interval) = operation.durability, store.lastSequence != before {
      due.append((scheduler.now + UInt64(interval / .nanoseconds(1)), number))
    }
    if !failures.isEmpty { due = [] }
    guard let last = due.lazy.filter({ [scheduler] in $0.time <= scheduler.now }).map(\.number).max() else {
      return .untilPowerFails
    }
    due.removeAll { $0.number <= last }
    return CrashPromise(outlivesProcess: true, outlivesPower: .number(last))
  }

  private static let spareByteCount: UInt64 = 32 << 10

  private func checkSize() throws {
    guard let byteCountMax = scenario.evictingByteCount, let store else { return }
    // Several crashes in a row, with nothing between them, may cost a checkpoint each (DESIGN.md 14).
    let spare: UInt64 = store.recovery.wasClosed ? 0 : Self.spareByteCount
    let byteCount = store.statistics.fileByteCount
    if byteCount <= byteCountMax + spare { return }
    throw CrashContradiction(description: "the file has \(byteCount) bytes, and \(byteCountMax) at most")
  }

  /// Where no call fails, nothing fails in the background but for want of room.
  private func checkBackground() throws {
    guard !scenario.hasFaults, let error = failures.first(but: .outOfSpace) else { return }
    throw CrashContradiction(description: "the background failed: \(error)")
  }

  /// Nothing is under way between two operations, so every slot and every count is accounted for.
  func checkAccounts() throws {
    let store = try opened()
    if scenario.hasFaults {
      // What an opening has left for later needs the disk, too.
      do { try store.forEachKey(withPrefix: "") { _ in .stop } } catch is SedimentError { return }
    }
    let findings = store.accountFindings()
    if !findings.isEmpty { throw CrashContradiction(description: "the accounts: \(findings)") }
  }

  /// A closed store holds no lock, for which a system that suspends apps would end the process.
  func checkLocks() throws {
    let locked = disk.lockedPaths
    if !locked.isEmpty { throw CrashContradiction(description: "locked after the close: \(locked)") }
  }

  private func carryOut(_ operation: CrashOperation, _ number: Int, on store: SedimentStore) throws {
    switch operation {
    case .wait: pass(CrashOperation.interval)
    case .pass(let duration): pass(duration)
    case .jump(let distance): disk.setWallClock(to: ClockJump.time(disk.wallClock(), after: distance))
    case .background: scheduler.runDue()
    case .reopen:
      // Another opening would change something.
      if isPoisoned { return }
      try checkAccounts()
      self.store = nil
      try store.close()
      due = []
      self.store = try Self.open(scenario, disk, scheduler, failures)
    default: try operation.carryOut(on: store, number: number)
    }
  }

  private func pass(_ duration: Duration) {
    disk.advanceClocks(by: duration)
    scheduler.advance(by: UInt64(duration / .nanoseconds(1)))
  }
}

/// What failed in the background.
private final class BackgroundFailures: Sendable {
  private let errors = Mutex<[SedimentError]>([])

  var isEmpty: Bool { errors.withLock { $0.isEmpty } }

  func first(but code: SedimentError.Code) -> SedimentError? {
    errors.withLock { $0.first { $0.code != code } }
  }

  func add(_ error: SedimentError) {
    errors.withLock { $0.append(error) }
  }
}
