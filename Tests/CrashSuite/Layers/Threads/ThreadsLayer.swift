import CrashModel
import Foundation
import Sediment
import SedimentTesting

/// Threads on one store of a real disk, whose histories must be linearizable, beside iterations, copies and compaction;
/// then threads that stay inside closures while the store is closed and opened again, and a child that has a part of it.
///
/// A seed gives the same work again; in which order the threads come to it is not in its power.
struct ThreadsLayer: SeededLayer {
  let name = "threads"
  let title = "threads on one store, every key's history checked for linearizability"
  let unit = "operations"
  let isParallel = false
  let caseCount = (short: 12, long: 250)

  func replay(_ seed: UInt64) -> LayerResult {
    var result = LayerResult(caseCount: 1)
    var generator = SeededGenerator(seed: ~seed)
    let options = Self.options(using: &generator)
    let userCount = Int.random(in: 2...6, using: &generator)
    let place = "seed \(seed), \(userCount) threads, \(options.access), compression \(options.compression)"
    func find(_ reason: String) {
      result.findings.append(
        SeededFinding(seed: seed, finding: CrashFinding(place: place, reason: reason)))
    }
    do {
      let folder = try SuiteFolder(isInMemory: seed % 3 != 2)
      let path = folder["store.sediment"]
      let store = try SedimentStore(path: path, options: options)
      let use = try ConcurrentUse(
        store, userCount: userCount, operationCount: 48_000 / userCount, seed: seed)
      SuiteThreads.run(use.jobs(copyPath: folder["copy.sediment"]))
      try use.readAll(of: store)
      try store.expectAccounts()
      try store.close()
      let report = try SedimentStore.verify(path: path)
      if !report.isIntact { find("verification: \(report.findings.map(\.description))") }
      let again = try SedimentStore(path: path, options: options)
      try use.readAll(of: again)
      try again.expectAccounts()
      try again.close()
      for complaint in use.complaints() { find(complaint) }
      let stays = try ConcurrentStays(path: path, options: options, roundCount: 30, seed: seed)
      SuiteThreads.run(stays.jobs)
      result.count = use.history.operations.count + stays.stayCount
      for complaint in stays.complaints { find(complaint) }
      if let complaint = try ForkedReader.complaint(path: path) { find(complaint) }
    } catch {
      find("\(error)")
    }
    return result
  }

  private static func options(using generator: inout SeededGenerator) -> SedimentOptions {
    let accesses: [SedimentOptions.Access] = [.automatic, .automatic, .windowless, .unmapped]
    let compressions: [SedimentCompression] = [.off, .off, .zstd(level: 1), .automatic]
    let durabilities: [SedimentDurability] = [.unsynced, .interval(.milliseconds(5))]
    var options = SedimentOptions(
      durability: durabilities[Int.random(in: 0..<2, using: &generator)],
      access: accesses[Int.random(in: 0..<4, using: &generator)],
      compression: compressions[Int.random(in: 0..<4, using: &generator)],
      storesIndex: Bool.random(using: &generator))
    // Some dead records are enough for the background to move what is live.
    options.slackSlotCount = UInt32.random(in: 1...8, using: &generator)
    if Bool.random(using: &generator) { options.changeByteCountMax = 60 }
    if Bool.random(using: &generator) { options.useSmallWindow() }
    return options
  }
}
