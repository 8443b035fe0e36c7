/// Pieces of work that another thread does together with the one which needs them, if there is one to be had.
///
/// Neither waits for a piece that nobody has begun, so a busy machine costs nothing. Unchecked: the lock guards the
/// variables.
final class SharedWork: @unchecked Sendable {
  /// Does the piece of a number; false if no other is to be done.
  private let piece: @Sendable (Int) throws(SedimentError) -> Bool
  private let count: Int
  private let lock = Lock()
  private let changed: Condition
  private var next = 0
  private var begunCount = 0
  private var isStopped = false
  private var failure: SedimentError?

  /// Begins on another thread.
  init(count: Int, _ piece: @escaping @Sendable (Int) throws(SedimentError) -> Bool) {
    self.count = count
    self.piece = piece
    changed = Condition(of: lock)
    _ = startThread { [self] in run() }
  }

  /// Does what nobody has begun and returns once all is done; false if a piece returned that, and what one has thrown.
  func end() throws(SedimentError) -> Bool {
    run()
    return try lock.withLock { () throws(SedimentError) in
      while begunCount > 0 { changed.wait() }
      if let failure { throw failure }
      return !isStopped
    }
  }

  private func run() {
    while let number = begin() {
      do throws(SedimentError) {
        finish(goesOn: try piece(number))
      } catch {
        finish(goesOn: false, failure: error)
      }
    }
  }

  private func begin() -> Int? {
    lock.withLock {
      if isStopped || next == count { return nil }
      defer { next += 1 }
      begunCount += 1
      return next
    }
  }

  private func finish(goesOn: Bool, failure: SedimentError? = nil) {
    lock.withLock {
      begunCount -= 1
      isStopped = isStopped || !goesOn
      self.failure = self.failure ?? failure
      changed.broadcast()
    }
  }
}
