/// How something went that a task waits for and a thread does.
///
/// A continuation hands it over as well; but the thread sanitizer cannot see that in every library, and sees a lock.
final class Outcome: @unchecked Sendable {
  // Sendable: the lock guards the variable.
  private let lock = Lock()
  private var failure: SedimentError?

  /// Notes why it failed; nil if it did not.
  func set(_ failure: SedimentError?) {
    lock.withLock { self.failure = failure }
  }

  /// Throws what it failed with.
  func get() throws(SedimentError) {
    if let failure = lock.withLock({ failure }) { throw failure }
  }
}
