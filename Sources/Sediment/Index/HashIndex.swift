package import SedimentFormat
internal import Synchronization

/// Where each key's newest record lies: a hash table in memory, of eight bytes for a key (DESIGN.md, 6).
///
/// Readers take a `view` and probe it. They take no lock, never wait, and find every key that stays present. Changes
/// are made by one thread at a time, which has the writer; no single one takes longer than filling the tables
/// of one partition, some 20,000 entries, a few times at most, and copying the directory. Memory that was
/// replaced is handed to `retire`, which must see to its `free()` once no reader that might have seen it is inside.
///
/// The hash's first bits choose a partition in the directory, the following ones a bucket in the partition's table
/// (see `IndexDirectory`, `IndexTable`). Partitions grow one by one (see `IndexGrowth`).
///
/// Unchecked, because it holds pointers: all that they lead to is atomic, or never changes after it was
/// published, or is used by the writer alone.
@safe
package final class HashIndex: @unchecked Sendable {
  /// The address of the directory.
  private let directoryAddress: Atomic<UInt>
  private let counters: UnsafeMutablePointer<IndexCounters>
  let retire: @Sendable (IndexMemory) -> Void

  /// Makes an empty index; `expectedCount` may be any guess of the entries to come, and takes no memory for them.
  package init(
    keyHash: KeyHash, expectedCount: Int = 0, retire: @escaping @Sendable (IndexMemory) -> Void
  ) {
    let directory = IndexDirectory.make(
      keyHash: keyHash, depth: IndexGrowth.depth(expectedCount: expectedCount))
    directoryAddress = Atomic(unsafe UInt(bitPattern: directory.memory))
    unsafe counters = IndexCounters.allocate(byteCount: directory.byteCount)
    self.retire = retire
  }

  deinit {
    directory.forEachMemory { $0.free() }
    unsafe UnsafeMutableRawPointer(counters).deallocate()
  }

  /// What readers look at now.
  @inline(__always)
  package var view: IndexView { IndexView(directory: directory) }

  /// The number of entries.
  package var count: Int { unsafe counters.pointee.count.load(ordering: .relaxed) }

  /// The bytes of memory in use, without what was handed to `retire`.
  package var byteCount: Int { unsafe counters.pointee.byteCount.load(ordering: .relaxed) }

  /// The most bytes that were ever in use at once, what was about to be handed to `retire` included.
  package var byteCountMax: Int { unsafe counters.pointee.byteCountMax.load(ordering: .relaxed) }

  /// Whether some probes are longer than 32 buckets, which only hashes that are alike can cause.
  ///
  /// Everything is found nevertheless. Building the index anew under another seed helps, unless equal
  /// keys were inserted.
  package var isCrowded: Bool { unsafe counters.pointee.isCrowded.load(ordering: .relaxed) }
}

// MARK: Changes, by the writer alone

extension HashIndex {
  /// Adds an entry for a hash, whose key the caller has searched for and not found.
  @inline(__always)
  package func insert(_ hash: UInt64, position: UInt64, _ permit: borrowing WritePermit) {
    insert(hash, IndexEntry(position: position, hashBits: IndexEntry.hashBits(of: hash)))
  }

  /// Makes the entry that the probe stands on name another record of its key, or another place of the same record.
  ///
  /// It is not referenced then, or with `keepingReference`, referenced as before.
  @inline(__always)
  package func replace(
    _ probe: IndexProbe, position: UInt64, keepingReference: Bool = false, _ permit: borrowing WritePermit
  ) {
    assert(probe.holdsEntry, "the probe is stale")
    replace(probe.slot, position: position, keepingReference: keepingReference, permit)
  }

  /// The same for the entry at a place, while nothing was added or removed since that was found.
  @inline(__always)
  func replace(
    _ place: IndexSlot, position: UInt64, keepingReference: Bool = false, _ permit: borrowing WritePermit
  ) {
    let old = IndexEntry(rawValue: place.loadAsWriter())
    assert(old.rawValue > IndexEntry.deleted, "the place is stale")
    let reference = keepingReference ? old.rawValue & IndexEntry.referenceBit : 0
    place.store(IndexEntry(position: position, hashBits: old.hashBits).rawValue | reference)
  }

  /// Removes the entry that the probe stands on.
  package func remove(_ probe: IndexProbe, _ permit: borrowing WritePermit) {
    remove(probe.place, of: probe.hash, permit)
  }

  /// Removes the entry at a place that a search for a hash found, while nothing was added or removed since.
  @inline(__always)
  func remove(_ place: IndexPlace, of hash: UInt64, _ permit: borrowing WritePermit) {
    let partition = directory.partition(of: hash)
    var counts = partition.counts
    if place.free() { counts.deleted &+= 1 }
    counts.live -= 1
    partition.counts = counts
    addToCount(-1)
    if IndexGrowth.isSparse(count: Int(counts.live), bucketCount: partition.table.bucketCount) {
      shrinkNowAndThen(partition)
    }
  }

  /// Adds an entry whose hash bits are those of the hash.
  @inline(__always)
  func insert(_ hash: UInt64, _ entry: IndexEntry) {
    let partition = directory.partition(of: hash)
    if !place(entry, in: partition) { makeRoomAndInsert(hash, entry) }
  }

  /// Puts an entry into the partition's table as it is; says whether that had room where probes find it.
  @inline(__always)
  func place(_ entry: IndexEntry, in partition: IndexPartition) -> Bool {
    let table = partition.table
    guard let slot = table.freeSlot(for: entry.hashBits) else { return false }
    var counts = partition.counts
    if slot.loadAsWriter() == IndexEntry.deleted {
      counts.deleted &-= 1
    } else if counts.used >= IndexGrowth.usedCountMax(bucketCount: table.bucketCount) {
      return false
    }
    slot.store(entry.rawValue)
    counts.live += 1
    partition.counts = counts
    addToCount(1)
    return true
  }
}

