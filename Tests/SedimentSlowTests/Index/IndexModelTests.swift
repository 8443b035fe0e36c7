import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// An index beside a dictionary that holds what must be in it: for each hash, which stands for a key, a position of its
/// own.
final class IndexModel {
  let index: HashIndex
  private(set) var positions: [UInt64: UInt64] = [:]
  private var owners: [UInt64: UInt64] = [:]
  private var nextPosition: UInt64 = 2

  init(expectedCount: Int = 0) {
    index = HashIndex(keyHash: KeyHash(low: 1, high: 2), expectedCount: expectedCount) { $0.free() }
  }

  /// All positions that a probe for the hash yields.
  func found(_ hash: UInt64) -> [UInt64] {
    var probe = index.view.probe(hash)
    var result: [UInt64] = []
    while let entry = probe.next() { result.append(entry.position) }
    return result
  }

  /// A probe that stands on the entry of this very hash.
  func probe(_ hash: UInt64) -> IndexProbe? {
    var probe = index.view.probe(hash)
    while let entry = probe.next() {
      if entry.position == positions[hash] { return probe }
    }
    return nil
  }

  func isReferenced(_ hash: UInt64) -> Bool? {
    var probe = index.view.probe(hash)
    while let entry = probe.next() {
      if entry.position == positions[hash] { return entry.isReferenced }
    }
    return nil
  }

  func put(_ hash: UInt64) {
    let position = nextPosition
    nextPosition += 1
    if let old = positions[hash] {
      guard let probe = probe(hash) else { return lose(hash) }
      index.replace(probe, position: position, WritePermit())
      owners[old] = nil
    } else {
      index.insert(hash, position: position, WritePermit())
    }
    positions[hash] = position
    owners[position] = hash
  }

  func remove(_ hash: UInt64) {
    guard let old = positions[hash] else { return }
    guard let probe = probe(hash) else { return lose(hash) }
    index.remove(probe, WritePermit())
    positions[hash] = nil
    owners[old] = nil
  }

  /// Removes all but the keys of the lowest hashes, so many of them.
  func removeAll(expectedCount: Int = 0, but keptCount: Int = 0) {
    let kept = positions.sorted { $0.key < $1.key }.prefix(keptCount)
    index.removeAll(
      keyHash: KeyHash(low: nextPosition, high: 3), expectedCount: expectedCount,
      but: kept.map { (hash: $0.key, position: $0.value) }, WritePermit())
    positions = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    owners = Dictionary(uniqueKeysWithValues: kept.map { ($0.value, $0.key) })
  }

  /// Gives every key another hash.
  func rebuild(_ hash: (UInt64) -> UInt64) throws {
    try index.rebuild(keyHash: KeyHash(low: nextPosition, high: 4), WritePermit()) {
      entry throws(LostEntry) in
      guard let owner = owners[entry.position] else { throw LostEntry() }
      return hash(owner)
    }
    positions = Dictionary(uniqueKeysWithValues: positions.map { (hash($0.key), $0.value) })
    owners = Dictionary(uniqueKeysWithValues: positions.map { ($0.value, $0.key) })
  }

  struct LostEntry: Error {}

  private func lose(_ hash: UInt64) {
    Issue.record("the index lost the hash \(hash)")
  }

  /// Compares everything: each key is found once, and all that is found is a key whose known bits agree.
  func check() throws {
    try index.checkInvariants()
    #expect(index.count == positions.count)
    for (hash, position) in positions {
      let found = found(hash)
      guard found.count(where: { $0 == position }) == 1 else { return lose(hash) }
      for other in found {
        // A base partition is told by 6 bits or more, and 25 are in the entry.
        #expect(owners[other].map { $0 >> 33 } == hash >> 33)
      }
    }
    #expect(Set(iterated()) == Set(positions.values))
  }

  /// All positions that an iteration yields.
  func iterated() -> [UInt64] {
    var entries: [IndexEntry] = []
    var prefix: UInt64? = 0
    while let next = prefix { prefix = index.view.copyEntries(from: next, into: &entries) }
    #expect(entries.count == positions.count)
    return entries.map(\.position)
  }
}

@Suite struct IndexModelTests {
  @Test(arguments: [1, 3, 10, 60, 500, 3_000, 12_000])
  func `Random changes leave what a dictionary has after the same changes`(_ keyCount: Int) throws {
    var generator = SeededGenerator(seed: UInt64(keyCount))
    let hashes = (0..<keyCount).map { _ in generator.next() }
    let model = IndexModel(expectedCount: keyCount % 2 == 0 ? 0 : 3_000_000)
    for _ in 0..<6 {
      // Rounds that mostly fill and rounds that mostly empty.
      let removals = UInt64.random(in: 1...9, using: &generator)
      for _ in 0..<min(keyCount * 2, 12_000) {
        let hash = hashes[Int.random(in: 0..<keyCount, using: &generator)]
        if generator.next() % 10 < removals { model.remove(hash) } else { model.put(hash) }
      }
      try model.check()
      if generator.next() % 4 == 0 { model.removeAll(but: Int(generator.next() % 4)) }
    }
  }

