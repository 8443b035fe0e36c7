import Foundation
import Sediment

extension Case {
  // MARK: Bursts

  /// All threads do their part of a step, and something is done beside them.
  func burst(_ step: Step) throws {
    let session = session
    let workers = workers
    if step.beside == .backup {
      for worker in workers { worker.beginRecording() }
      session.records.isSet = true
    }
    let gauge = Gauge(session)
    gauge.begin()
    let besideEnded = DispatchSemaphore(value: 0)
    Thread { [self] in
      doBeside(step, session)
      besideEnded.signal()
    }.start()
    onThreads(workers.count) { workers[$0].run(step) }
    besideEnded.wait()
    gauge.end()
    if session.isClosed.isSet {
      try verify(path, "closed beside threads")
      try move(to: settings)
      return try compare()
    }
    if step.beside == .backup {
      session.records.isSet = false
      if FileManager.default.fileExists(atPath: backupPath) { try compareBackup() }
      for worker in workers { worker.endRecording() }
    } else {
      judgeRecords(holding: account.most, "behind the burst")
    }
    judgeCap()
  }

  private func doBeside(_ step: Step, _ session: Session) {
    guard step.beside != .nothing else { return }
    // Before the threads have ended, as long as there is something to do.
    usleep(UInt32(Double(dice.number(in: 100...600)) / 1000 * min(step.seconds, 2) * 1e6))
    do {
      switch step.beside {
      case .nothing: break
      case .compact: try compact(session)
      case .backup: try backUp(session)
      case .close: try session.close()
      case .iterate:
        try session.watch.timed("forEach beside threads", thread: -1, byteCount: FileSize(path).length) {
          try session.store.forEach { _, _ in .continue }
        }
      }
    } catch let error as SedimentError {
      findings.add(.error, "\(step.beside.rawValue) beside threads threw \(error.code): \(error)")
    } catch {
      findings.add(.error, "\(step.beside.rawValue) beside threads threw \(error)")
    }
  }

  /// What is dead when it begins is what it has to win, and what is live then what it may have to move.
  func compact(_ session: Session) throws {
    if settings.compaction == .off { return }
    try session.watch.timed("compact()", thread: -1, byteCount: 2 * FileSize(path).length) {
      try session.store.compact()
    }
  }

  // MARK: Alone

  func compact() throws {
    if settings.compaction == .off { return }
    do {
      try compact(session)
    } catch let error as SedimentError {
      findings.add(.error, "compact() threw \(error.code): \(error)")
      return
    }
    judgeCompacted("behind compact()")
    account.forget()
  }

  func clear(_ how: Step.Clearing) throws {
    switch how {
    case .everything:
      let outcome = try workers[0].change("removeEverything", [.clearEverything], isRemoval: true) {
        try store.removeEverything()
        return true
      }
      if outcome == .made { forget([.clearEverything]) }
    case .each:
      for worker in workers { for name in worker.model.collectionNames { try worker.clear(name) } }
      try clearOwn()
    case .drop:
      for worker in workers { for name in worker.model.collectionNames { try worker.drop(name) } }
      try clearOwn()
    }
  }

  /// Removes the keys that are in no collection, whose ever they are.
  private func clearOwn() throws {
    let outcome = try workers[0].change("removeAll", [.clear("")], isRemoval: true) {
      try store.removeAll()
      return true
    }
    if outcome == .made { forget([.clear("")]) }
  }

  /// What one thread's change makes of what the others know.
  private func forget(_ changes: [Change]) {
    for worker in workers.dropFirst() {
      worker.model.apply(changes, from: Clock.now, to: Clock.now)
      worker.account()
    }
  }

  // MARK: The end

  /// The store is emptied in one way or kept as it is, compacted, closed and opened again, and takes changes.
  func end() throws {
    try compare()
    guard !findings.isFatal, settings.compaction != .off, plan.end != .closed else { return try close() }
    switch plan.end {
    case .everything, .each:
      try clear(plan.end == .each ? .each : .everything)
      try idle()
    case .dropped:
      try clear(.drop)
      // Closing at once leaves to the next opening what the background had not yet done.
      try reopen(settings)
      try idle()
    case .removed:
      var step = Step(.remove)
      step.seconds = 20
      try burst(step)
    case .reopened:
      try reopen(settings)
      try idle()
    case .kept, .closed: break
    }
    try compact()
    try useAgain()
    try reopen(settings)
    try compact()
    try close()
    if dice.isWithin(30) { try readOnly() }
    if dice.isWithin(20) { try salvage() }
    try SedimentStore.destroy(path: path)
  }

  /// Where there is room, small and large values are set.
  private func useAgain() throws {
    let worker = workers[0]
    for byteCount in [10, 5_000, 200_000] {
      try worker.set("", worker.newKey(Sizes(8...16)), worker.newValue(Sizes(byteCount...byteCount), .random))
    }
  }

  private func readOnly() throws {
    var options = settings.options
    options.readOnly = true
    let reader = try SedimentStore(path: path, options: options)
    let count = try reader.count()
    let begin = Clock.now
    let most = workers.reduce(0) { $0 + $1.count(of: "", from: begin, to: begin).upperBound }
    if count > most {
      findings.add(.count, "count() of a store that is only read is \(count) instead of \(most)")
    }
    do {
      try reader.set("a", forKey: "b")
      findings.add(.error, "a store that is only read took a change")
    } catch let error as SedimentError where error.code == .readOnly {}
    try reader.close()
  }
}
