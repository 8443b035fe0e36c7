internal import Synchronization

/// The slots of one partition, in buckets of one cache line; unpacked from its word in the directory.
///
/// An entry lies in its home bucket or in one behind it, the last bucket being followed by the first, and no bucket
/// from its home to the one before its own has a vacant slot. So a probe ends at the first bucket that has one.
/// Homes ascend with the hash: a table is filled from another by walking both from end to end.
///
/// The word holds, from its lowest bit: how many hash bits of the entry the partition's place in the directory tells,
/// and one more (5), whether entries may lie behind the longest probe that is meant to be (1), the address, which is a
/// multiple of 64 (42), and the number of buckets as a power of two (4) and a factor (12).
/// A table without buckets stands for an empty partition; its address is that of one vacant bucket. If entries may lie
/// behind its longest probe, it stands for one that was not filled yet.
@safe
struct IndexTable {
  let word: UInt64

  static let bucketSlotCount = 8
  static let bucketByteCount = 64
  private static let crowdedBit: UInt64 = 32
  private static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFC0
  private static let factorMask: UInt64 = 0xFFF << 52
  private static let factorMax = 1 << 12 - 1

  @inline(__always)
  init(word: UInt64) {
    self.word = word
  }

  /// How many hash bits of the entry the partition's place in the directory tells.
  @inline(__always)
  var depth: UInt64 { shift &- 1 }

  /// By how much the hash bits of an entry are shifted to leave those that are left as a fraction of 1.
  @inline(__always)
  private var shift: UInt64 { word & 31 }

  @inline(__always)
  var isCrowded: Bool { word & Self.crowdedBit != 0 }

  /// Whether the partition was not filled yet, so that finding nothing in it means nothing.
  @inline(__always)
  var isUnfilled: Bool { word & (Self.factorMask | Self.crowdedBit) == Self.crowdedBit }

  /// The same table, with probes that go on as far as there are buckets.
  var crowded: IndexTable { IndexTable(word: word | Self.crowdedBit) }

  /// The buckets that a probe visits at most.
  @inline(__always)
  var probeBucketCountMax: Int {
    isCrowded ? bucketCount : min(bucketCount, IndexGrowth.probeBucketCountMax)
  }

  @inline(__always)
  var bucketCount: Int { Int(word &>> 52) &<< Int(word &>> 48 & 15) }

  @inline(__always)
  var slotCount: Int { bucketCount &* Self.bucketSlotCount }

  @inline(__always)
  var byteCount: Int { bucketCount &* Self.bucketByteCount }

  @inline(__always)
  private var slots: UnsafeMutablePointer<Atomic<UInt64>> {
    // An address that `pack` took from a pointer to at least a bucket of slots.
    unsafe UnsafeMutablePointer(bitPattern: UInt(word & Self.addressMask)).unsafelyUnwrapped
  }

  /// The first slot of a bucket; an empty table has one bucket to read.
  @inline(__always)
  func bucket(_ bucket: Int) -> IndexSlot {
    unsafe IndexSlot(slots + bucket &* Self.bucketSlotCount)
  }

  /// Whether a bucket has a vacant slot.
  @inline(__always)
  func hasVacancy(inBucket bucket: Int) -> Bool {
    self.bucket(bucket).hasVacancy
  }

  /// The address of a bucket.
  @inline(__always)
  func bucketAddress(_ bucket: Int) -> UnsafeRawPointer {
    unsafe UnsafeRawPointer(slots + bucket &* Self.bucketSlotCount)
  }

  /// The bucket where the search for an entry of these hash bits begins.
  @inline(__always)
  func home(_ hashBits: UInt64) -> Int {
    // What is left of the hash bits, as a fraction of 1, times the number of buckets.
    let fraction = hashBits &<< shift
    return Int(truncatingIfNeeded: fraction.multipliedFullWidth(by: UInt64(bucketCount)).high)
  }

  /// The first free slot where a probe for these hash bits would find an entry; nil if all are taken.
  @inline(__always)
  func freeSlot(for hashBits: UInt64) -> IndexSlot? {
    let bucketCount = bucketCount
    var bucket = home(hashBits)
    for _ in 0..<probeBucketCountMax {
      let first = self.bucket(bucket)
      for place in 0..<Self.bucketSlotCount {
        let slot = first.advanced(by: place)
        if slot.loadAsWriter() <= IndexEntry.deleted { return slot }
      }
      bucket &+= 1
      if bucket == bucketCount { bucket = 0 }
    }
    return nil
  }
}

// MARK: Making

extension IndexTable {
  /// One vacant bucket, which all empty partitions share and nobody writes to.
  private static let vacantBucket = allocate(byteCount: bucketByteCount)

  /// A table without entries and without memory of its own.
  static func empty(depth: UInt64) -> IndexTable {
    IndexTable(word: pack(vacantBucket, factor: 0, power: 0, depth: depth))
  }

  /// What stands for a partition that is filled later.
  static func unfilled(depth: UInt64) -> IndexTable { empty(depth: depth).crowded }

