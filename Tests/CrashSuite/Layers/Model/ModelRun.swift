import CrashModel
import Sediment
import SedimentTesting
import Synchronization

/// One random history of a store and its model.
struct ModelRun {
  static let path = "/data/store.sediment"

  let settings: ModelSettings
  var model: ModelContents
  var disk: SimulatedDisk
  var scheduler = ManualScheduler()
  var opened: SedimentStore?
  private let failures = BackgroundFailures()
  var choices: ModelChoices
  /// How far the wall clock is ahead.
  var clockError = Duration.zero
  /// How often the store was opened that nobody had closed.
  var recoveryCount = 0
  /// How many closures that read in place this run is inside of.
  var stayDepth = 0
  /// The number of the last change that was seen.
  private var lastSequence: UInt64 = 0

  init(_ settings: ModelSettings, seed: UInt64) throws {
    self.settings = settings
    choices = ModelChoices(settings, seed: seed)
    disk = settings.machine.disk(SimulatedDiskOptions(seed: seed))
    model = ModelContents(clock: disk.wallClock())
    try open()
  }

  /// Does something, and compares what comes of it.
  mutating func step() throws {
    switch choices.number(below: 1_000) {
    case 0..<340: try set()
    case 340..<460: try remove()
    case 460..<560: try change()
    case 560..<630: try batch()
    case 630..<890: try read()
    case 890..<910: moveClock()
    case 910..<920: jumpClock()
    case 920..<960: scheduler.advance(by: 1_000_000 << UInt64(choices.number(below: 12)))
    case 960..<970: try clear()
    case 970..<985: try keep()
    case 985..<988: try expectWholeStore()
    case 988..<990: try compact()
    case 990..<991: try backUp()
    case 991..<995: try reopen()
    case 995..<997: try stay()
    default: try collection()
    }
    try check()
  }

  /// Compares everything, also with what is found after a last close.
  mutating func finish() throws {
    try expectWholeStore()
    try expectRest()
    try close()
    try open()
    try expectWholeStore()
    try expectRest()
    try check()
  }

  /// Left alone, the store comes to rest with nothing left undone, and what it holds stays.
  private mutating func expectRest() throws {
    try store.expectRest(on: disk, scheduler)
    // The clocks went on meanwhile.
    model.setClock(to: disk.wallClock())
    try checkAccounts()
    try expectWholeStore()
  }

  /// Every slot belongs to somebody, and every count is what is counted anew.
  func checkAccounts() throws {
    let findings = try store.accountFindings()
    try expect(findings.isEmpty, "the accounts: \(findings)")
  }

  /// What must hold at any moment.
  private mutating func check() throws {
    if let failure = failures.first { throw ModelMistake(description: "the background: \(failure)") }
    noteFullness()
    if let violation = disk.violations.first { throw ModelMistake(description: "\(violation)") }
    // It was closed, and the closures that read from it have not ended.
    guard opened != nil else { return }
    let sequence = try store.lastSequence
    try expect(sequence >= lastSequence, "the number of the last change")
    lastSequence = sequence
  }

  // MARK: The store

  var store: SedimentStore {
    get throws {
      guard let opened else { throw ModelMistake(description: "the store is not open") }
      return opened
    }
  }

  mutating func open() throws {
    let options = settings.options { [failures] event in
      if case .failed(let error) = event { failures.add(error) }
    }
    opened = try SedimentStore(path: Self.path, options: options, disk: disk, scheduler: scheduler)
  }

  mutating func close() throws {
    try store.close()
    opened = nil
  }

  /// The store's keys, or those of a collection, which is created if it is not there; nil if that was refused.
  mutating func space(_ name: String) throws -> SedimentCollection? {
    if name.isEmpty { return try store.defaultCollection }
    var space: SedimentCollection?
    guard try isDone({ space = try store.collection(name) }) else { return nil }
    model.create(name)
    return space
  }

  /// Makes a change; false if the store refused it, as it may, for want of room.
  func isDone(byteCount: Int = 0, _ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let error as SedimentError where error.code == .outOfSpace {
      guard let byteCountMax = settings.byteCountMax else { throw error }
      // With what is dead left alone any file is full in time.
      if settings.compaction == .off { return false }
      let used = settings.evicts ? 0 : model.byteCount
      // Each closure that reads in place holds the slots of what it reads: a segment's, or those of a large value.
      let held = stayDepth * max(settings.largestByteCount, byteCountMax / 64)
      if used + byteCount + held < byteCountMax / 4 {
        throw ModelMistake(description: "\(used) and \(byteCount) bytes are too many: \(error)")
      }
      return false
    }
  }

  func expect(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
    if !isSo { throw ModelMistake(description: "not as it should be: \(what())") }
  }
}

/// What failed in the background.
private final class BackgroundFailures: Sendable {
  private let errors = Mutex<[SedimentError]>([])

  var first: SedimentError? { errors.withLock { $0.first } }

  /// That there was no room tells whoever made the change.
  func add(_ error: SedimentError) {
    if error.code != .outOfSpace { errors.withLock { $0.append(error) } }
  }
}