  @Test func `Hashes that fill few partitions split them, and removing them makes the index small again`()
    throws
  {
    var generator = SeededGenerator(seed: 1)
    let model = IndexModel()
    let hashes = (0..<40_000).map { _ in generator.next() >> 6 | 0x4000_0000_0000_0000 }
    for hash in hashes { model.put(hash) }
    try model.check()
    #expect(model.index.byteCount < 12 * hashes.count)
    for hash in hashes.dropLast(100) { model.remove(hash) }
    try model.check()
    #expect(model.index.byteCount < 16_384)
  }

  @Test func `Nothing is found in an empty index, which takes less than 5 KiB`() throws {
    let model = IndexModel()
    for hash in [0, 1, UInt64.max, 1 << 63, 1 << 33] { #expect(model.found(hash) == []) }
    #expect(model.index.byteCount < 5 << 10)
    try model.check()
  }

  @Test func `The lowest and highest hashes and positions are stored like any other`() throws {
    let model = IndexModel()
    for position in [2, 274_877_906_943] as [UInt64] {
      for hash in [0, UInt64.max] {
        model.index.insert(hash, position: position, WritePermit())
        #expect(model.found(hash).contains(position))
      }
    }
    #expect(Set(model.found(0)) == [2, 274_877_906_943])
    #expect(Set(model.found(UInt64.max)) == [2, 274_877_906_943])
    #expect(model.found(1 << 62) == [])
    try model.index.checkInvariants()
  }

  @Test func `Building anew under another seed keeps every entry, and whether it was referenced`() throws {
    var generator = SeededGenerator(seed: 2)
    let model = IndexModel()
    let hashes = (0..<5_000).map { _ in generator.next() }
    for hash in hashes { model.put(hash) }
    for hash in hashes.prefix(2_000) { model.probe(hash)?.setReference() }
    try model.rebuild { $0 &* 0x9E37_79B9_7F4A_7C15 }
    try model.check()
    var entries: [IndexEntry] = []
    var prefix: UInt64? = 0
    while let next = prefix { prefix = model.index.view.copyEntries(from: next, into: &entries) }
    #expect(entries.count(where: \.isReferenced) == 2_000)
    #expect(model.index.view.keyHash.high == 4)
  }

  @Test func `Building anew splits partitions where the new hashes are in few of them`() throws {
    var generator = SeededGenerator(seed: 9)
    let model = IndexModel()
    for _ in 0..<36_000 { model.put(generator.next()) }
    try model.rebuild { $0 &* 0x9E37_79B9_7F4A_7C15 >> 6 }
    try model.check()
  }

  @Test func `A building anew that fails leaves the index as it was`() throws {
    let model = IndexModel()
    for hash in 0..<100 as Range<UInt64> { model.put(hash << 50) }
    #expect(throws: IndexModel.LostEntry.self) {
      var left = 50
      try model.index.rebuild(keyHash: KeyHash(low: 9, high: 9), WritePermit()) {
        entry throws(IndexModel.LostEntry) in
        left -= 1
        if left == 0 { throw IndexModel.LostEntry() }
        return entry.position
      }
    }
    #expect(model.index.view.keyHash == KeyHash(low: 1, high: 2))
    try model.check()
  }

  @Test func `A reference is noted until the entry is replaced`() throws {
    let model = IndexModel()
    model.put(77)
    #expect(model.isReferenced(77) == false)
    model.probe(77)?.setReference()
    #expect(model.isReferenced(77) == true)
    model.put(77)
    #expect(model.isReferenced(77) == false)
    try model.check()
  }

  @Test func `A reading is noted nowhere where no entry was found`() throws {
    let model = IndexModel()
    model.put(77)
    for hash in [1 << 57, UInt64.max] {
      var probe = model.index.view.probe(hash)
      #expect(probe.next() == nil)
      probe.setReference()
    }
    #expect(model.isReferenced(77) == false)
    try model.check()
  }

  @Test func `A reference to an entry that was removed meanwhile makes no entry of its slot`() throws {
    let model = IndexModel()
    model.put(77)
    let probe = try #require(model.probe(77))
    model.remove(77)
    probe.setReference()
    #expect(model.found(77) == [])
    try model.check()
  }
}
