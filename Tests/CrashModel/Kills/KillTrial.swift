internal import Foundation
internal import Sediment
internal import SedimentDisk
package import SedimentTesting

/// Real processes on a real disk, killed again and again on one store: nothing that they acknowledged is lost.
///
/// Where they are killed follows from the seed, when not quite.
package struct KillTrial {
  /// What the processes do.
  package var style = KillSetup.Style.mixed
  package var threadCount = 1
  /// Whether on a real disk, where syncs take their time; in memory otherwise, where there is such a file system: to
  /// the death of a process it is like any other.
  package var isOnDisk = false
  /// How many processes are killed.
  package var killCount: Int
  private var generator: SeededGenerator
  private let seed: UInt64

  package init(seed: UInt64, killCount: Int) {
    self.seed = seed
    self.killCount = killCount
    generator = SeededGenerator(seed: seed)
  }

  /// Kills processes until one has lost something; what it was, and how many were killed.
  package mutating func run() throws -> (findings: [CrashFinding], killCount: Int) {
    let folder = parentFolder.appendingPathComponent("sediment-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("store.sediment").path
    var setup = KillSetup(seed: seed, firstNumbers: Array(repeating: 1, count: threadCount))
    setup.style = style
    var threads = (0..<threadCount).map { thread in
      KillProgress(
        setup.mix(ofThread: thread), seed: seed &+ UInt64(thread), isEvicting: style == .evicting)
    }
    for kill in 0..<killCount {
      vary(&setup, kill)
      // Every eighth process creates the store.
      if kill % 8 == 7 {
        try? FileManager.default.removeItem(atPath: path)
        for thread in threads.indices { threads[thread].begin() }
      }
      setup.firstNumbers = threads.map(\.next)
      let place = "kill \(kill), \(setup.arguments.joined(separator: " "))"
      do {
        let last = try lastReports(of: try CrashProcess([path] + setup.arguments))
        guard let found = try contents(at: path, setup.options) else { continue }
        for thread in threads.indices {
          let own = threadCount > 1 ? found.only("t\(thread)") : found
          guard threads[thread].follow(upTo: last[thread] ?? 0, own) else {
            let expected = "\(threads[thread].contents.summary) at \(threads[thread].next)"
            let reason = "thread \(thread) left \(own.summary), and not \(expected)"
            return ([CrashFinding(place: place, reason: reason)], kill + 1)
          }
        }
      } catch {
        return ([CrashFinding(place: place, reason: "\(error)")], kill + 1)
      }
    }
    return ([], killCount)
  }

  /// Another way of access each time, and every second time a point where the process ends itself.
  private mutating func vary(_ setup: inout KillSetup, _ kill: Int) {
    let accesses: [SedimentOptions.Access] = [.automatic, .mappedForReading, .unmapped]
    setup.access = accesses[kill % 3]
    setup.stop = nil
    guard kill % 2 == 1 else { return }
    let operations: [DiskOperation] = [
      .open, .rename, .syncDirectory, .read, .write, .allocate, .punchHole, .truncate, .sync, .map, .lock,
    ]
    let operation = operations[Int.random(in: 0..<operations.count, using: &generator)]
    // The first calls of a process are those of a creation or a recovery.
    let countMax = Bool.random(using: &generator) ? 4 : 40
    setup.stop = KillSetup.Stop(
      operation, Int.random(in: 0..<countMax, using: &generator), isBehind: Bool.random(using: &generator))
  }

  /// Kills the process some time after it began or reported so many operations; the last report of each thread.
  private mutating func lastReports(of process: CrashProcess) throws -> [Int: Int] {
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
    try process.kill().forEach(note)
    return last
  }

  /// What the store holds; nil if it was not created yet.
  private mutating func contents(at path: String, _ options: SedimentOptions) throws -> CrashContents? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    var options = options
    // Every second recovery is left to the next process.
    options.readOnly = Bool.random(using: &generator)
    let store = try SedimentStore(path: path, options: options)
    let contents = try CrashContents(of: store)
    try store.close()
    return contents
  }

  private var parentFolder: URL {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    return isThere && !isOnDisk ? memory : FileManager.default.temporaryDirectory
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
