import CrashModel
import Sediment
import SedimentDisk
import SedimentTesting
import Testing

/// A store on a simulated disk that operations are carried out on, with what a crash at each moment may leave.
final class CrashRecorder {
  static let path = "/data/store.sediment"

  let disk: SimulatedDisk
  let access: SedimentOptions.Access
  /// The most bytes of a store that leaves out what was not read lately; nil for one that keeps everything.
  private let evictingByteCount: UInt64?
  private let leftover: CrashLeftover
  private let scheduler = ManualScheduler()
  private(set) var store: SedimentStore?
  /// What the store may be found to hold: after so many operations, or before the first one, as a crash left it.
  private(set) var states: [CrashContents]
  private var log: [(state: Int, operation: String)] = []
  /// From which crash point on a state, or a later one, is what is found after a power failure.
  private var durable: [Moment]
  /// The same after the death of the process.
  private var acknowledged: [Moment]
  /// Behind which crash point a state may be found.
  private var begun: [Moment]
  /// By when, in the scheduler's nanoseconds, the background must have synced a state.
  private var due: [(time: UInt64, state: Int)] = []
  /// Whether an operation had an unknown outcome.
  private(set) var isPoisoned = false
  /// What failed in the background.
  private let failures = CrashFailures()
  /// Makes every value another one, also after a crash.
  private var number: Int

  private struct Moment {
    var point: Int
    var state: Int
  }

  /// A store that is not there yet.
  convenience init(
    _ disk: SimulatedDisk, _ access: SedimentOptions.Access, evictingByteCount: UInt64? = nil
  ) {
    let leftover = CrashLeftover(states: [CrashContents()], evictingByteCount: evictingByteCount)
    self.init(disk, access, leftover, firstNumber: 0)
  }

  /// What a crash left.
  init(
    _ disk: SimulatedDisk, _ access: SedimentOptions.Access, _ leftover: CrashLeftover, firstNumber: Int
  ) {
    self.disk = disk
    self.access = access
    self.leftover = leftover
    evictingByteCount = leftover.evictingByteCount
    states = leftover.states
    number = firstNumber
    durable = [Moment(point: 0, state: 0)]
    acknowledged = durable
    begun = durable
  }

  /// Opens the store, and finds which of the states that it may hold it does.
  ///
  /// The clock stands at its beginning meanwhile, or what has expired could not be told from what was lost.
  func open() throws {
    let time = disk.wallClock()
    disk.setWallClock(to: 1)
    defer { disk.setWallClock(to: time) }
    let opened = try openStore()
    store = opened
    let found = try CrashContents(of: opened)
    let isEvicting = evictingByteCount != nil
    let index = states.lastIndex { isEvicting ? found.isPart(of: $0) : found == $0 }
    guard let state = index, state >= leftover.leastFound else { throw CrashFinding(found: found) }
    // What has been read is on the disk.
    durable = [
      Moment(point: 0, state: leftover.isDurable ? state : 0), Moment(point: disk.crashPoint, state: state),
    ]
    acknowledged = [Moment(point: 0, state: state)]
    begun = [Moment(point: -1, state: state)]
    states.removeLast(states.count - state - 1)
  }

  private func openStore() throws -> SedimentStore {
    var options = SedimentOptions(durability: .unsynced, access: access) { [failures] event in
      if case .failed = event { failures.add() }
    }
    // Some dead records are enough for the background to move what is live.
    options.slackSlotCount = 3
    if let evictingByteCount { options.capacity = .evicting(maxBytes: evictingByteCount) }
    return try SedimentStore(path: Self.path, options: options, disk: disk, scheduler: scheduler)
  }

  var current: CrashContents { states[states.count - 1] }

