/// Fills a table that nobody reads yet.
@safe
struct IndexTableBuilder: ~Copyable {
  private(set) var table: IndexTable
  private(set) var counts = IndexPartitionCounts()
  private let fills: UnsafeMutablePointer<UInt8>

  init(bucketCount: Int, depth: UInt64) {
    table = IndexTable.make(bucketCount: bucketCount, depth: depth)
    unsafe fills = .allocate(capacity: table.bucketCount)
    unsafe fills.initialize(repeating: 0, count: table.bucketCount)
  }

  deinit {
    unsafe fills.deallocate()
  }

  @inline(__always)
  mutating func add(_ entry: IndexEntry) {
    counts.live &+= 1
    if unsafe table.add(entry, fills: fills) > IndexGrowth.probeBucketCountMax { table = table.crowded }
  }
}
