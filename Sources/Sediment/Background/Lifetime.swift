internal import SedimentDisk
internal import Synchronization

/// Whether a store may be used, which every call asks.
final class Lifetime: Sendable {
  let path: String
  private let closed = Atomic<Bool>(false)
  private let forkCount = Forks.count

  init(path: String) {
    self.path = path
  }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Whether this process inherited the store by a fork.
  var isForked: Bool { forkCount != Forks.count }

  @inline(__always) var isUsable: Bool { !isClosed && !isForked }

  /// Refuses every call from now on.
  func close() {
    closed.store(true, ordering: .releasing)
    SchedulePoint.reach(.published)
  }

  /// Throws if the store is closed, or inherited by a fork.
  @inline(__always)
  func check() throws(SedimentError) {
    if !isUsable { throw whyUnusable }
  }

  /// Throws in a child of a fork, which may be in a reader's scope.
  func checkNotForked() throws(SedimentError) {
    if isForked { throw whyUnusable }
  }

  var whyUnusable: SedimentError { isForked ? .forked(path) : .closed(path) }

  /// A failed call as the caller is told of it: a descriptor is missing because the store was closed meanwhile.
  func seenByCaller(_ error: SedimentError) -> SedimentError {
    error.systemError?.code == .badDescriptor && isClosed ? .closed(path) : error
  }
}
