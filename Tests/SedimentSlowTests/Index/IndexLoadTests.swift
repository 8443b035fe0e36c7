import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// An index that is filled with the entries of another one, partition by partition.
@Suite struct IndexLoadTests {
  private static let keyHash = KeyHash(low: 3, high: 4)
  private static let baseCount = 1 << Int(KeyHash.baseBitCount)

  private static func newIndex(_ keyHash: KeyHash = keyHash, expectedCount: Int = 0) -> HashIndex {
    HashIndex(keyHash: keyHash, expectedCount: expectedCount) { $0.free() }
  }

  /// The entries of each base partition, in the order of the tables.
  private static func partitions(_ index: HashIndex) -> [[UInt64]] {
    let bitCount = KeyHash.baseBitCount
    var lists = [[UInt64]](repeating: [], count: 1 << Int(bitCount))
    var prefix: UInt64? = 0
    while let from = prefix {
      var entries: [IndexEntry] = []
      prefix = index.view.copyEntries(from: from, into: &entries)
      lists[Int(from >> (64 - bitCount))] += entries.map(\.rawValue)
    }
    return lists
  }

  /// The same of partitions that were split by so many bits.
  private static func partitions(_ index: HashIndex, splitBy bitCount: Int) -> [[UInt64]] {
    partitions(index).flatMap { list in
      (0..<1 << bitCount as Range<UInt64>).map { number in
        list.filter { bitCount == 0 || ($0 << 1) >> UInt64(64 - bitCount) == number }
      }
    }
  }

  /// Fills an index with the entries of each partition; false if they are refused.
  private static func fill(_ index: HashIndex, _ lists: [[UInt64]], splitBy bitCount: Int = 0) -> Bool {
    let load = IndexLoad(
      keyHash: keyHash, partitionCount: lists.count, splitBitCount: UInt64(bitCount),
      entryCount: lists.reduce(0) { $0 + $1.count },
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

  @Test(arguments: [(1, 2_000), (3, 300_000), (6, 20_000), (8, 300_000)])
  func `Entries of partitions that were split are found as well`(bitCount: Int, count: Int) throws {
    let source = Self.newIndex()
    var generator = SeededGenerator(seed: UInt64(count))
    let hashes = (0..<count).map { _ in generator.next() }
    for (number, hash) in hashes.enumerated() {
      source.insert(hash, position: UInt64(number) + 2, WritePermit())
    }
    let index = Self.newIndex()
    #expect(Self.fill(index, Self.partitions(source, splitBy: bitCount), splitBy: bitCount))
    try index.checkInvariants()
    #expect(index.count == count)
    #expect(Self.partitions(index).map { $0.sorted() } == Self.partitions(source).map { $0.sorted() })
    #expect(index.view.leastDepth == UInt64(bitCount))
    for number in 0..<1_000 {
      index.insert(generator.next(), position: UInt64(count + number) + 2, WritePermit())
    }
    try index.checkInvariants()
  }

  @Test func `An entry of another partition is refused`() {
    let source = Self.newIndex()
    var generator = SeededGenerator(seed: 1)
    for number in 0..<1_000 as Range<UInt64> {
      source.insert(generator.next(), position: number + 2, WritePermit())
    }
    var lists = Self.partitions(source, splitBy: 4)
    let place = lists.firstIndex { !$0.isEmpty }!
    lists[place ^ 1].append(lists[place][0])
    #expect(!Self.fill(Self.newIndex(), lists, splitBy: 4))
  }

  @Test func `Partitions are split as growing would have split them`() throws {
    let source = Self.newIndex()
    var generator = SeededGenerator(seed: 1)
    // All in one base partition, and so few others that the directory must stay small.
    for number in 0..<100_000 as Range<UInt64> {
      source.insert(generator.next() >> KeyHash.baseBitCount, position: number + 2, WritePermit())
    }
    let index = Self.newIndex()
    #expect(Self.fill(index, Self.partitions(source)))
    try index.checkInvariants()
    #expect(Self.partitions(index)[0].sorted() == Self.partitions(source)[0].sorted())
    #expect(index.byteCount < 1_250_000)
  }

  @Test func `Hashes that are too much alike are refused at once`() throws {
    let same = (0..<200_000 as Range<UInt64>).map { 0x3FFF << 38 | ($0 + 2) }
    var lists = [[UInt64]](repeating: [], count: Self.baseCount)
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
    func load(_ count: Int, splitBy bitCount: UInt64 = 0) -> IndexLoad? {
      IndexLoad(
        keyHash: Self.keyHash, partitionCount: count, splitBitCount: bitCount, entryCount: count,
        largestCount: 1)
    }
    let base = Self.baseCount
    for count in [0, 1, base / 2, base - 1, base + 1, base / 2 * 3, base * 2] { #expect(load(count) == nil) }
    #expect(load(base) != nil)
    for (count, bitCount) in [
      (base, 1), (base * 2, 2), (base << 8, 7), (base << 8, 17), (base << 9, 9), (base, 255),
    ] {
      #expect(load(count, splitBy: UInt64(bitCount)) == nil)
    }
    for (count, bitCount) in [(base * 2, 1), (base << 8, 8)] {
      #expect(load(count, splitBy: UInt64(bitCount)) != nil)
    }
  }
}
