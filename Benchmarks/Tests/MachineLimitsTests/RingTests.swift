import BenchmarkHarness
import MachineLimits
import Testing

@Suite struct RingTests {
  @Test(arguments: [64, 128, 8192, 1 << 20])
  func `a walk through the pointer ring visits each line once`(byteCount: Int) throws {
    var random = SplitMix64(seed: 1)
    let ring = try PointerRing(byteCount: byteCount, random: &random)
    let start = ring.line()
    var visited: Set<Int> = []
    for _ in 0..<ring.lineCount {
      visited.insert(ring.line())
      #expect(ring.walk(stepCount: 1).amount == 1)
    }
    #expect(ring.lineCount == byteCount / 64)
    #expect(visited == Set(0..<ring.lineCount))
    #expect(ring.line() == start)
  }

  @Test func `the order is random, not that of the addresses`() throws {
    var random = SplitMix64(seed: 1)
    let ring = try PointerRing(byteCount: 1 << 20, random: &random)
    var neighbours = 0
    for _ in 0..<ring.lineCount {
      let line = ring.line()
      _ = ring.walk(stepCount: 1)
      if ring.line() == line + 1 { neighbours += 1 }
    }
    #expect(neighbours < 10)
  }

  @Test func `starting points lie equally far from each other`() throws {
    var random = SplitMix64(seed: 2)
    let ring = try PointerRing(byteCount: 3 * 64 * 100, startCount: 3, random: &random)
    for start in 1...2 {
      _ = ring.walk(stepCount: 100)
      #expect(ring.line(atStart: 0) == ring.line(atStart: start))
    }
  }

  @Test(arguments: [1024, 1536])
  func `lookups visit each record once, by entries of their own`(entryCount: Int) throws {
    var random = SplitMix64(seed: 3)
    let ring = try LookupRing(
      entryCount: entryCount, recordCount: 1024, recordByteCount: 136, random: &random)
    let start = ring.entryNumber
    var entries: Set<Int> = []
    var records: Set<Int> = []
    for _ in 0..<ring.count {
      entries.insert(ring.entryNumber)
      records.insert(ring.recordNumber)
      let sample = entries.count % 2 == 0 ? ring.walk(lookupCount: 1) : ring.walkChecked(lookupCount: 1)
      #expect(sample.amount == 1)
    }
    #expect(ring.count == 1024)
    #expect(entries.count == 1024)
    #expect(entries.isSubset(of: 0..<entryCount))
    #expect(records == Set(0..<1024))
    #expect(ring.entryNumber == start)
  }
}
