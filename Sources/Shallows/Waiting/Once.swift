import Synchronization

/// Tells the first of several calls from the others.
@usableFromInline
final class Once: Sendable {
  private let isDone = Atomic(false)

  @usableFromInline init() {}

  /// Whether this is the first call.
  @usableFromInline
  func isFirst() -> Bool { !isDone.exchange(true, ordering: .acquiringAndReleasing) }
}
