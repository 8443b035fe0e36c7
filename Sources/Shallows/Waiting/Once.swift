import Synchronization

/// Tells the first of several calls from the others, and whether one can still come.
@usableFromInline
final class Once: Sendable {
  private let isDone = Atomic(false)
  private let otherwise: Unchecked<(() -> Void)?>

  /// Creates one with a closure that is called if everybody who could have called has let go of it.
  @usableFromInline
  init(otherwise: (() -> Void)? = nil) { self.otherwise = Unchecked(otherwise) }

  deinit {
    if let otherwise = otherwise.value, isFirst() { otherwise() }
  }

  /// Whether this is the first call.
  @usableFromInline
  func isFirst() -> Bool { !isDone.exchange(true, ordering: .acquiringAndReleasing) }
}
