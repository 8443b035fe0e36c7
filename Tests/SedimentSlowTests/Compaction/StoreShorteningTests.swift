import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// A compacted file is as short as what it holds allows, wherever things lay before.
struct StoreShorteningTests {
  @Test(arguments: 0..<150 as Range<UInt64>)
  func `An empty file is short, wherever it had slots in reserve`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fixture = try StoreFixture(
      durability: .synced, maxByteCount: Bool.random(using: &generator) ? 60 << 20 : nil)
    var keys: [String] = []
    let count = Int.random(in: 2...100, using: &generator)
    var isFull = false
    while keys.count < count, !isFull {
      let byteCount = Int.random(in: 0...3, using: &generator) == 0 ? 1_000 : 1 << 20
      keys.append("\(keys.count)")
      isFull =
        code { try fixture.store.set(pattern(byteCount, keys.count), forKey: "\(keys.count - 1)") } != nil
      if Int.random(in: 0...9, using: &generator) == 0 { fixture.scheduler.runDue() }
    }
    if Bool.random(using: &generator) { try fixture.reopen() }
    if Bool.random(using: &generator) { try fixture.store.removeAll() }
    for key in keys.shuffled(using: &generator) {
      try fixture.store.remove(forKey: key)
      if Int.random(in: 0...9, using: &generator) == 0 { fixture.scheduler.runDue() }
    }
    fixture.disk.advanceClocks(by: .seconds(1))
    fixture.scheduler.runDue()
    if Bool.random(using: &generator) { try fixture.reopen() }
    try fixture.store.compact()
    let length = try #require(fixture.disk.byteCount(of: StoreFixture.path))
    #expect(length <= 400_000)
  }

  @Test func `What a long batch made is not kept in reserve when it is gone`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<2_000 { try fixture.store.set(pattern(16_000, number), forKey: "\(number)") }
    try fixture.store.batch { batch in
      for number in 0..<60 { batch.set(pattern(16_000, number), forKey: "member \(number)") }
    }
    try fixture.store.removeAll()
    try fixture.store.compact()
    // The head, the log, and what two checkpoints and an exchange take.
    let length = try #require(fixture.disk.byteCount(of: StoreFixture.path))
    #expect(length <= 12 * 16_384)
    #expect(fixture.store.accountFindings() == [])
  }
}
