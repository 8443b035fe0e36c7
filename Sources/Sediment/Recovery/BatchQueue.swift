/// Hands batches from a thread that scans to the one that fills the index, and empty ones back.
final class BatchQueue: @unchecked Sendable {
  // Sendable: the lock guards the variables.
  private let lock = Lock()
  private let changed: Condition
  private var empty: [ScannedBatch]
  private var full: [ScannedBatch] = []
  private var isCancelled = false
  private var outcome: Result<Void, SedimentError>?
  /// Who waits is woken once there are so many batches: waking for each takes as long as a good part of one.
  private let wakingCount: Int

  init(batchCount: Int) {
    wakingCount = (batchCount + 1) / 2
    changed = Condition(of: lock)
    empty = (0..<batchCount).map { _ in ScannedBatch() }
  }

  // MARK: The thread that scans

  /// Passes a batch on and waits for an empty one; nil if nobody wants any more.
  func exchange(_ batch: ScannedBatch) -> ScannedBatch? {
    lock.withLock {
      full.append(batch)
      if full.count == wakingCount { changed.broadcast() }
      return waitForEmpty()
    }
  }

  func first() -> ScannedBatch? {
    lock.withLock { waitForEmpty() }
  }

  /// Says that no more batches follow, or why.
  func end(_ outcome: Result<Void, SedimentError>) {
    lock.withLock {
      self.outcome = outcome
      changed.broadcast()
    }
  }

  private func waitForEmpty() -> ScannedBatch? {
    while empty.isEmpty, !isCancelled { changed.wait() }
    return isCancelled ? nil : empty.removeLast()
  }

  // MARK: The thread that takes

  /// The next batch; nil when there is none any more.
  func next() throws(SedimentError) -> ScannedBatch? {
    let next: Result<ScannedBatch?, SedimentError> = lock.withLock {
      while full.isEmpty {
        if let outcome { return outcome.map { nil } }
        changed.wait()
      }
      return .success(full.removeFirst())
    }
    return try next.get()
  }

  func giveBack(_ batch: ScannedBatch) {
    lock.withLock {
      empty.append(batch)
      if empty.count == wakingCount { changed.broadcast() }
    }
  }

  /// Returns once the other thread has ended, which it does soon.
  func cancel() {
    lock.withLock {
      isCancelled = true
      changed.broadcast()
      while outcome == nil { changed.wait() }
    }
  }
}
