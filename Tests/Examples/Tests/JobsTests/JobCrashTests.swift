import Jobs
import Sediment
import SedimentTesting
import Testing

/// What the crash checks have to know of a queue.
private struct JobScenario: CrashScenario {
  enum Operation: CaseIterable {
    case enqueue, lease, acknowledge, retry, bury, wait
  }

  /// A job as it should be found.
  struct Task: Equatable {
    var number: UInt64
    var payload: String
    var attemptCount = 0
    var dueTime: UInt64

    init(_ job: Job) {
      number = job.number
      payload = job.payload
      attemptCount = job.attemptCount
      dueTime = job.dueTime
    }

    init(number: UInt64, payload: String, dueTime: UInt64) {
      self.number = number
      self.payload = payload
      self.dueTime = dueTime
    }
  }

  struct Contents: Equatable {
    var waiting: [Task] = []
    var buried: [Task] = []
    var nextNumber: UInt64 = 0
  }

  struct Storage {
    let disk: SimulatedDisk
    let store: SedimentStore
    let queue: JobQueue
  }

  /// The queue counts other jobs than it has.
  struct Miscounted: Error {}

  var empty: Contents { Contents() }

  func open(on disk: SimulatedDisk) throws -> Storage {
    let store = try SedimentStore(
      path: "/jobs", options: SedimentOptions(durability: .unsynced), disk: disk,
      background: ManualBackground())
    return Storage(disk: disk, store: store, queue: try JobQueue(store, now: { disk.wallClock() }))
  }

  func close(_ storage: Storage) throws -> CrashPromise {
    try storage.store.close()
    return .forEver
  }

  func contents(of storage: Storage) throws -> Contents {
    let waiting = try storage.queue.waitingJobs().map(Task.init)
    guard storage.queue.count == waiting.count else { throw Miscounted() }
    return Contents(
      waiting: waiting, buried: try storage.queue.buriedJobs().map(Task.init),
      nextNumber: try storage.store.retrieve(forKey: "next job", as: String.self).flatMap { UInt64($0) } ?? 0)
  }

  func operation(using generator: inout SeededGenerator) -> Operation {
    (Operation.allCases + [.enqueue, .enqueue, .lease, .lease]).randomElement(using: &generator) ?? .enqueue
  }

  func perform(_ operation: Operation, number: Int, on storage: Storage) throws -> CrashPromise {
    let queue = storage.queue
    let leased = try queue.waitingJobs().first { $0.attemptCount > 0 }
    switch (operation, leased) {
    case (.enqueue, _): try queue.enqueue("job \(number)")
    case (.lease, _):
      _ = try queue.lease(for: .seconds(10))
      return .untilPowerFails
    case (.acknowledge, let leased?): try queue.acknowledge(leased)
    case (.bury, let leased?): try queue.bury(leased)
    case (.retry, let leased?):
      try queue.retry(leased, after: .seconds(number))
      return .untilPowerFails
    case (.wait, _):
      storage.disk.advanceClocks(by: .seconds(10))
      return .untilPowerFails
    default: return .untilPowerFails
    }
    return .forEver
  }

  func apply(_ operation: Operation, number: Int, to contents: inout Contents, on disk: SimulatedDisk) {
    let now = disk.wallClock()
    let leased = contents.waiting.firstIndex { $0.attemptCount > 0 }
    switch (operation, leased) {
    case (.enqueue, _):
      contents.waiting.append(Task(number: contents.nextNumber, payload: "job \(number)", dueTime: now))
      contents.nextNumber += 1
    case (.lease, _):
      let due = contents.waiting.indices.filter { contents.waiting[$0].dueTime <= now }
      guard let first = due.min(by: { contents.waiting[$0].dueTime < contents.waiting[$1].dueTime }) else {
        return
      }
      contents.waiting[first].attemptCount += 1
      contents.waiting[first].dueTime = now + 10_000
    case (.acknowledge, let leased?): contents.waiting.remove(at: leased)
    case (.bury, let leased?):
      contents.buried.append(contents.waiting.remove(at: leased))
      contents.buried.sort { $0.number < $1.number }
    case (.retry, let leased?): contents.waiting[leased].dueTime = now + UInt64(number) * 1_000
    default: break
    }
  }
}

/// What the queue promises of crashes, tried at every moment of random histories.
@Suite struct JobCrashTests {
  @Test func `Whenever it crashes, no job is lost, and none that was acknowledged comes back`() {
    var check = CrashCheck(JobScenario())
    check.operationCount = 20
    let report = check.run(seeds: 0..<2)
    #expect(report.findings == [])
    #expect(report.imageCount > 200)
  }
}
