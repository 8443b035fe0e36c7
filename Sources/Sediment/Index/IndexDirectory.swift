internal import SedimentFormat
internal import Synchronization

/// All that readers need: the seed of the hash, and for each prefix of hashes the table that holds them.
///
/// One block of memory: a header of 64 bytes, a word for each prefix (see `IndexTable`), and the counts of each
/// partition. The header never changes; a word is replaced by one store; the counts are the writer's own. A
/// partition whose prefix is shorter than the directory's has several words, all alike, and its counts stand with
/// the first of them.
@safe
struct IndexDirectory {
  let memory: UnsafeMutableRawPointer

  private struct Header {
    let keyHash: KeyHash
    /// By how much a hash is shifted to leave its prefix.
    let shift: UInt64
  }

  private static let headerByteCount = 64

  /// A directory that `make` made.
  @inline(__always)
  init(memory: UnsafeMutableRawPointer) {
    unsafe self.memory = memory
  }

  /// Makes a directory of empty partitions; `depth` is how many hash bits of entries a prefix tells.
  static func make(keyHash: KeyHash, depth: UInt64 = 0) -> IndexDirectory {
    let wordCount = 1 << Int(KeyHash.baseBitCount + depth)
    let byteCount = byteCount(wordCount: wordCount)
    let memory = unsafe IndexMemory(byteCount: byteCount).address
    unsafe memory.initializeMemory(
      as: Header.self,
      to: Header(keyHash: keyHash, shift: 64 - KeyHash.baseBitCount - depth))
    unsafe (memory + headerByteCount).bindMemory(to: Atomic<UInt64>.self, capacity: wordCount)
    unsafe (memory + headerByteCount + wordCount * 8)
      .bindMemory(to: IndexPartitionCounts.self, capacity: wordCount)
    let directory = unsafe IndexDirectory(memory: memory)
    for index in 0..<wordCount { directory.setTable(.empty(depth: depth), at: index) }
    return directory
  }

  /// A directory of the same tables whose prefixes tell one bit more.
  func doubled() -> IndexDirectory {
    let result = Self.make(keyHash: keyHash, depth: depth + 1)
    for index in 0..<wordCount {
      result.setTable(table(at: index), at: 2 * index)
      result.setTable(table(at: index), at: 2 * index + 1)
      unsafe result.counts[2 * index] = unsafe counts[index]
    }
    return result
  }

  @inline(__always)
  var keyHash: KeyHash { unsafe header.pointee.keyHash }

  /// The hash bits of entries that a prefix tells.
  var depth: UInt64 { 64 - shift - KeyHash.baseBitCount }

  var wordCount: Int { 1 &<< Int(64 &- shift) }

  var byteCount: Int { Self.byteCount(wordCount: wordCount) }

  /// Which word a hash belongs to.
  @inline(__always)
  func index(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> shift) }

  @inline(__always)
  func table(at index: Int) -> IndexTable {
    IndexTable(word: unsafe (words + index).pointee.load(ordering: .acquiring))
  }

  @inline(__always)
  func setTable(_ table: IndexTable, at index: Int) {
    unsafe (words + index).pointee.store(table.word, ordering: .releasing)
  }

  private static func byteCount(wordCount: Int) -> Int {
    headerByteCount + wordCount * (8 + MemoryLayout<IndexPartitionCounts>.stride)
  }

  @inline(__always)
  private var shift: UInt64 { unsafe header.pointee.shift }

  @inline(__always)
  private var header: UnsafeMutablePointer<Header> {
    unsafe memory.assumingMemoryBound(to: Header.self)
  }

  @inline(__always)
  private var words: UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe (memory + Self.headerByteCount).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  @inline(__always)
  fileprivate var counts: UnsafeMutablePointer<IndexPartitionCounts> {
    unsafe (memory + Self.headerByteCount + wordCount &* 8).assumingMemoryBound(to: IndexPartitionCounts.self)
  }
}

/// How many slots of a partition are in use.
struct IndexPartitionCounts {
  /// The entries.
  var live: UInt32 = 0
  /// The deleted slots, which no probe ends at.
  var deleted: UInt32 = 0

  /// The slots that are not vacant.
  @inline(__always)
  var used: Int { Int(live) &+ Int(deleted) }
}

/// One partition as the writer sees it, until the directory changes.
@safe
struct IndexPartition {
  let directory: IndexDirectory
  let table: IndexTable
  /// The first of its words.
  let first: Int

  @inline(__always)
  init(at index: Int, in directory: IndexDirectory) {
    self.directory = directory
    table = directory.table(at: index)
    first = index & ~(1 &<< Int(directory.depth &- table.depth) &- 1)
  }

  /// All of its words.
  var words: Range<Int> { first..<first + 1 << Int(directory.depth - table.depth) }

  /// Its number among the partitions of its depth: its own prefix.
  var number: UInt64 { UInt64(first) >> (directory.depth - table.depth) }

  /// The lowest hash that belongs to it.
  var lowestHash: UInt64 { number << (64 - KeyHash.baseBitCount - table.depth) }

  var counts: IndexPartitionCounts {
    @inline(__always) get { unsafe directory.counts[first] }
    @inline(__always) nonmutating set { unsafe directory.counts[first] = newValue }
  }
}

extension IndexDirectory {
  /// The partition that holds a hash.
  @inline(__always)
  func partition(of hash: UInt64) -> IndexPartition {
    IndexPartition(at: index(of: hash), in: self)
  }

  /// Calls `body` with each partition, in the order of their hashes.
  func forEachPartition<Failure: Error>(
    _ body: (IndexPartition) throws(Failure) -> Void
  ) throws(Failure) {
    var index = 0
    while index < wordCount {
      let partition = IndexPartition(at: index, in: self)
      try body(partition)
      index = partition.words.upperBound
    }
  }

  func setCounts(_ counts: IndexPartitionCounts, at index: Int) {
    unsafe self.counts[index] = counts
  }

  /// Calls `body` with all memory that the index takes for entries: the tables', then the directory's own.
  func forEachMemory(_ body: (IndexMemory) -> Void) {
    forEachPartition { partition in
      if let memory = partition.table.memory { body(memory) }
    }
    unsafe body(IndexMemory(memory))
  }

  /// The bytes of that memory.
  var totalByteCount: Int {
    var sum = byteCount
    forEachPartition { sum += $0.table.byteCount }
    return sum
  }
}
