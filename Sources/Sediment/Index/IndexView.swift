package import SedimentFormat

/// The index as a reader sees it: one pointer, so taking one costs nothing.
///
/// Valid while the reader's epoch stays announced, or while one has the writer. Take a new view for each
/// lookup: an old one goes on to answer, but does not see all that was written since.
@safe
package struct IndexView {
  private let directory: IndexDirectory

  @inline(__always)
  init(directory: IndexDirectory) {
    self.directory = directory
  }

  /// The hash whose values this view is asked for.
  @inline(__always)
  package var keyHash: KeyHash { directory.keyHash }

  /// By how many bits every partition was split at least.
  package var leastDepth: UInt64 {
    var least = directory.depth
    directory.forEachPartition { least = min(least, $0.table.depth) }
    return least
  }

  /// By how many bits the partition of a hash was split.
  func depth(at hash: UInt64) -> UInt64 { table(of: hash).depth }

  /// The hash of a key.
  @inline(__always)
  package func hash(_ key: RawSpan, collection: UInt32 = 0) -> UInt64 {
    directory.keyHash.hash(key, collection: collection)
  }

  /// Begins to bring near what a probe for this hash reads first.
  @inline(__always)
  package func prefetch(_ hash: UInt64) {
    IndexHome(hash, in: self).prefetch()
  }

  /// The table that holds the entries of a hash.
  @inline(__always)
  func table(of hash: UInt64) -> IndexTable { directory.table(at: directory.index(of: hash)) }

  /// The bits of a hash that entries keep.
  @inline(__always)
  func hashBits(of hash: UInt64) -> UInt64 { IndexEntry.hashBits(of: hash) }

  /// A probe that stands on the entry of a hash which leads to a position, with that entry; nil if none does.
  @inline(__always)
  package func find(_ hash: UInt64, at position: UInt64) -> (probe: IndexProbe, entry: IndexEntry)? {
    var probe = probe(hash)
    while let entry = probe.next() {
      if entry.position == position { return (probe, entry) }
    }
    return nil
  }

  /// Where the search for a key begins.
  @inline(__always)
  func home(_ key: RawSpan, collection: UInt32) -> IndexHome {
    IndexHome(hash(key, collection: collection), in: self)
  }

  /// Begins the search for a hash.
  @inline(__always)
  package func probe(_ hash: UInt64) -> IndexProbe {
    IndexProbe(IndexHome(hash, in: self))
  }
}

// MARK: Iteration

extension IndexView {
  /// Appends the entries of the partition that holds the hash `prefix`, and returns where the next begins; nil at the end.
  ///
  /// From 0 to nil, with a new view for each step, this yields every entry that stays in the index exactly once, even
  /// if it is replaced or its partition grows, shrinks or is split. An entry that is removed and inserted
  /// meanwhile may come twice or not at all. If `keyHash` changed, the iteration has to begin anew.
  package func copyEntries(from prefix: UInt64, into entries: inout [IndexEntry]) -> UInt64? {
    copyEntries(from: prefix, of: .all, into: &entries)
  }

  /// Appends those that may be of some collections; without the others.
  func copyEntries(
    from prefix: UInt64, of collections: CollectionTags, into entries: inout [IndexEntry]
  ) -> UInt64? {
    let partition = directory.partition(of: prefix)
    partition.table.forEachEntry { entry in
      if collections.mayHold(entry) { entries.append(entry) }
    }
    let next = partition.words.upperBound
    guard next < directory.wordCount else { return nil }
    return UInt64(next) << (64 - KeyHash.baseBitCount - directory.depth)
  }

  /// The hash of an entry's key, as far as the index knows it, which is enough to probe for it or insert it.
  ///
  /// `prefix` is any hash of the entry's base partition, as `copyEntries` takes and returns them.
  package func hash(of entry: IndexEntry, from prefix: UInt64) -> UInt64 {
    let base = prefix & ~(UInt64.max >> KeyHash.baseBitCount)
    return base | (entry.hashBits << 1) >> KeyHash.baseBitCount
  }

  /// A hash that leads to the entry of a position, found by looking at all of them; nil if there is none.
  ///
  /// For whoever has the writer, and does not know the key.
  package func hash(ofEntryAt position: UInt64) -> UInt64? {
    var found: UInt64?
    directory.forEachPartition { partition in
      partition.table.forEachEntry { entry in
        if entry.position == position { found = hash(of: entry, from: partition.lowestHash) }
      }
    }
    return found
  }
}

/// Goes through the entries of an index that may be of some collections while others use it, those of a few neighbours at
/// a time.
struct IndexWalk {
  enum Step {
    /// `entries` are the next ones.
    case entries
    /// The index was built anew in another order: what was seen of it tells nothing, and the next step begins again.
    case rebuilt
    case ended
  }

  private let collections: CollectionTags
  /// The entries of the last step.
  private(set) var entries: [IndexEntry] = []
  /// What `IndexView.hash(of:from:)` needs to know of their place.
  private(set) var from: UInt64 = 0
  /// The seed of the index that is gone through; nil at the beginning.
  private(set) var keyHash: KeyHash?
  private var next: UInt64? = 0

  init(of collections: CollectionTags = .all) { self.collections = collections }

  /// Takes the next entries of a view.
  ///
  /// In a reader's scope.
  mutating func advance(in view: IndexView) -> Step {
    if let keyHash, keyHash != view.keyHash {
      self = IndexWalk(of: collections)
      return .rebuilt
    }
    guard let start = next else { return .ended }
    keyHash = view.keyHash
    from = start
    entries.removeAll(keepingCapacity: true)
    next = view.copyEntries(from: start, of: collections, into: &entries)
    return .entries
  }
}
