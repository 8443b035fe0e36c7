/// The close of a store, from its first call to when its file is let go of.
///
/// The first call does it. Later ones wait for it, as far as it does not wait for them.
final class Closing: @unchecked Sendable {
  // Unchecked: `lock` guards the variables.
  private let lock = Lock()
  private let hasChanged: Condition
  private var stage = Stage.open
  private var failure: SedimentError?
  /// The thread that closes, or 0.
  private var closer: UInt = 0

  enum Stage: Int {
    case open
    case begun
    /// Everything is on the disk that will be; readers may still be inside.
    case settled
    /// The file is let go of.
    case ended
  }

  init() {
    hasChanged = Condition(of: lock)
  }

  /// Begins to close on this thread; false if somebody has begun already.
  func begin() -> Bool {
    lock.withLock {
      guard stage == .open else { return false }
      stage = .begun
      closer = ThreadIdentity.current
      return true
    }
  }

  /// Notes that a stage is reached, and what failed on the way to it.
  func reach(_ stage: Stage, _ failure: SedimentError?) {
    lock.withLock {
      self.stage = stage
      if self.failure == nil { self.failure = failure }
      if stage == .ended { closer = 0 }
      hasChanged.broadcast()
    }
  }

  /// Whether this thread is the one that closes, in a call that the closing has made.
  var isOfThisThread: Bool { lock.withLock { closer == ThreadIdentity.current } }

  /// Returns once a stage is reached, and throws what failed until then; does nothing if the store is closed already.
  func wait(for wanted: Stage) throws(SedimentError) {
    let failure = lock.withLock { () -> SedimentError? in
      if stage == .ended { return nil }
      while stage.rawValue < wanted.rawValue { hasChanged.wait() }
      return self.failure
    }
    if let failure { throw failure }
  }

  /// What failed so far.
  var outcome: SedimentError? { lock.withLock { failure } }
}
