/// What the index said before a batch that is being told to it: readers go by this until all of it is there.
///
/// Made under the writer's lock, published as an address, never changed after that, and released when no reader
/// can have the address.
final class PublishedBatch: Sendable {
  private let changes: [UInt64: [Change]]

  /// What becomes of one key.
  struct Change {
    /// Where its newest record was, 0 if it had none.
    let before: UInt64
    /// Where the batch's record of it is, 0 if it was removed.
    let after: UInt64
  }

  init(_ changes: [UInt64: [Change]]) {
    self.changes = changes
  }

  /// The changes of the keys that have a hash; there is more than one only if keys collide.
  func changes(of hash: UInt64) -> [Change] {
    changes[hash] ?? []
  }
}
