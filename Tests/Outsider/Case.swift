import Foundation
import Sediment

/// One plan, done to one file, with all that is held against it.
final class Case: @unchecked Sendable {
  // Sendable: the case's own thread alone changes what is not constant.
  let seed: UInt64
  let plan: Plan
  let folder: String
  let findings: Findings
  let watch: Watch
  let account = Account()
  var dice: Dice
  private(set) var session: Session
  private(set) var workers: [Worker] = []
  /// How many processes have written to the file.
  var lifeCount: UInt64 = 0

  var path: String { "\(folder)/store.sediment" }
  var store: SedimentStore { session.store }
  var settings: Settings { session.settings }

  init(seed: UInt64, plan: Plan, folder: String, _ findings: Findings) throws {
    self.seed = seed
    self.plan = plan
    self.folder = folder
    self.findings = findings
    dice = Dice(seed: ~seed)
    watch = Watch(findings)
    watch.begin()
    session = try Session(
      "\(folder)/store.sediment", plan.settings, threadCount: plan.threadCount, findings, watch, account)
    workers = (0..<plan.threadCount).map { Worker(thread: $0, seed: seed, life: 0, session) }
  }

  func run() throws {
    for (number, step) in plan.steps.enumerated() {
      findings.place("step \(number + 1), \(step)")
      try perform(step)
      if findings.isFatal { return }
    }
    findings.place("at the end")
    try end()
  }

  private func perform(_ step: Step) throws {
    switch step.kind {
    case .fill, .churn, .remove: try burst(step)
    case .kill: try kill(step)
    case .clear: try clear(step.how)
    case .compact: try compact()
    case .backup: try backUpAtRest()
    case .sync: try watch.timed("sync()", thread: -1, byteCount: FileSize(path).length) { try store.sync() }
    case .reopen: try reopen(step.settings ?? settings)
    case .idle: try idle()
    case .check: try compare()
    }
  }

  /// The open store's place is taken by another opening.
  func move(to settings: Settings, atLeast isAfterKill: Bool = false) throws {
    session = try Session(path, settings, threadCount: plan.threadCount, findings, watch, account)
    for worker in workers { worker.move(to: session) }
  }

  /// Closes, verifies, and opens again.
  func reopen(_ settings: Settings) throws {
    try forgetEvicted()
    try close()
    try move(to: settings)
    try compare()
  }

  func close() throws {
    do {
      _ = try SedimentStore(path: path, options: settings.options)
      findings.add(.error, "a store was opened a second time while it was open")
    } catch let error as SedimentError where error.code == .locked {}
    try session.close()
    try store.close()
    do {
      _ = try store.retrieve(forKey: [1])
      findings.add(.error, "reading behind close() found something")
    } catch let error as SedimentError where error.code == .closed {}
    try verify(path, "closed")
  }

  /// Reads every byte, and says what verification finds that should not be there.
  func verify(
    _ path: String, _ state: String, allowing isAllowed: (VerificationReport.Finding) -> Bool = { _ in false }
  )
    throws
  {
    let length = FileSize(path).length
    let report = try watch.timed("verify", thread: -1, byteCount: length) {
      try SedimentStore.verify(path: path)
    }
    // What a segment held that was freed may still be seen, and is no damage.
    for finding in report.findings where finding.kind != .orphaned && !isAllowed(finding) {
      findings.add(.verify, "verify of the file as it was \(state): \(finding)")
      break
    }
  }

  // MARK: Comparing

  /// Finds out what an evicting store has left out, which must not come back.
  func forgetEvicted() throws {
    if settings.evicts { try compare() }
  }

  /// Compares all that is in the store with all that should be.
  func compare() throws {
    guard !findings.isFatal else { return }
    for worker in workers { try worker.compareAll(of: worker.model.spaces.keys.sorted()) }
    if findings.isFatal { return }
    let begin = Clock.now
    let names = workers.flatMap(\.model.collectionNames).sorted()
    if store.collectionNames != names {
      findings.add(.count, "the collections are \(store.collectionNames) instead of \(names)")
    }
    let count = try store.count()
    let ranges = workers.map { $0.count(of: "", from: begin, to: Clock.now) }
    let least = ranges.reduce(0) { $0 + $1.lowerBound }
    let most = ranges.reduce(0) { $0 + $1.upperBound }
    if count > most || !settings.evicts && count < least {
      findings.add(.count, "count() is \(count) instead of \(least)...\(most)")
    }
    compareFigures()
  }

  private func compareFigures() {
    let figures = store.statistics
    let begin = Clock.now
    var least = 0
    var most = 0
    for worker in workers {
      for space in worker.model.spaces.keys {
        least += worker.count(of: space, from: begin, to: begin).lowerBound
      }
      most += worker.model.count + worker.model.residueCount
    }
    if figures.liveKeyCount > most || !settings.evicts && figures.liveKeyCount < least {
      findings.add(
        .count, "statistics tell of \(figures.liveKeyCount) live keys instead of \(least)...\(most)")
    }
    let file = FileSize(path)
    if figures.freeByteCount > file.allocated + (1 << 20) {
      findings.add(
        .count,
        "statistics tell of \(text(Int(figures.freeByteCount))) that are allocated and free, where the file has "
          + text(file.allocated))
    }
  }
}
