import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// A queue on the engine, as somebody else might build one: numbered keys, and the numbers of its ends in memory.
private final class NoteQueue {
  let store: SedimentStore
  /// Whether it was there before.
  let isOld: Bool
  private var first = 0
  private var end = 0

  init(on disk: SimulatedDisk) throws {
    isOld = disk.paths.contains("queue")
    store = try SedimentStore(
      path: "queue", options: SedimentOptions(durability: .unsynced), disk: disk,
      background: ManualBackground())
    let numbers = try notes().map(\.number)
    first = numbers.first ?? 0
    end = (numbers.last ?? -1) + 1
  }

  func add(_ text: String, durability: SedimentDurability) throws {
    try store.set(text, forKey: "\(end)", durability: durability)
    end += 1
  }

  /// Moves the first note to its end: nothing is lost on the way if that is one batch.
  func rotate(isAtomic: Bool) throws {
    guard first < end, let text = try store.retrieve(forKey: "\(first)") else { return }
    if isAtomic {
      try store.batch { batch in
        batch.remove(forKey: "\(first)")
        batch.set(text, forKey: "\(end)")
      }
    } else {
      try store.remove(forKey: "\(first)")
      try store.set(text, forKey: "\(end)")
    }
    first += 1
    end += 1
  }

  func notes() throws -> [(number: Int, text: String)] {
    var notes: [(number: Int, text: String)] = []
    try store.forEach { key, value in
      notes.append((Int(String(sedimentBytes: key) ?? "") ?? -1, String(sedimentBytes: value) ?? "?"))
      return .continue
    }
    return notes.sorted { $0.number < $1.number }
  }
}

/// What the checks have to know of the queue.
private struct NoteQueueScenario: CrashScenario {
  enum Operation {
    case add, addSynced, rotate
  }

  var isAtomic = true
  /// Whether it says of each note that it is on the disk.
  var promisesTooMuch = false
  /// Whether it takes nothing more once it was opened again.
  var isEndedByCrash = false

  struct Refusal: Error {}

  var empty: [String] { [] }
  func open(on disk: SimulatedDisk) throws -> NoteQueue { try NoteQueue(on: disk) }
  func contents(of queue: NoteQueue) throws -> [String] { try queue.notes().map(\.text) }

  func close(_ queue: NoteQueue) throws -> CrashPromise {
    try queue.store.close()
    return .forEver
  }

  func operation(using generator: inout SeededGenerator) -> Operation {
    [.add, .add, .addSynced, .rotate][Int.random(in: 0..<4, using: &generator)]
  }

  func outcome(of error: any Error) -> CrashOutcome { error is Refusal ? .refused : .unknown }

  func perform(_ operation: Operation, number: Int, on queue: NoteQueue) throws -> CrashPromise {
    if isEndedByCrash, queue.isOld { throw Refusal() }
    switch operation {
    case .add: try queue.add("note \(number)", durability: .unsynced)
    case .addSynced: try queue.add("note \(number)", durability: .synced)
    case .rotate: try queue.rotate(isAtomic: isAtomic)
    }
    return operation == .addSynced || promisesTooMuch ? .forEver : .untilPowerFails
  }

  func apply(_ operation: Operation, number: Int, to notes: inout [String], on disk: SimulatedDisk) {
    if operation == .rotate {
      if !notes.isEmpty { notes.append(notes.removeFirst()) }
    } else {
      notes.append("note \(number)")
    }
  }
}

/// The checks for crashes, as others use them for storages of their own.
@Suite struct CrashCheckTests {
  private static func check(_ scenario: NoteQueueScenario) -> CrashCheck<NoteQueueScenario> {
    var check = CrashCheck(scenario)
    check.operationCount = 10
    return check
  }

  @Test func `A storage that keeps its promises is found to`() {
    let report = Self.check(NoteQueueScenario()).run(seeds: 0..<3)
    #expect(report.findings == [])
    #expect(report.historyCount == 3)
    #expect(report.imageCount > 200)
    #expect(report.imageCounts.count == 2)
  }

  @Test func `A storage that does in two steps what should be one is found out`() throws {
    let report = Self.check(NoteQueueScenario(isAtomic: false)).run(seeds: 0..<3)
    let finding = try #require(report.findings.first)
    #expect(finding.reason.hasPrefix("found [\"note "))
    #expect(finding.operations.last?.contains("rotate") ?? false)
  }

  @Test func `A storage that promises what it has not done is found out, the same each time`() throws {
    let check = Self.check(NoteQueueScenario(promisesTooMuch: true))
    let report = check.run(seed: 3)
    #expect(report.findings.first?.place.hasPrefix("seed 3, power lost at ") ?? false)
    #expect(check.run(seed: 3) == report)
  }

  @Test func `A storage that takes nothing more after a crash is found out`() {
    let report = Self.check(NoteQueueScenario(isEndedByCrash: true)).run(seeds: 0..<1)
    #expect(report.findings.first?.reason == "Refusal()")
  }

  @Test func `What cannot be opened at all is a finding`() {
    var check = CrashCheck(NoteQueueScenario())
    check.disk.capacity = 4096
    let report = check.run(seed: 1)
    #expect(report.findings.count == 1)
    #expect(report.findings.first?.place == "seed 1, before any crash")
  }
}
