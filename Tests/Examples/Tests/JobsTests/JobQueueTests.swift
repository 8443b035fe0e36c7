import Jobs
import Sediment
import SedimentTesting
import Testing

/// The queue as producers and workers use it, on a disk whose clock moves when it is told to.
@Suite struct JobQueueTests {
  private let disk: SimulatedDisk
  private let store: SedimentStore
  private let queue: JobQueue

  init() throws {
    let disk = SimulatedDisk(seed: 1)
    self.disk = disk
    store = try SedimentStore(path: "/jobs", disk: disk)
    queue = try JobQueue(store, now: { disk.wallClock() })
  }

  @Test func `Jobs are leased in the order in which they came, each to one worker`() throws {
    for payload in ["a", "b", "c"] { try queue.enqueue(payload) }
    let payloads = try (0..<4).map { _ in try queue.lease(for: .seconds(10))?.payload }
    #expect(payloads == ["a", "b", "c", nil])
    #expect(queue.count == 3)
  }

  @Test func `A job whose lease is over is handed out again, and its first worker cannot end it`() throws {
    try queue.enqueue("a")
    let first = try #require(try queue.lease(for: .seconds(10)))
    disk.advanceClocks(by: .seconds(10))
    let second = try #require(try queue.lease(for: .seconds(10)))
    #expect(second.number == first.number && second.attemptCount == 2)
    #expect(throws: LeaseLost(number: first.number)) { try queue.acknowledge(first) }
    try queue.acknowledge(second)
    #expect(throws: LeaseLost(number: first.number)) { try queue.acknowledge(second) }
    #expect(queue.count == 0)
  }

  @Test func `A worker that is late may end its job as long as nobody else has it`() throws {
    try queue.enqueue("a")
    let job = try #require(try queue.lease(for: .seconds(10)))
    disk.advanceClocks(by: .seconds(60))
    try queue.acknowledge(job)
    #expect(try queue.lease(for: .seconds(10)) == nil)
  }

  @Test func `A job that is tried again waits its time, behind those that are due before`() throws {
    try queue.enqueue("a")
    try queue.enqueue("b")
    try queue.retry(#require(try queue.lease(for: .seconds(10))), after: .seconds(5))
    #expect(try queue.lease(for: .seconds(10))?.payload == "b")
    #expect(try queue.lease(for: .seconds(10)) == nil)
    disk.advanceClocks(by: .seconds(5))
    #expect(try queue.lease(for: .seconds(10))?.attemptCount == 2)
  }

  @Test func `A job that is put aside is kept, and never handed out again`() throws {
    try queue.enqueue("a")
    let job = try #require(try queue.lease(for: .seconds(10)))
    try queue.bury(job)
    disk.advanceClocks(by: .seconds(60))
    #expect(try queue.lease(for: .seconds(10)) == nil)
    #expect(try queue.buriedJobs() == [job])
    #expect(queue.count == 0)
  }

  @Test func `A queue that is opened again has its jobs and leases, and gives no number twice`() throws {
    for payload in ["a", "b"] { try queue.enqueue(payload) }
    try queue.acknowledge(#require(try queue.lease(for: .seconds(10))))
    let leased = try #require(try queue.lease(for: .seconds(10)))
    try store.close()

    let disk = disk
    let again = try JobQueue(SedimentStore(path: "/jobs", disk: disk), now: { disk.wallClock() })
    #expect(try again.waitingJobs() == [leased])
    #expect(try again.lease(for: .seconds(10)) == nil)
    #expect(try again.enqueue("c") == 2)
    try again.endLeases()
    #expect(try again.lease(for: .seconds(10))?.payload == "b")
    #expect(try again.lease(for: .seconds(10))?.payload == "c")
  }

  @Test func `Many workers end each job once`() async throws {
    for number in 0..<100 { try queue.enqueue("\(number)") }
    let queue = queue
    let done = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var done: [String] = []
          while let job = try queue.lease(for: .seconds(10)) {
            try queue.acknowledge(job)
            done.append(job.payload)
          }
          return done
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(done.count == 100)
    #expect(Set(done) == Set((0..<100).map { "\($0)" }))
  }
}
