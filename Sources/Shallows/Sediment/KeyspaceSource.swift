public import Sediment
import Synchronization

/// A keyspace that is looked up at the first call, and at the next one again if that fails.
@safe @usableFromInline
final class KeyspaceSource: Sendable {
  /// A keyspace, and what has to live as long as it is used.
  private final class Opened: Sendable {
    let keyspace: SedimentCollection
    private let owner: (any AnyObject & Sendable)?

    init(_ keyspace: SedimentCollection, _ owner: (any AnyObject & Sendable)?) {
      self.keyspace = keyspace
      self.owner = owner
    }
  }

  /// Set once and kept until this ends, so that a reader need not retain it; not an `AtomicLazyReference`, which looks
  /// its type up at each load.
  private let opened = unsafe Atomic<Unmanaged<Opened>?>(nil)
  private let open: @Sendable () throws -> (SedimentCollection, (any AnyObject & Sendable)?)

  init(open: @escaping @Sendable () throws -> (SedimentCollection, (any AnyObject & Sendable)?)) {
    self.open = open
  }

  deinit {
    unsafe opened.load(ordering: .acquiring)?.release()
  }

  @usableFromInline
  func keyspace() throws -> SedimentCollection {
    if let opened = unsafe opened.load(ordering: .acquiring) {
      return unsafe opened._withUnsafeGuaranteedRef { $0.keyspace }
    }
    return try openNow()
  }

  /// Calls a closure with the keyspace, whose references need not be counted then.
  @usableFromInline
  func withKeyspace<Result>(_ body: (SedimentCollection) throws -> Result) throws -> Result {
    if let opened = unsafe opened.load(ordering: .acquiring) {
      return unsafe try opened._withUnsafeGuaranteedRef { try body($0.keyspace) }
    }
    return try body(openNow())
  }

  private func openNow() throws -> SedimentCollection {
    // Several may open at once: they get the same, of which one is kept.
    let (keyspace, owner) = try open()
    let new = unsafe Unmanaged.passRetained(Opened(keyspace, owner))
    let (isKept, present) = unsafe opened.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    guard !isKept, let present = unsafe present else { return keyspace }
    unsafe new.release()
    return unsafe present._withUnsafeGuaranteedRef { $0.keyspace }
  }
}
