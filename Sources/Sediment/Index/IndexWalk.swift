internal import SedimentFormat

/// Goes through all entries of an index while others use it, those of a few neighbours at a time.
struct IndexWalk {
  enum Step {
    /// `entries` are the next ones.
    case entries
    /// The index was built anew in another order: what was seen of it tells nothing, and the next step begins again.
    case rebuilt
    case ended
  }

  /// The entries of the last step.
  private(set) var entries: [IndexEntry] = []
  /// Where the index has them, which their hashes are told by.
  private(set) var from: UInt64 = 0
  /// What the index that is gone through goes by; nil at the beginning.
  private(set) var keyHash: KeyHash?
  private var next: UInt64? = 0

  /// Takes the next entries of a view.
  ///
  /// In a reader's scope.
  mutating func advance(in view: IndexView) -> Step {
    if let keyHash, keyHash != view.keyHash {
      self = IndexWalk()
      return .rebuilt
    }
    guard let start = next else { return .ended }
    keyHash = view.keyHash
    from = start
    entries.removeAll(keepingCapacity: true)
    next = view.copyEntries(from: start, into: &entries)
    return .entries
  }
}
