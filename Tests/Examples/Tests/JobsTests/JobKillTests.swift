import Foundation
import Jobs
import Sediment
import SedimentTesting
import Testing

/// Real processes that work on one queue, killed one after the other.
@Suite struct JobKillTests {
  private static let payloads = ["easy", "easy", "difficult", "easy", "impossible"]

  @Test
  func `However often the worker is killed, each job is done, and none again after its acknowledgement`()
    throws
  {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("jobs-\(UUID()).sediment")
    defer { try? FileManager.default.removeItem(at: file) }
    let count = 600
    let killCount = 20
    try fill(file, count)

    var generator = SeededGenerator(seed: 1)
    var lines: [String] = []
    for _ in 0..<killCount {
      let worker = try WorkerProcess(file: file)
      for _ in 0..<Int.random(in: 1...15, using: &generator) {
        lines.append(try #require(worker.nextLine(), "the worker ended by itself"))
      }
      worker.kill()
      while let line = worker.nextLine() { lines.append(line) }
      #expect(worker.wait().wasKilled)
    }
    let worker = try WorkerProcess(file: file)
    while let line = worker.nextLine() { lines.append(line) }
    #expect(worker.wait() == (false, 0))

    let impossible = Set((0..<UInt64(count)).filter { Self.payload($0) == "impossible" })
    try check(lines, Set(0..<UInt64(count)).subtracting(impossible), killCount)

    let queue = try JobQueue(SedimentStore(path: file.path))
    #expect(try queue.waitingJobs() == [])
    #expect(Set(try queue.buriedJobs().map(\.number)) == impossible)
  }

  private static func payload(_ number: UInt64) -> String { payloads[Int(number) % payloads.count] }

  private func fill(_ file: URL, _ count: Int) throws {
    let store = try SedimentStore(path: file.path)
    let queue = try JobQueue(store)
    for number in 0..<UInt64(count) { try queue.enqueue(Self.payload(number)) }
    try store.close()
  }

  /// Of the line `did 7` and `acknowledged 7` there may be several of the first, and one of the second behind them; a
  /// kill may come before a line is said, so that one line a kill may be missing, and one job be done again.
  private func check(_ lines: [String], _ possible: Set<UInt64>, _ killCount: Int) throws {
    var done: [UInt64] = []
    var acknowledged: Set<UInt64> = []
    for line in lines {
      let words = line.split(separator: " ")
      let number = try #require(words.last.flatMap { UInt64($0) })
      #expect(!acknowledged.contains(number), "after its acknowledgement: \(line)")
      switch words.first {
      case "did": done.append(number)
      case "acknowledged":
        #expect(done.contains(number))
        acknowledged.insert(number)
      default: continue
      }
    }
    #expect(Set(done) == possible)
    #expect(done.count <= possible.count + killCount)
    #expect(acknowledged.isSubset(of: possible) && acknowledged.count >= possible.count - killCount)
  }
}