// MARK: Rebuilding

// What replaces the whole index in one step: readers see all of it as it was or all of it as it is.

extension HashIndex {
  /// Removes all entries but those that are `kept`; from now on hashes are those of `keyHash`.
  ///
  /// Readers never miss one that is kept: they see it before and behind the one step by which the others go.
  package func removeAll(
    keyHash: KeyHash, expectedCount: Int = 0, but kept: [(hash: UInt64, position: UInt64)] = [],
    _ permit: borrowing WritePermit
  ) {
    let new = HashIndex(keyHash: keyHash, expectedCount: expectedCount) { $0.free() }
    for (hash, position) in kept { new.insert(hash, position: position, permit) }
    adopt(new)
  }

  /// Places all entries anew by the hashes of `keyHash`, which `hash` must return for the key of each.
  ///
  /// Takes as much memory again while it runs, and a time that grows with the number of entries. Where
  /// `hash` throws, the index stays as it was.
  package func rebuild<Failure: Error>(
    keyHash: KeyHash, expectedCount: Int = 0, _ permit: borrowing WritePermit,
    hash: (IndexEntry) throws(Failure) -> UInt64
  ) throws(Failure) {
    let new = HashIndex(keyHash: keyHash, expectedCount: max(count, expectedCount)) { $0.free() }
    try directory.forEachPartition { (partition) throws(Failure) in
      try partition.table.forEachEntry { (entry) throws(Failure) in
        let hash = try hash(entry)
        new.insert(hash, entry.withHashBits(IndexEntry.hashBits(of: hash)))
      }
    }
    adopt(new)
  }

  /// Gives an empty index that nobody else uses yet tables for so many entries, so that they need not grow.
  package func reserve(_ count: Int, _ permit: borrowing WritePermit) {
    precondition(self.count == 0, "only an empty index can be given tables")
    let depth = IndexGrowth.depth(expectedCount: count)
    let new = IndexDirectory.make(keyHash: directory.keyHash, depth: depth)
    let entryCount = count / new.wordCount
    for number in 0..<new.wordCount {
      let bucketCount = IndexGrowth.bucketCount(for: entryCount, number: UInt64(number))
      new.setTable(IndexTable.make(bucketCount: bucketCount, depth: depth), at: number)
    }
    adopt(new, count: 0, isCrowded: false)
  }

  /// Gives back what tables are too large.
  package func trim(_ permit: borrowing WritePermit) {
    // Rebuilding a partition leaves the directory as it is.
    directory.forEachPartition { shrink($0) }
  }

  /// Takes over the contents of an index that nobody else has seen, which is empty then.
  func takeOver(_ new: HashIndex, _ permit: borrowing WritePermit) { adopt(new) }

  private func adopt(_ new: HashIndex) {
    let taken = new.exchangeDirectory(IndexDirectory.make(keyHash: new.directory.keyHash))
    adopt(taken, count: new.count, isCrowded: new.isCrowded)
  }

  /// Publishes a directory with all its tables instead of the present one, and gives the memory of that one back.
  func adopt(_ new: IndexDirectory, count: Int, isCrowded: Bool) {
    addToByteCount(new.totalByteCount)
    let old = exchangeDirectory(new)
    unsafe counters.pointee.count.store(count, ordering: .relaxed)
    setCrowded(isCrowded)
    addToByteCount(-old.totalByteCount)
    old.forEachMemory(retire)
  }
}

// MARK: State

extension HashIndex {
  @inline(__always)
  var directory: IndexDirectory {
    Self.directory(at: directoryAddress.load(ordering: .acquiring))
  }

  /// Publishes another directory; returns the one before.
  func exchangeDirectory(_ directory: IndexDirectory) -> IndexDirectory {
    defer { SchedulePoint.reach(.published) }
    let address = unsafe UInt(bitPattern: directory.memory)
    return Self.directory(at: directoryAddress.exchange(address, ordering: .acquiringAndReleasing))
  }

  @inline(__always)
  private static func directory(at address: UInt) -> IndexDirectory {
    // There always is one.
    unsafe IndexDirectory(memory: UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped)
  }

  @inline(__always)
  func addToCount(_ change: Int) {
    unsafe counters.pointee.count.store(count &+ change, ordering: .relaxed)
  }

  func setCrowded(_ isCrowded: Bool) {
    unsafe counters.pointee.isCrowded.store(isCrowded, ordering: .relaxed)
  }

  /// Accounts for memory: to be called for what is taken before what it replaces is given back.
  func addToByteCount(_ change: Int) {
    let sum = byteCount + change
    unsafe counters.pointee.byteCount.store(sum, ordering: .relaxed)
    if sum > byteCountMax { unsafe counters.pointee.byteCountMax.store(sum, ordering: .relaxed) }
  }
}

/// Numbers that the writer keeps and anyone may read; on a cache line of their own, because inserting writes them
/// and readers read what lies near.
struct IndexCounters: ~Copyable {
  let count = Atomic<Int>(0)
  let byteCount: Atomic<Int>
  let byteCountMax: Atomic<Int>
  let isCrowded = Atomic<Bool>(false)

  static let memoryByteCount = 64

  static func allocate(byteCount: Int) -> UnsafeMutablePointer<IndexCounters> {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: memoryByteCount, alignment: 64)
    let counters = unsafe memory.bindMemory(to: IndexCounters.self, capacity: 1)
    let total = byteCount + memoryByteCount
    unsafe counters.initialize(to: IndexCounters(byteCount: Atomic(total), byteCountMax: Atomic(total)))
    return unsafe counters
  }
}
