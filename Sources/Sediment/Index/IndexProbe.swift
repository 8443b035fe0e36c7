internal import CSediment

/// The search for one hash: yields the entries that agree with it in all the bits they hold.
///
/// Several entries may agree, so the caller compares the key of each in the log. A probe reads at most every slot of
/// one partition, at most 32 buckets unless the index is crowded, and never waits. An entry that is in the index from
/// the probe's beginning to its end is found, whatever a writer does meanwhile. Valid for as long as its view; the
/// writer may use it for a change only while no other change came in between.
@safe
package struct IndexProbe {
  private let home: IndexHome
  /// The bucket that is looked at.
  private var bucket: Int
  /// How many buckets were looked at, this one among them.
  private var visitedCount = 0
  /// A bit for each slot of the bucket that agreed when it was visited, and was not looked at again.
  private var matches: UInt32 = 0
  /// Where the entry is that `next` returned last; nil if there was none.
  private(set) var found: IndexSlot?

  @inline(__always)
  init(_ home: IndexHome) {
    self.home = home
    bucket = home.bucket
    found = nil
  }

  var hash: UInt64 { home.hash }

  private var table: IndexTable { home.table }

  /// Whether the key's partition was not filled yet.
  @inline(__always)
  var isUnfilled: Bool { table.isUnfilled }

  /// The next entry that agrees, nil when there is none any more.
  @inline(__always)
  package mutating func next() -> IndexEntry? {
    while true {
      while matches != 0 {
        if let entry = takeMatch() { return entry }
      }
      if visitedCount > 0 {
        if isLast { return nil }
        bucket &+= 1
        if bucket == table.bucketCount { bucket = 0 }
      }
      visitedCount &+= 1
      visit()
    }
  }

  /// The entry of the next slot of the bucket that agreed when this was visited; nil if it does no more.
  @inline(__always)
  private mutating func takeMatch() -> IndexEntry? {
    let slot = table.bucket(bucket).advanced(by: matches.trailingZeroBitCount)
    matches &= matches &- 1
    guard let entry = home.entry(at: slot) else { return nil }
    found = slot
    return entry
  }

  @inline(__always)
  private mutating func visit() { matches = home.matches(inBucket: bucket) }

  /// Whether no entry of the hash can lie behind the bucket.
  ///
  /// It does not matter that this is looked at later than the entries: a bucket before the one of an entry has no vacant
  /// slot and gets none while the table is in force, and a table that was replaced does not change.
  @inline(__always)
  private var isLast: Bool {
    visitedCount >= table.probeBucketCountMax || table.hasVacancy(inBucket: bucket)
  }

  /// The slot of the entry that `next` returned last.
  @inline(__always)
  var slot: IndexSlot {
    guard let found else { preconditionFailure("the probe stands on no entry") }
    return found
  }
}

// MARK: Readers

extension IndexProbe {
  /// Notes that the entry last returned was read, if there was one; writes only where that was not noted yet.
  ///
  /// There is none where a key is found by what a batch has yet to tell the index. May be lost if a writer touches the
  /// entry or its partition at the same time.
  @inline(__always)
  package func setReference() {
    guard let slot = found else { return }
    slot.setReference(hashBits: home.hashBits)
  }
}

// MARK: The writer

extension IndexProbe {
  /// Where the entry is that `next` returned last.
  var place: IndexPlace {
    assert(holdsEntry, "the probe is stale")
    return IndexPlace(entry: IndexEntry(rawValue: slot.loadAsWriter()), slot: slot, table: table)
  }

  /// Whether the slot still holds an entry of the hash.
  var holdsEntry: Bool {
    let raw = slot.loadAsWriter()
    return home.agrees(raw) && raw > IndexEntry.deleted
  }
}

// MARK: The first entry

