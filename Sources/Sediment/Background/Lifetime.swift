internal import SedimentDisk
internal import Synchronization

/// Whether a store may be used, which every call asks.
final class Lifetime: Sendable {
  let path: String
  private let forkCount = Forks.count
  /// The count of forks of the processes that may use the store: one number tells a store that is closed or inherited.
  private let usableForkCount: Atomic<UInt32>
  /// No process comes of so many forks.
  private static var closedForkCount: UInt32 { .max }

  init(path: String) {
    self.path = path
    usableForkCount = Atomic(forkCount)
  }

  var isClosed: Bool { usableForkCount.load(ordering: .acquiring) == Self.closedForkCount }

  /// Whether this process inherited the store by a fork.
  var isForked: Bool { forkCount != Forks.count }

  @inline(__always) var isUsable: Bool { usableForkCount.load(ordering: .acquiring) == Forks.count }

  /// Refuses every call from now on.
  func close() {
    usableForkCount.store(Self.closedForkCount, ordering: .releasing)
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
