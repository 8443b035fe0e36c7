import Sediment
import SedimentFormat
import SedimentTesting
import Testing

@Suite struct IndexCrowdingTests {
  private func newIndex() -> HashIndex {
    HashIndex(keyHash: KeyHash(low: 1, high: 2)) { $0.free() }
  }

  private func positions(_ index: HashIndex, _ hash: UInt64) -> [UInt64] {
    var probe = index.view.probe(hash)
    var result: [UInt64] = []
    while let entry = probe.next() { result.append(entry.position) }
    return result.sorted()
  }

  @Test(arguments: [0, 0x1234_5678_9ABC_DEF0, UInt64.max])
  func `More equal hashes than a probe is meant to pass are all found, and reported`(_ hash: UInt64) throws {
    let index = newIndex()
    for number in 0..<100 as Range<UInt64> { index.insert(hash, position: number + 2, WritePermit()) }
    #expect(!index.isCrowded)
    for number in 100..<1_000 as Range<UInt64> { index.insert(hash, position: number + 2, WritePermit()) }
    #expect(index.isCrowded)
    #expect(positions(index, hash) == Array(2..<1_002))
    #expect(index.byteCount < 32_768)
    try index.checkInvariants()
  }

  @Test(arguments: [5_000, 100_000, 400_000])
  func `Removing in the order of the hashes crowds no partition, and gives all memory back`(count: Int) throws
  {
    let index = newIndex()
    var generator = SeededGenerator(seed: UInt64(count))
    let entries = (0..<count).map { (hash: generator.next(), position: UInt64($0) + 2) }
    for (hash, position) in entries { index.insert(hash, position: position, WritePermit()) }
    for (number, entry) in entries.sorted(by: { $0.hash < $1.hash }).enumerated() {
      let found = try #require(index.view.find(entry.hash, at: entry.position))
      index.remove(found.probe, WritePermit())
      if number % 20_000 == 0 { try index.checkInvariants() }
    }
    #expect(!index.isCrowded)
    #expect(index.count == 0)
    // Tables of three buckets are not worth making smaller.
    #expect(index.byteCount < 65_536)
  }

  @Test func `Other keys are found as ever beside a thousand equal hashes`() throws {
    let index = newIndex()
    var generator = SeededGenerator(seed: 7)
    // Bits 10 and 11 tell these keys from the crowd, in whose partition half of them lie.
    let keys = (0..<2_000).map { $0 % 2 == 0 ? generator.next() : generator.next() >> 12 | 1 << 53 }
    for (number, key) in keys.enumerated() {
      index.insert(key, position: UInt64(number) + 10_000, WritePermit())
      if number % 2 == 0 { index.insert(7, position: UInt64(number) + 2, WritePermit()) }
    }
    #expect(index.isCrowded)
    for (number, key) in keys.enumerated() {
      #expect(positions(index, key).contains(UInt64(number) + 10_000))
    }
    #expect(positions(index, 7).filter { $0 < 10_000 } == (0..<1_000).map { $0 * 2 + 2 })
    try index.checkInvariants()
  }

  @Test func `Removing all of a crowd leaves the others`() throws {
    let index = newIndex()
    index.insert(8 << 40, position: 5, WritePermit())
    for number in 0..<500 as Range<UInt64> { index.insert(7, position: number + 1_000, WritePermit()) }
    for _ in 0..<500 {
      var probe = index.view.probe(7)
      #expect(probe.next() != nil)
      index.remove(probe, WritePermit())
    }
    #expect(positions(index, 7) == [])
    #expect(positions(index, 8 << 40) == [5])
    #expect(index.count == 1)
    try index.checkInvariants()
  }

  @Test func `A crowd is gone once the index was built anew under a seed that tells its keys apart`() throws {
    let index = newIndex()
    for number in 0..<500 as Range<UInt64> { index.insert(7, position: number + 2, WritePermit()) }
    #expect(index.isCrowded)
    index.rebuild(keyHash: KeyHash(low: 3, high: 4), WritePermit()) { $0.position &* 0x9E37_79B9_7F4A_7C15 }
    #expect(!index.isCrowded)
    for position in 2..<502 as Range<UInt64> {
      #expect(positions(index, position &* 0x9E37_79B9_7F4A_7C15) == [position])
    }
    try index.checkInvariants()
  }

  @Test func `Thousands of equal hashes do not make the directory grow`() throws {
    let index = newIndex()
    // Two hashes that differ in the last bit that entries hold, and many others.
    var generator = SeededGenerator(seed: 8)
    for number in 0..<20_000 as Range<UInt64> {
      index.insert(generator.next(), position: number + 2, WritePermit())
    }
    let before = index.byteCount
    for number in 0..<4_000 as Range<UInt64> {
      index.insert((number & 1) << 31, position: number + 100_000, WritePermit())
    }
    #expect(index.byteCount - before < 16 * 4_000)
    #expect(positions(index, 0).count(where: { $0 >= 100_000 }) == 2_000)
    try index.checkInvariants()
  }

  /// Each of these seeds filled some table, of the thousands that are made on the way, so unevenly that it was crowded.
  @Test(arguments: [5, 36] as [UInt64])
  func `Hashes at random crowd no table while the index grows`(_ seed: UInt64) throws {
    let index = newIndex()
    var generator = SeededGenerator(seed: seed)
    for number in 0..<5_000_000 as Range<UInt64> {
      index.insert(generator.next(), position: number + 2, WritePermit())
    }
    #expect(!index.isCrowded)
    try index.checkInvariants()
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `Hashes that lie closer in one place crowd no table, while it is split and while it shrinks`(
    _ seed: UInt64
  ) throws {
    let index = newIndex()
    var generator = SeededGenerator(seed: seed)
    // All in one partition, whose last eighth has a fifth of them.
    let hashes = (0..<100_000).map { _ in
      let rest = generator.next() >> 11
      let eighth = generator.next() % 35 < 7 ? 7 : generator.next() % 7
      return 5 << 56 | eighth << 53 | rest
    }
    for (number, hash) in hashes.enumerated() {
      index.insert(hash, position: UInt64(number) + 2, WritePermit())
    }
    #expect(!index.isCrowded)
    try index.checkInvariants()
    for (number, hash) in hashes.enumerated() where number % 8 != 0 {
      guard let (probe, _) = index.view.find(hash, at: UInt64(number) + 2) else { continue }
      index.remove(probe, WritePermit())
    }
    #expect(!index.isCrowded)
    #expect(index.count == 12_500)
    #expect(index.byteCount < 12_500 * 21)
    try index.checkInvariants()
  }
}
