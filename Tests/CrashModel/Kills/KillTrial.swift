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
  /// The only kind of thing at which processes kill themselves, each of them; nil for every second one, at any.
  package var stopKind: KillSetup.Stop.Kind?
  /// How many processes are killed.
  package var killCount: Int
  private var generator: SeededGenerator
  private let seed: UInt64
  /// Whether a process is known to have made the store that is there now.
  private var isCreated = false

  /// What came of it.
  package struct Outcome {
    package var findings: [CrashFinding] = []
    /// How many processes were killed.
    package var killCount = 0
    /// How many of them came to where they were to kill themselves, by what it was.
    package var stopCounts: [KillSetup.Stop.Kind: Int] = [:]
  }

  package init(seed: UInt64, killCount: Int) {
    self.seed = seed
    self.killCount = killCount
    generator = SeededGenerator(seed: seed)
  }

  /// Kills processes until one has lost something.
  package mutating func run() throws -> Outcome {
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
    var outcome = Outcome()
    while outcome.killCount < killCount, outcome.findings.isEmpty {
      let creates = outcome.killCount % 8 == 7
      vary(&setup, outcome.killCount, creates: creates)
      setup.firstNumbers = threads.map(\.next)
      let place = "kill \(outcome.killCount), \(setup.arguments.joined(separator: " "))"
      outcome.killCount += 1
      do {
        if creates { try remove(path, &threads) }
        let reports = try reports(of: try CrashProcess([path] + setup.arguments), setup.stop)
        if reports.hasStopped, let stop = setup.stop { outcome.stopCounts[stop.kind, default: 0] += 1 }
        if let reason = try whatIsWrong(at: path, setup, reports, &threads) {
          outcome.findings.append(CrashFinding(place: place, reason: reason))
        }
      } catch {
        outcome.findings.append(CrashFinding(place: place, reason: "\(error)"))
      }
    }
    return outcome
  }

  // MARK: A process

  /// Another way of access each time, and a point where the process kills itself.
  private mutating func vary(_ setup: inout KillSetup, _ kill: Int, creates: Bool) {
    let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
    setup.access = stopKind == .store ? .automatic : accesses[kill % 3]
    setup.stop = nil
    guard stopKind != nil || kill % 2 == 1 else { return }
    let kinds = Self.stopKinds(setup.access, creates: creates)
    let kind = stopKind ?? kinds[Int.random(in: 0..<kinds.count, using: &generator)]
    // The first of a process are those of a creation or a recovery, and some kinds come once or twice in its life.
    let countMax =
      switch kind {
      case .call(.open), .call(.rename), .call(.syncDirectory), .call(.lock): 2
      case .call(.read), .call(.write), .call(.sync), .store: Bool.random(using: &generator) ? 4 : 40
      default: 4
      }
    // What is torn is the hardest to tell.
    let moments: [KillSetup.Stop.Moment] =
      kind.hasParts ? [.before, .within, .within, .behind] : [.before, .behind]
    setup.stop = KillSetup.Stop(
      kind, Int.random(in: 0..<countMax, using: &generator),
      moments[Int.random(in: 0..<moments.count, using: &generator)])
  }

  /// What a process does that opens or creates a store in a way of access.
  private static func stopKinds(
    _ access: SedimentOptions.Access, creates: Bool
  ) -> [KillSetup.Stop.Kind] {
    var calls: [DiskOperation] = [.open, .read, .write, .allocate, .sync, .lock]
    calls += creates ? [.rename, .syncDirectory] : [.punchHole, .truncate]
    if access != .unmapped { calls.append(.map) }
    // Where records are stored through the mapping, that is most of what happens.
    let stores = Array(repeating: KillSetup.Stop.Kind.store, count: access == .automatic ? calls.count : 0)
    return calls.map { .call($0) } + stores
  }

  /// What processes have told of themselves.
  private struct Reports {
    /// The last operation of each thread.
    var last: [Int: Int] = [:]
    var hasOpened = false
    var hasStopped = false

    mutating func note(_ report: CrashProcess.Report) {
      if report.isOpening {
        hasOpened = true
      } else if report.isStopping {
        hasStopped = true
      } else {
        last[report.thread] = report.number
      }
    }
  }

  /// Lets the process come to its stop, as far as it does within some hundred operations, or kills it some time after
  /// it began or reported so many operations.
  private mutating func reports(
    of process: CrashProcess, _ stop: KillSetup.Stop?
  ) throws -> Reports {
    var reports = Reports()
    // Some are killed while they open the store, which takes a few milliseconds.
    let isEarly = stop == nil && Int.random(in: 0..<8, using: &generator) == 0
    let reportCount =
      isEarly ? 0 : stop == nil ? Int.random(in: 1..<100, using: &generator) : Self.stoppingReportCount
    for _ in 0..<reportCount {
      guard let report = process.nextReport() else { break }
      reports.note(report)
    }
    usleep(UInt32.random(in: 0..<(isEarly ? 15_000 : 400), using: &generator))
    for report in try process.kill() { reports.note(report) }
    return reports
  }

  private static let stoppingReportCount = 300

  // MARK: What is left

  /// Removes the store, so that the next process creates it.
  private mutating func remove(_ path: String, _ threads: inout [KillProgress]) throws {
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    isCreated = false
    for thread in threads.indices { threads[thread].begin() }
  }

  /// Compares what the store holds with what was reported; nil if nothing is lost.
  private mutating func whatIsWrong(
    at path: String, _ setup: KillSetup, _ reports: Reports, _ threads: inout [KillProgress]
  ) throws -> String? {
    isCreated = isCreated || reports.hasOpened
    guard FileManager.default.fileExists(atPath: path) else {
      return isCreated ? "the file is gone" : nil
    }
    isCreated = true
    let found = try contents(at: path, setup.options)
    if threadCount > 1 {
      let others = found.without((0..<threadCount).map(Self.collection))
      if others != CrashContents() { return "there is what nobody has set: \(others.summary)" }
    }
    for thread in threads.indices {
      let own = threadCount > 1 ? found.only(Self.collection(thread)) : found
      guard threads[thread].follow(upTo: reports.last[thread] ?? 0, own) else {
        let expected = "\(threads[thread].contents.summary) at \(threads[thread].next)"
        return "thread \(thread) left \(own.summary), and not \(expected)"
      }
    }
    return nil
  }

  private static func collection(_ thread: Int) -> String { "t\(thread)" }

  /// What the store holds.
  private mutating func contents(at path: String, _ options: SedimentOptions) throws -> CrashContents {
    var options = options
    // Every second recovery is left to the next process.
    options.readOnly = Bool.random(using: &generator)
    let store = try SedimentStore(path: path, options: options)
    let contents = try CrashContents(of: store)
    try store.expectRest()
    try store.expectAccounts()
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

  /// What nobody has whose collections these are.
  fileprivate func without(_ names: [String]) -> CrashContents {
    var contents = self
    for name in names { contents.collections[name] = nil }
    return contents
  }
}
