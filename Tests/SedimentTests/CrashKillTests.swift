import CrashModel
import Foundation
import Sediment
import SedimentTesting
import Testing

/// Real processes on the real disk, killed again and again on one store.
@Suite(.serialized) struct CrashKillTests {
  /// What a thread of the processes has done, as far as is known.
  struct Progress {
    let mix: CrashMix
    let seed: UInt64
    /// Its first operation that was not found done.
    var next = 1
    /// What it left when it was last looked at, other threads' keys left out.
    var contents = CrashContents()

    /// Follows the operations up to one, and then to what was found, which no more than one further can explain.
    mutating func follow(upTo last: Int, _ found: CrashContents) -> Bool {
      while next <= last { step() }
      if contents == found { return true }
      let operation = mix.operation(number: next, seed: seed)
      for name in operation.collectionsNeeded {
        contents.apply(.create(name), number: next, time: 0)
        if contents == found { return true }
      }
      step()
      return contents == found
    }

    private mutating func step() {
      let operation = mix.operation(number: next, seed: seed)
      for name in operation.collectionsNeeded { contents.apply(.create(name), number: next, time: 0) }
      contents.apply(operation, number: next, time: 0)
      next += 1
    }
  }

  /// How often processes of so many threads are killed, and whether on a real disk, where syncs take their time.
  struct Run: CustomStringConvertible {
    var threadCount: Int
    var isOnDisk: Bool
    var killCount: Int

    var description: String { "\(threadCount) threads\(isOnDisk ? " on disk" : "")" }
  }

  static let runs = [
    Run(threadCount: 1, isOnDisk: false, killCount: CrashEffort.of(85, long: 900)),
    Run(threadCount: 4, isOnDisk: false, killCount: CrashEffort.of(85, long: 900)),
    Run(threadCount: 2, isOnDisk: true, killCount: CrashEffort.of(30, long: 200)),
  ]

  /// A file system in memory, where there is one: to the death of a process it is like any other.
  private static func parentFolder(isOnDisk: Bool) -> URL {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    return isThere && !isOnDisk ? memory : FileManager.default.temporaryDirectory
  }

  @Test(arguments: runs)
  func `However often the process is killed, nothing that it acknowledged is lost`(_ run: Run) throws {
    let threadCount = run.threadCount
    let folder = Self.parentFolder(isOnDisk: run.isOnDisk).appendingPathComponent(
      "sediment-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("store.sediment").path
    let seed = UInt64(threadCount) &* 1000
    var generator = SeededGenerator(seed: seed)
    var threads = (0..<threadCount).map { thread in
      Progress(mix: CrashMix(ofThread: threadCount > 1 ? thread : nil), seed: seed &+ UInt64(thread))
    }
    var operationCount = 0
    let accesses = ["automatic", "mappedForReading", "unmapped"]
    for kill in 0..<run.killCount {
      let access = accesses[kill % 3]
      let place = "seed \(seed), kill \(kill), \(access)"
      let firsts = threads.map { String($0.next) }
      let process = try CrashProcess([path, access, String(seed)] + firsts)
      let last = lastReports(of: process, threadCount, &generator)
      // Every third recovery is left to the next process.
      let readsOnly = Int.random(in: 0..<3, using: &generator) == 0
      guard let found = try contents(at: path, readsOnly: readsOnly) else { continue }
      for thread in 0..<threadCount {
        let before = threads[thread].next
        let own = threadCount > 1 ? found.only("t\(thread)") : found
        if !threads[thread].follow(upTo: last[thread] ?? 0, own) {
          Issue.record(
            "\(place), thread \(thread): found \(own.summary), expected \(threads[thread].contents.summary) at \(threads[thread].next)"
          )
          return
        }
        operationCount += threads[thread].next - before
      }
    }
    CrashEffort.note("\(run): \(run.killCount) kills, \(operationCount) operations")
  }

  /// Kills the process some time after it began or reported so many operations; the last report of each thread.
  private func lastReports(
    of process: CrashProcess, _ threadCount: Int, _ generator: inout SeededGenerator
  ) -> [Int: Int] {
    var last: [Int: Int] = [:]
    func note(_ report: CrashProcess.Report) { if !report.isOpening { last[report.thread] = report.number } }
    // Some are killed while they open the store, which takes a few milliseconds.
    let reportCount =
      Int.random(in: 0..<8, using: &generator) == 0 ? 0 : Int.random(in: 1..<100, using: &generator)
    for _ in 0..<reportCount {
      guard let report = process.nextReport() else { break }
      note(report)
    }
    usleep(UInt32.random(in: 0..<(reportCount == 0 ? 15_000 : 400), using: &generator))
    process.kill().forEach(note)
    return last
  }

  /// What the store holds; nil if it was not created yet.
  private func contents(at path: String, readsOnly: Bool) throws -> CrashContents? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let store = try SedimentStore(path: path, options: SedimentOptions(readOnly: readsOnly))
    let contents = try CrashContents(of: store)
    try store.close()
    return contents
  }
}

extension CrashContents {
  /// What a thread has that uses one collection alone.
  fileprivate func only(_ collection: String) -> CrashContents {
    var contents = CrashContents()
    contents.collections[collection] = collections[collection]
    return contents
  }
}
