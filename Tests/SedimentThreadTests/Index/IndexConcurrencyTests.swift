import Foundation
import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Keeps what an index replaces until all readers are gone.
private final class IndexLimbo: Sendable {
  private let memories = Mutex<[IndexMemory]>([])

  func take(_ memory: IndexMemory) {
    memories.withLock { $0.append(memory) }
  }

  deinit {
    for memory in memories.withLock({ $0 }) { memory.free() }
  }
}

/// An index whose positions tell the key and the version of what they name, and whose hashes follow from both the
/// seed and the key's number.
private struct VersionedIndex: Sendable {
  let index: HashIndex

  init() {
    let limbo = IndexLimbo()
    index = HashIndex(keyHash: KeyHash(low: 0, high: 0)) { limbo.take($0) }
  }

  /// All lie in two of the base partitions, so that these are split soon.
  static func hash(_ key: UInt64, _ keyHash: KeyHash) -> UInt64 {
    var generator = SeededGenerator(seed: key ^ keyHash.low &* 0x9E37_79B9_7F4A_7C15)
    return generator.next() >> 5
  }

  static func position(_ key: UInt64, version: UInt64) -> UInt64 { (key + 1) << 16 | version }
  static func key(_ position: UInt64) -> UInt64 { position >> 16 - 1 }
  static func version(_ position: UInt64) -> UInt64 { position & 0xFFFF }

  /// The version that a reader finds; nil for none, and `wrong` counts entries that no key of this hash has.
  func version(of key: UInt64, wrong: inout Int) -> UInt64? {
    let view = index.view
    let hash = Self.hash(key, view.keyHash)
    var probe = view.probe(hash)
    while let entry = probe.next() {
      let found = Self.key(entry.position)
      if found == key { return Self.version(entry.position) }
      if Self.hash(found, view.keyHash) >> 33 != hash >> 33 { wrong += 1 }
    }
    return nil
  }

  func put(_ key: UInt64, version: UInt64) {
    if let probe = probe(key) {
      index.replace(probe, position: Self.position(key, version: version), WritePermit())
    } else {
      index.insert(
        Self.hash(key, index.view.keyHash), position: Self.position(key, version: version), WritePermit())
    }
  }

  func remove(_ key: UInt64) {
    if let probe = probe(key) { index.remove(probe, WritePermit()) }
  }

  private func probe(_ key: UInt64) -> IndexProbe? {
    var probe = index.view.probe(Self.hash(key, index.view.keyHash))
    while let entry = probe.next() {
      if Self.key(entry.position) == key { return probe }
    }
    return nil
  }

  /// How often each of the first keys comes in an iteration; `between` runs after each partition.
  func occurrences(ofFirst keyCount: Int, between: (Int) -> Void = { _ in }) -> [Int]? {
    var result = [Int](repeating: 0, count: keyCount)
    var prefix: UInt64? = 0
    var step = 0
    let keyHash = index.view.keyHash
    while let next = prefix {
      let view = index.view
      guard view.keyHash == keyHash else { return nil }
      var entries: [IndexEntry] = []
      prefix = view.copyEntries(from: next, into: &entries)
      for key in entries.map({ Self.key($0.position) }) where key < keyCount { result[Int(key)] += 1 }
      between(step)
      step += 1
    }
    return result
  }
}

@Suite struct IndexConcurrencyTests {
  @Test func `An iteration yields each key that stays once, whatever happens between its steps`() throws {
    let versioned = VersionedIndex()
    let index = versioned.index
    let stableCount: UInt64 = 2_000
    for key in 0..<40_000 as Range<UInt64> { versioned.put(key, version: 0) }
    var next: UInt64 = 40_000
    let occurrences = versioned.occurrences(ofFirst: Int(stableCount)) { step in
      // Only the first partitions have entries.
      guard step < 6 else { return }
      for key in 0..<stableCount { versioned.put(key, version: UInt64(step) + 1) }
      if step % 3 == 2 {
        for key in stableCount..<next { versioned.remove(key) }
      } else {
        for key in next..<next + 20_000 { versioned.put(key, version: 0) }
        next += 20_000
      }
    }
    #expect(occurrences == Array(repeating: 1, count: Int(stableCount)))
    try index.checkInvariants()
  }

  @Test
  func `Readers find every key that stays, at a version no older than was announced, and nothing wrong`()
    throws
  {
    let meeting = Meeting()
    let group = DispatchGroup()
    for number in 0..<5 as Range<UInt64> {
      group.enter()
      Thread.detachNewThread {
        if number == 4 { meeting.write() } else { meeting.read(seed: number) }
        group.leave()
      }
    }
    group.wait()
    #expect(meeting.missedCount.load(ordering: .relaxed) == 0)
    #expect(meeting.staleCount.load(ordering: .relaxed) == 0)
    #expect(meeting.wrongCount.load(ordering: .relaxed) == 0)
    #expect(meeting.unequalIterationCount.load(ordering: .relaxed) == 0)
    #expect(meeting.iterationCount.load(ordering: .relaxed) > 0)
    try meeting.versioned.index.checkInvariants()
  }
}

/// One writer and any readers of one index, and what the readers found amiss.
private final class Meeting: Sendable {
  let versioned = VersionedIndex()
  let missedCount = Atomic<Int>(0)
  let staleCount = Atomic<Int>(0)
  let wrongCount = Atomic<Int>(0)
  let iterationCount = Atomic<Int>(0)
  let unequalIterationCount = Atomic<Int>(0)
  /// The version that every stable key has, or a later one.
  private let announced = Atomic<UInt64>(0)
  private let isDone = Atomic<Bool>(false)

  private let stableCount: UInt64 = 2_000
  private let keyCount: UInt64 = 40_000

  init() {
    for key in 0..<stableCount { versioned.put(key, version: 0) }
  }

  func read(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var wrongCount = 0
    repeat {
      for _ in 0..<500 {
        let atLeast = announced.load(ordering: .acquiring)
        switch versioned.version(of: generator.next() % stableCount, wrong: &wrongCount) {
        case nil: missedCount.add(1, ordering: .relaxed)
        case let version? where version < atLeast: staleCount.add(1, ordering: .relaxed)
        default: break
        }
        _ = versioned.version(of: generator.next() % (4 * keyCount), wrong: &wrongCount)
      }
      // Not across a new seed, under which an iteration has to begin anew.
      if seed == 0, let occurrences = versioned.occurrences(ofFirst: Int(stableCount)) {
        if occurrences.contains(where: { $0 != 1 }) { unequalIterationCount.add(1, ordering: .relaxed) }
        iterationCount.add(1, ordering: .relaxed)
      }
    } while !isDone.load(ordering: .acquiring)
    self.wrongCount.add(wrongCount, ordering: .relaxed)
  }

  /// Overwrites the stable keys among others that come and go.
  func write() {
    for round in 1...2 as ClosedRange<UInt64> {
      for key in stableCount..<keyCount {
        versioned.put(key, version: round)
        if key % 7 == 0 { versioned.remove(max(key - key % 1_000, stableCount)) }
        if key < 2 * stableCount { versioned.put(key - stableCount, version: round) }
      }
      announced.store(round, ordering: .releasing)
      if round == 1 {
        let keyHash = KeyHash(low: round, high: 0)
        versioned.index.rebuild(keyHash: keyHash, WritePermit()) {
          VersionedIndex.hash(VersionedIndex.key($0.position), keyHash)
        }
      }
      for key in stableCount + round * 3_000..<keyCount { versioned.remove(key) }
    }
    isDone.store(true, ordering: .releasing)
  }
}
