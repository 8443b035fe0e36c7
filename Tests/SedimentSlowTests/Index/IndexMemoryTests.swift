import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Gives back what an index replaces, and counts it.
final class IndexReplacements: Sendable {
  private let counter = Atomic<Int>(0)

  var count: Int { counter.load(ordering: .relaxed) }

  func take(_ memory: IndexMemory) {
    counter.add(1, ordering: .relaxed)
    memory.free()
  }
}

@Suite struct IndexMemoryTests {
  private let replacements = IndexReplacements()

  private func newIndex(expectedCount: Int = 0) -> HashIndex {
    let replacements = replacements
    return HashIndex(keyHash: KeyHash(low: 1, high: 2), expectedCount: expectedCount) {
      replacements.take($0)
    }
  }

  // Without optimization few of the keys, which have partitions enough to show the same.
  private let scale = _isDebugAssertConfiguration() ? 25 : 1

  @Test(arguments: [0, 5_000_000])
  func `From a million keys on each takes 12 bytes, and 14 while growing`(_ expectedCount: Int) throws {
    let index = newIndex(expectedCount: expectedCount / scale)
    var generator = SeededGenerator(seed: 3)
    let firstCount = 1_000_000 / scale
    for number in 0..<UInt64(3 * firstCount) {
      index.insert(generator.next(), position: number + 2, WritePermit())
      guard index.count >= firstCount else { continue }
      guard index.byteCount <= 12 * index.count, index.byteCountMax <= 14 * index.count else {
        Issue.record("\(index.byteCount), at most \(index.byteCountMax) bytes for \(index.count) keys")
        return
      }
    }
    try index.checkInvariants()
  }

  @Test func `Removing the others of a crowd rebuilds its table a few times, not with each`() throws {
    let index = newIndex()
    var generator = SeededGenerator(seed: 9)
    // All in one partition, and more of them alike than a probe is meant to pass.
    let hashes = (0..<20_000).map { number in 5 << 56 | (number < 400 ? 77 : generator.next() >> 8) }
    for (number, hash) in hashes.enumerated() {
      index.insert(hash, position: UInt64(number) + 2, WritePermit())
    }
    #expect(index.isCrowded)
    let replacedBefore = replacements.count
    for number in 400..<19_500 {
      guard let (probe, _) = index.view.find(hashes[number], at: UInt64(number) + 2) else { continue }
      index.remove(probe, WritePermit())
    }
    #expect(replacements.count - replacedBefore < 20)
    #expect(index.count == 900)
    #expect(index.byteCount < 900 * 64)
    try index.checkInvariants()
  }

  @Test func `An insertion replaces a table and the directory at most, and rarely the table twice`() throws {
    let index = newIndex()
    var generator = SeededGenerator(seed: 4)
    var repetitionCount = 0
    for number in 0..<UInt64(2_000_000 / scale) {
      let replacedBefore = replacements.count
      let byteCount = index.byteCount
      let byteCountMax = index.byteCountMax
      index.insert(generator.next(), position: number + 2, WritePermit())
      let replaced = replacements.count - replacedBefore
      if replaced > 2 { repetitionCount += 1 }
      // For the entries that a table may hold which was too small to be split, and a quarter more.
      let taken = index.byteCountMax == byteCountMax ? 0 : index.byteCountMax - byteCount
      guard replaced <= 3, taken <= 21_504 * 13 else {
        Issue.record("insertion \(number) replaced \(replaced) blocks and took \(taken) bytes")
        return
      }
    }
    #expect(repetitionCount <= 2)
    #expect(replacements.count >= 1_000)
    try index.checkInvariants()
  }

  @Test
  func `Removing and inserting at a constant count takes no more memory with time, and rebuilds little`()
    throws
  {
    let index = newIndex()
    var generator = SeededGenerator(seed: 5)
    var keys = (0..<(800_000 / scale)).map { _ in generator.next() }
    for (number, key) in keys.enumerated() { index.insert(key, position: UInt64(number) + 2, WritePermit()) }
    let replacedBefore = replacements.count
    // Partitions of few entries keep room for the most that they ever had.
    let entryByteCountMax = scale == 1 ? 12 : 14
    for round in 0..<1_000_000 / scale {
      let victim = Int.random(in: 0..<keys.count, using: &generator)
      var probe = index.view.probe(keys[victim])
      while let entry = probe.next(), entry.position != UInt64(victim) + 2 {}
      index.remove(probe, WritePermit())
      keys[victim] = generator.next()
      index.insert(keys[victim], position: UInt64(victim) + 2, WritePermit())
      guard index.byteCount <= entryByteCountMax * keys.count else {
        Issue.record("\(index.byteCount) bytes after \(round) rounds")
        return
      }
    }
    try index.checkInvariants()
    #expect(index.count == keys.count)
    #expect(replacements.count - replacedBefore <= (scale == 1 ? 600 : 400))
  }

  @Test func `A key that comes and goes replaces nothing`() throws {
    let index = newIndex()
    var generator = SeededGenerator(seed: 6)
    for number in 0..<1_000 as Range<UInt64> {
      index.insert(generator.next(), position: number + 2, WritePermit())
    }
    let key = generator.next()
    index.insert(key, position: 5_000, WritePermit())
    let before = replacements.count
    for _ in 0..<10_000 {
      var probe = index.view.probe(key)
      while let entry = probe.next(), entry.position != 5_000 {}
      index.remove(probe, WritePermit())
      index.insert(key, position: 5_000, WritePermit())
    }
    #expect(replacements.count == before)
    try index.checkInvariants()
  }
}