/// Where the search for a hash begins.
///
/// Of four words: what is longer is laid out in memory wherever a call may be made with it.
@safe
package struct IndexHome {
  let hash: UInt64
  fileprivate let hashBits: UInt64
  fileprivate let table: IndexTable
  fileprivate let bucket: Int

  @inline(__always)
  init(_ hash: UInt64, in view: IndexView) {
    self.hash = hash
    hashBits = view.hashBits(of: hash)
    table = view.table(of: hash)
    bucket = table.home(hashBits)
    // One entry in fifteen lies behind its home, and of three searches that find none one goes on from there.
    unsafe sediment_prefetch(table.bucketAddress(bucket &+ 1))
  }

  /// Begins to bring near the bucket that is looked at first.
  @inline(__always)
  func prefetch() {
    unsafe sediment_prefetch(table.bucketAddress(bucket))
  }

  @inline(__always)
  fileprivate func agrees(_ raw: UInt64) -> Bool {
    (raw ^ hashBits) & IndexEntry.hashMask == 0
  }

  /// Looks at all slots of a bucket at once: a bit for each that agrees.
  ///
  /// These are loaded again before they are believed.
  @inline(__always)
  fileprivate func matches(inBucket bucket: Int) -> UInt32 {
    unsafe sediment_agreeing_words(table.bucketAddress(bucket), hashBits)
  }

  /// The entry in a slot; nil if there is none that agrees.
  @inline(__always)
  fileprivate func entry(at slot: IndexSlot) -> IndexEntry? {
    let raw = slot.load()
    guard agrees(raw), raw & IndexEntry.positionMask >= IndexEntry.positionMin else { return nil }
    return IndexEntry(rawValue: raw)
  }

  /// The first entry that agrees, as `IndexProbe.next` finds it.
  ///
  /// Most searches find it, or that there is none, in the first bucket.
  @inline(__always)
  fileprivate func first() -> IndexPlace? {
    let matches = matches(inBucket: bucket)
    if matches == 0 {
      if table.bucketCount <= 1 || table.hasVacancy(inBucket: bucket) { return nil }
    } else {
      let slot = table.bucket(bucket).advanced(by: matches.trailingZeroBitCount)
      if let entry = entry(at: slot) { return IndexPlace(entry: entry, slot: slot, table: table) }
    }
    return firstElsewhere()
  }

  @inline(never)
  private func firstElsewhere() -> IndexPlace? {
    var probe = IndexProbe(self)
    guard let entry = probe.next(), let slot = probe.found else { return nil }
    return IndexPlace(entry: entry, slot: slot, table: table)
  }
}

/// A search in the index that has come to the first entry that agrees, if there is one.
struct KeySearch {
  let hash: UInt64
  private let table: IndexTable
  /// Where the entry is that it came to; nil if there is none.
  let place: IndexPlace?

  /// Whether it may have found nothing because what the index has of the hash is not there yet: by one bit of a word,
  /// which crowded partitions have as well.
  @inline(__always)
  var mayBeUnfilled: Bool { table.isCrowded }

  /// Goes on from where a search begins, up to there.
  @inline(__always)
  init(_ home: IndexHome) {
    hash = home.hash
    table = home.table
    place = home.first()
  }
}

/// An entry, and where a search found it.
struct IndexPlace {
  let entry: IndexEntry
  let slot: IndexSlot
  fileprivate let table: IndexTable

  /// Whether the slot still holds the entry, and is where readers of a new view look for it by the hash that was
  /// searched.
  ///
  /// Only while the view of the search is valid: until then no other table can come to the same place in memory.
  @inline(__always)
  func isCurrent(_ hash: UInt64, in view: IndexView) -> Bool {
    view.table(of: hash).word == table.word && (slot.load() ^ entry.rawValue) & ~IndexEntry.referenceBit == 0
  }

  /// Frees the slot, for the writer; says whether it became a deleted one.
  @inline(__always)
  func free() -> Bool {
    // In a table of one bucket no probe goes on to another.
    let isVacant = table.bucketCount == 1 || slot.firstOfBucket.hasVacancy
    slot.store(isVacant ? IndexEntry.vacant : IndexEntry.deleted)
    return !isVacant
  }

  /// Notes that the entry was read; writes only where that was not noted yet.
  ///
  /// May be lost as `IndexProbe.setReference` may.
  @inline(__always)
  func setReference() {
    slot.setReference(hashBits: entry.hashBits)
  }
}