  /// A table of at least so many vacant buckets.
  static func make(bucketCount: Int, depth: UInt64) -> IndexTable {
    guard bucketCount > 0 else { return empty(depth: depth) }
    var power = 0
    while (bucketCount + 1 << power - 1) >> power > factorMax { power += 1 }
    let factor = (bucketCount + 1 << power - 1) >> power
    let memory = allocate(byteCount: (factor << power) * bucketByteCount)
    return IndexTable(word: pack(memory, factor: factor, power: power, depth: depth))
  }

  /// Memory of its own, to be given back when no reader can be inside; nil for an empty table.
  var memory: IndexMemory? {
    unsafe bucketCount == 0 ? nil : IndexMemory(UnsafeMutableRawPointer(slots))
  }

  /// Gives its memory back at once, since no reader has ever seen it.
  func deallocate() {
    memory?.free()
  }

  private static func allocate(byteCount: Int) -> IndexMemory {
    let memory = IndexMemory(byteCount: byteCount)
    unsafe memory.address.bindMemory(to: Atomic<UInt64>.self, capacity: byteCount / 8)
    return memory
  }

  private static func pack(_ memory: IndexMemory, factor: Int, power: Int, depth: UInt64) -> UInt64 {
    let address = unsafe UInt64(UInt(bitPattern: memory.address))
    precondition(address & ~addressMask == 0, "memory at an address of more than 48 bits")
    precondition(power < 16 && depth + 1 < crowdedBit, "index partition too large")
    return address | (depth + 1) | UInt64(power) << 48 | UInt64(factor) << 52
  }
}

// MARK: Contents

extension IndexTable {
  /// What a slot holds.
  @inline(__always)
  func rawValue(at slot: Int) -> UInt64 {
    bucket(0).advanced(by: slot).load()
  }

  /// Calls `body` with each entry that is there, in the order of the slots.
  @inline(__always)
  func forEachEntry<Failure: Error>(_ body: (IndexEntry) throws(Failure) -> Void) throws(Failure) {
    for slot in 0..<slotCount {
      let raw = rawValue(at: slot)
      if raw > IndexEntry.deleted { try body(IndexEntry(rawValue: raw)) }
    }
  }
}

/// A table that nobody reads yet, without deleted slots, and how many entries it has.
struct FilledTable {
  fileprivate(set) var table: IndexTable
  fileprivate(set) var counts = IndexPartitionCounts()

  fileprivate init(vacant table: IndexTable) { self.table = table }

  /// Makes a table with room for `count` entries, to which `addAll` adds what it is to hold, and with more than `exceeded`
  /// buckets.
  ///
  /// It is wide enough that they are found within a probe. One that is crowded all the same is sparse: its entries are
  /// alike. `number` and `depth` are those of the partition.
  @inline(__always)
  init(
    _ count: Int, number: UInt64, depth: UInt64, exceeding exceeded: Int = 0,
    _ addAll: (inout IndexTableBuilder) -> Void
  ) {
    var exceeded = exceeded
    while true {
      let bucketCount = IndexGrowth.bucketCount(for: count, number: number, exceeding: exceeded)
      var builder = IndexTableBuilder(bucketCount: bucketCount, depth: depth)
      addAll(&builder)
      self = builder.filled
      if !table.isCrowded || IndexGrowth.isSparse(count: count, bucketCount: bucketCount) { return }
      table.deallocate()
      exceeded = bucketCount
    }
  }
}

/// Fills a table.
@safe
struct IndexTableBuilder: ~Copyable {
  fileprivate var filled: FilledTable
  /// The entries in each bucket.
  private let fills: UnsafeMutablePointer<UInt8>

  fileprivate init(bucketCount: Int, depth: UInt64) {
    filled = FilledTable(vacant: IndexTable.make(bucketCount: bucketCount, depth: depth))
    unsafe fills = .allocate(capacity: filled.table.bucketCount)
    unsafe fills.initialize(repeating: 0, count: filled.table.bucketCount)
  }

  deinit {
    unsafe fills.deallocate()
  }

  /// Whether an entry lies behind the longest probe.
  @inline(__always)
  var isCrowded: Bool { filled.table.isCrowded }

  /// Puts an entry into the first bucket from its home on that is not full; the table must have room.
  @inline(__always)
  mutating func add(_ entry: IndexEntry) {
    let table = filled.table
    filled.counts.live &+= 1
    var bucket = table.home(entry.hashBits)
    var visitedCount = 1
    while unsafe fills[bucket] == IndexTable.bucketSlotCount {
      visitedCount &+= 1
      bucket &+= 1
      if bucket == table.bucketCount { bucket = 0 }
    }
    let fill = unsafe fills[bucket]
    unsafe fills[bucket] = fill &+ 1
    table.bucket(bucket).advanced(by: Int(fill)).storeUnpublished(entry.rawValue)
    if visitedCount > IndexGrowth.probeBucketCountMax { filled.table = table.crowded }
  }
}
