/// How something went that a task waits for and a thread does.
///
/// A continuation hands it over as well; but the thread sanitizer cannot see that in every library, and sees a lock.
final class Outcome: Sendable {
  private let failure = Locked<SedimentError?>(.leaf, nil)

  /// Notes why it failed; nil if it did not.
  func set(_ failure: SedimentError?) {
    self.failure.withLock { $0 = failure }
  }

  /// Throws what it failed with.
  func get() throws(SedimentError) {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
