/// A storage on a simulated disk that operations are carried out on, with what a crash at each moment may leave.
public final class CrashRecorder<Scenario: CrashScenario> {
  /// How the storage is opened and used.
  public let scenario: Scenario
  /// The disk, with its history since the recorder was made.
  public let disk: SimulatedDisk
  /// The storage while it is open.
  public private(set) var storage: Scenario.Storage?
  /// Whether an operation had an unknown outcome: nothing is changed any more until the storage is opened anew.
  public private(set) var isPoisoned = false
  /// What the storage may be found to hold: after so many operations, or before the first one, as a crash left it.
  public private(set) var states: [Scenario.Contents]
  private let leftover: CrashLeftover<Scenario.Contents>
  private var log: [(state: Int, number: Int, operation: String)] = []
  /// From which crash point on a state, or a later one, is what is found after a power failure.
  private var durable: [Moment]
  /// The same after the death of the process.
  private var acknowledged: [Moment]
  /// Behind which crash point a state may be found.
  private var begun: [Moment]
  /// The number of the last operation, also of those before a crash.
  private var number: Int

  private struct Moment {
    var point: Int
    var state: Int
  }

  /// A storage that is not there yet.
  public convenience init(_ scenario: Scenario, on disk: SimulatedDisk) {
    self.init(scenario, on: disk, after: CrashLeftover(scenario.empty), firstNumber: 0)
  }

  /// What a crash left; operations are numbered from behind `firstNumber` on.
  public init(
    _ scenario: Scenario, on disk: SimulatedDisk, after leftover: CrashLeftover<Scenario.Contents>,
    firstNumber: Int
  ) {
    self.scenario = scenario
    self.disk = disk
    self.leftover = leftover
    states = leftover.states
    number = firstNumber
    durable = [Moment(point: 0, state: 0)]
    acknowledged = durable
    begun = durable
  }

  /// What the storage holds now.
  public var current: Scenario.Contents { states[states.count - 1] }

  // MARK: Opening and closing

  /// Opens the storage, and finds which of the contents that it may hold it does; throws a `CrashMismatch` if none.
  public func open() throws {
    let (opened, found) = try atBeginningOfTime {
      let opened = try scenario.open(on: disk)
      return (opened, try scenario.contents(of: opened))
    }
    storage = opened
    guard let state = states.lastIndex(where: { scenario.accepts(found, as: $0) }),
      state >= leftover.leastFound
    else { throw mismatch(found) }
    // What has been read is on the disk.
    durable = [
      Moment(point: 0, state: leftover.isDurable ? state : 0), Moment(point: disk.crashPoint, state: state),
    ]
    acknowledged = [Moment(point: 0, state: state)]
    begun = [Moment(point: -1, state: state)]
    states.removeLast(states.count - state - 1)
  }

  /// Closes the storage in order, and notes what that promises; does nothing if it is not open.
  public func close() throws {
    guard let storage else { return }
    self.storage = nil
    keep(try scenario.close(storage))
  }

  /// Closes the storage, opens it again and sees that it holds the same.
  public func reopen() throws {
    try close()
    storage = try atBeginningOfTime { try scenario.open(on: disk) }
    try check()
  }

  /// Sees that the storage holds what it should; throws a `CrashMismatch` if not.
  public func check() throws {
    guard let storage else { return }
    let found = try atBeginningOfTime { try scenario.contents(of: storage) }
    guard scenario.accepts(found, as: current) else { throw mismatch(found) }
  }

  /// What has expired could not be told from what was lost.
  private func atBeginningOfTime<Result>(_ body: () throws -> Result) rethrows -> Result {
    let time = disk.wallClock()
    disk.setWallClock(to: 1)
    defer { disk.setWallClock(to: time) }
    return try body()
  }

  private func mismatch(_ found: Scenario.Contents) -> CrashMismatch {
    let least = min(leftover.leastFound, states.count - 1)
    let operations = (leftover.operations + log.suffix(12).map(\.operation)).joined(separator: "; ")
    return CrashMismatch(
      "found \(scenario.describe(found)); expected \(scenario.describe(states[least]))"
        + " or one of \(states.count - least - 1) later ones up to \(scenario.describe(current));"
        + " the operations: \(operations)")
  }

  // MARK: Operations

  /// Carries an operation out, and notes what it promises.
  ///
  /// Throws what the operation does. If its outcome is unknown, the recorder is poisoned, and later operations are only
  /// tried.
  public func perform(_ operation: Scenario.Operation) throws {
    guard let storage else { throw CrashMismatch("the storage is not open") }
    if !isPoisoned {
      for needed in scenario.operations(before: operation, in: current) { try perform(needed) }
    }
    number += 1
    // Nothing that is tried now changes anything.
    if isPoisoned {
      _ = try scenario.perform(operation, number: number, on: storage)
      return
    }
    var next = current
    scenario.apply(operation, number: number, to: &next, on: disk)
    states.append(next)
    let state = states.count - 1
    log.append((state, number, "\(number) behind \(disk.crashPoint): \(operation)"))
    begun.append(Moment(point: disk.crashPoint, state: state))
    do {
      keep(try scenario.perform(operation, number: number, on: storage))
    } catch {
      if scenario.outcome(of: error) == .unknown {
        isPoisoned = true
      } else {
        states.removeLast()
        begun.removeLast()
        log.removeLast()
      }
      throw error
    }
  }

  private func keep(_ promise: CrashPromise) {
    let state = states.count - 1
    if promise.outlivesProcess { acknowledged.append(Moment(point: disk.crashPoint, state: state)) }
    switch promise.outlivesPower {
    case .this: durable.append(Moment(point: disk.crashPoint, state: state))
    case .number(let number):
      guard let state = log.last(where: { $0.number == number })?.state else { return }
      let last = durable.last?.state ?? 0
      durable.append(Moment(point: disk.crashPoint, state: max(state, last)))
    case nil: break
    }
  }

  // MARK: What a crash may leave

  /// What is left once the power failed at a crash point.
  public func afterPowerLoss(at point: Int) -> CrashLeftover<Scenario.Contents> {
    let least = durable.last { $0.point <= point }?.state ?? 0
    return leftover(
      least, most: begun.last { $0.point < point }?.state ?? 0, leastFound: least, isDurable: true)
  }

  /// What is left once the process died at a crash point, or in the middle of what follows it.
  public func afterDeath(at point: Int, inNext: Bool = false) -> CrashLeftover<Scenario.Contents> {
    let most = begun.last { $0.point < (inNext ? point + 1 : point) }?.state ?? 0
    let leastFound = acknowledged.last { $0.point <= point }?.state ?? 0
    let least = durable.last { $0.point <= point }?.state ?? 0
    return leftover(min(least, leastFound), most: most, leastFound: leastFound, isDurable: false)
  }

  private func leftover(
    _ least: Int, most: Int, leastFound: Int, isDurable: Bool
  ) -> CrashLeftover<Scenario.Contents> {
    let most = max(most, leastFound)
    let operations = log.filter { (leastFound - 5...most).contains($0.state) }.map(\.operation)
    return CrashLeftover(
      states: Array(states[least...most]), leastFound: leastFound - least, isDurable: isDurable,
      operations: operations)
  }
}
