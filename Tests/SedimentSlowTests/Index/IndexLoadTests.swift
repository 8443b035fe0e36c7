import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// An index that is filled with the entries of another one, partition by partition.
@Suite struct IndexLoadTests {
  private static let keyHash = KeyHash(low: 3, high: 4)

  private static func newIndex(_ keyHash: KeyHash = keyHash, expectedCount: Int = 0) -> HashIndex {
    HashIndex(keyHash: keyHash, expectedCount: expectedCount) { $0.free() }
  }

  /// The entries of each base partition, in the order of the tables.
  private static func partitions(_ index: HashIndex) -> [[UInt64]] {
    let bitCount = index.view.baseBitCount
    var lists = [[UInt64]](repeating: [], count: 1 << Int(bitCount))
    var prefix: UInt64? = 0
    while let from = prefix {
      var entries: [IndexEntry] = []
      prefix = index.view.copyEntries(from: from, into: &entries)
      lists[Int(from >> (64 - bitCount))] += entries.map(\.rawValue)
    }
    return lists
  }

  /// Fills an index with the entries of each base partition; false if they are refused.
  private static func fill(_ index: HashIndex, _ lists: [[UInt64]]) -> Bool {
    let load = IndexLoad(
      keyHash: keyHash, partitionCount: lists.count, entryCount: lists.reduce(0) { $0 + $1.count },
      largestCount: lists.map(\.count).max() ?? 0)
    guard let load else { return false }
    index.beginFilling(load, WritePermit())
    // In no order.
    for (number, list) in lists.enumerated().reversed() {
      var list = list
      let tables = unsafe list.withUnsafeMutableBufferPointer { unsafe load.tables(of: number, $0) }
      guard let tables else { return false }
      index.fill(number, with: tables, WritePermit())
    }
    return true
  }

  @Test(arguments: [0, 1, 7, 500, 20_000, 300_000], [0, 4_000_000])
  func `All entries are found, in no more memory than growing would take`(
    count: Int, expectedCount: Int
  ) throws {
    let source = Self.newIndex(expectedCount: expectedCount)
    var generator = SeededGenerator(seed: UInt64(count))
    let hashes = (0..<count).map { _ in generator.next() }
    for (number, hash) in hashes.enumerated() {
      source.insert(hash, position: UInt64(number) + 2, WritePermit())
    }
    let index = Self.newIndex(KeyHash(low: 1, high: 1))
    index.insert(5, position: 77, WritePermit())
    #expect(Self.fill(index, Self.partitions(source)))
    try index.checkInvariants()
    #expect(index.count == count)
    #expect(index.view.keyHash == Self.keyHash)
    #expect(Self.partitions(index).map { $0.sorted() } == Self.partitions(source).map { $0.sorted() })
    for (number, hash) in hashes.enumerated() where number % 17 == 0 {
      var probe = index.view.probe(hash)
      var found: [UInt64] = []
      while let entry = probe.next() { found.append(entry.position) }
      #expect(found.contains(UInt64(number) + 2))
    }
    if count >= 20_000 { #expect(index.byteCount < count * 12 + 2_200_000 * expectedCount / 4_000_000) }
    // It goes on to grow and to shrink.
    for number in 0..<1_000 {
      index.insert(generator.next(), position: UInt64(count + number) + 2, WritePermit())
    }
    try index.checkInvariants()
    #expect(index.count == count + 1_000)
  }

  @Test func `Partitions are split as growing would have split them`() throws {
    let source = Self.newIndex()
    var generator = SeededGenerator(seed: 1)
    // All in one base partition, and so few others that the directory must stay small.
    for number in 0..<100_000 as Range<UInt64> {
      source.insert(generator.next() >> 6, position: number + 2, WritePermit())
    }
    let index = Self.newIndex()
    #expect(Self.fill(index, Self.partitions(source)))
    try index.checkInvariants()
    #expect(Self.partitions(index)[0].sorted() == Self.partitions(source)[0].sorted())
    #expect(index.byteCount < 1_250_000)
  }

  @Test func `Hashes that are too much alike are refused at once`() throws {
    let same = (0..<200_000 as Range<UInt64>).map { 0x3FFF << 38 | ($0 + 2) }
    var lists = [[UInt64]](repeating: [], count: 64)
    lists[5] = same
    #expect(!Self.fill(Self.newIndex(), lists))
    // As many as find room within the bound are fine.
    lists[5] = Array(same.prefix(200))
    let index = Self.newIndex()
    #expect(Self.fill(index, lists))
    try index.checkInvariants()
    #expect(!index.isCrowded)
    #expect(index.count == 200)
  }

  @Test func `An index has a number of partitions that one can have`() {
    func load(_ count: Int) -> IndexLoad? {
      IndexLoad(keyHash: Self.keyHash, partitionCount: count, entryCount: count, largestCount: 1)
    }
    for count in [0, 1, 32, 63, 65, 96, 1 << 17] { #expect(load(count) == nil) }
    for count in [64, 1 << 16] { #expect(load(count) != nil) }
  }
}
