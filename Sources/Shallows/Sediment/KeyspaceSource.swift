public import Sediment
import Synchronization

/// A keyspace that is looked up at the first call, and at the next one again if that fails.
@usableFromInline
final class KeyspaceSource: Sendable {
  /// A keyspace, and what has to live as long as it is used.
  private final class Opened: Sendable {
    let keyspace: SedimentKeyspace
    private let owner: (any AnyObject & Sendable)?

    init(_ keyspace: SedimentKeyspace, _ owner: (any AnyObject & Sendable)?) {
      self.keyspace = keyspace
      self.owner = owner
    }
  }

  private let opened = AtomicLazyReference<Opened>()
  private let open: @Sendable () throws -> (SedimentKeyspace, (any AnyObject & Sendable)?)

  init(open: @escaping @Sendable () throws -> (SedimentKeyspace, (any AnyObject & Sendable)?)) {
    self.open = open
  }

  @usableFromInline
  func keyspace() throws -> SedimentKeyspace {
    if let opened = opened.load() { return opened.keyspace }
    // Several may open at once: they get the same, of which one is kept.
    let (keyspace, owner) = try open()
    return opened.storeIfNil(Opened(keyspace, owner)).keyspace
  }
}