  func perform(_ operation: CrashOperation) throws {
    for name in operation.collectionsNeeded where current.collections[name] == nil {
      try perform(.create(name))
    }
    number += 1
    // Nothing that is tried now changes anything; another opening would.
    if isPoisoned {
      if case .reopen = operation { return }
      return try carryOut(operation)
    }
    var next = current
    next.apply(operation, number: number, time: disk.wallClock())
    states.append(next)
    let state = states.count - 1
    log.append((state, "\(state) behind \(disk.crashPoint): \(operation)"))
    begun.append(Moment(point: disk.crashPoint, state: state))
    if case .interval(let interval) = operation.durability, next != states[state - 1] {
      due.append((scheduler.now + UInt64(interval / .nanoseconds(1)), state))
    }
    do {
      try carryOut(operation)
    } catch let error as SedimentError where error.code == .outcomeUnknown {
      isPoisoned = true
      throw error
    } catch {
      // What is refused changes nothing.
      states.removeLast()
      begun.removeLast()
      due.removeAll { $0.state == state }
      throw error
    }
    acknowledged.append(Moment(point: disk.crashPoint, state: state))
    if operation.isSynced { durable.append(Moment(point: disk.crashPoint, state: state)) }
    if !failures.isEmpty { due = [] }
    if let last = due.lazy.filter({ $0.time <= self.scheduler.now }).map(\.state).max() {
      durable.append(Moment(point: disk.crashPoint, state: last))
      due.removeAll { $0.time <= scheduler.now }
    }
  }

  private func carryOut(_ operation: CrashOperation) throws {
    guard let store else { throw CancellationError() }
    switch operation {
    case .wait:
      disk.advanceClocks(by: CrashOperation.interval)
      scheduler.advance(by: UInt64(CrashOperation.interval / .nanoseconds(1)))
    case .background: scheduler.runDue()
    case .reopen:
      try close()
      self.store = try openStore()
    default: try operation.carryOut(on: store, number: number)
    }
  }

  func close() throws {
    defer { store = nil }
    try store?.close()
  }

  /// Goes on with what a crash left: opens it, uses it, and sees that opened again it holds the same.
  static func resume(
    _ image: SimulatedDisk, _ access: SedimentOptions.Access, _ leftover: CrashLeftover, firstNumber: Int
  ) throws -> CrashRecorder {
    let next = CrashRecorder(image, access, leftover, firstNumber: firstNumber)
    try next.open()
    try next.perform(.set(.init("key-0"), byteCount: 24, .synced))
    try next.perform(.batch([(.init("key-1"), 24), (.init("key-2"), nil)], .unsynced))
    try next.perform(.reopen)
    let again = try CrashContents(of: try #require(next.store))
    let expected = next.current.visible(at: image.wallClock())
    let isRight = leftover.evictingByteCount == nil ? again == expected : again.isPart(of: expected)
    guard isRight else { throw CrashFinding(found: again) }
    return next
  }

  // MARK: What a crash may leave

  /// What is left once the power failed at a crash point.
  func afterPowerLoss(at point: Int) -> CrashLeftover {
    let least = durable.last { $0.point <= point }?.state ?? 0
    return leftover(
      least, most: begun.last { $0.point < point }?.state ?? 0, leastFound: least, isDurable: true)
  }

  /// What is left once the process died at a crash point, or in the middle of what follows it.
  func afterDeath(at point: Int, inNext: Bool = false) -> CrashLeftover {
    let most = begun.last { $0.point < (inNext ? point + 1 : point) }?.state ?? 0
    let leastFound = acknowledged.last { $0.point <= point }?.state ?? 0
    let least = durable.last { $0.point <= point }?.state ?? 0
    return leftover(min(least, leastFound), most: most, leastFound: leastFound, isDurable: false)
  }

  private func leftover(_ least: Int, most: Int, leastFound: Int, isDurable: Bool) -> CrashLeftover {
    let most = max(most, leastFound)
    let operations = log.filter { (leastFound - 5...most).contains($0.state) }.map(\.operation)
    return CrashLeftover(
      states: Array(states[least...most]), leastFound: leastFound - least, isDurable: isDurable,
      operations: operations, evictingByteCount: evictingByteCount)
  }
}
