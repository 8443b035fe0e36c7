internal import BenchmarkHarness

/// How long a read takes that waits for the one before, and how much is won when reads overlap.
struct MemoryReads {
  private static let firstCacheByteCount = 8 << 10
  private static let secondCacheByteCount = 256 << 10
  private static let lastCacheByteCount = 8 << 20
  private static let indexByteCount = 16 << 20

  private let scale: Scale
  private let caches: [PointerRing]
  private let large: PointerRing
  private let lookups: LookupRing

  init(scale: Scale) throws {
    self.scale = scale
    var random = SplitMix64(seed: 1)
    let sizes = [
      MemoryReads.firstCacheByteCount, MemoryReads.secondCacheByteCount, MemoryReads.lastCacheByteCount,
    ]
    caches = try sizes.map { try PointerRing(byteCount: $0, random: &random) }
    large = try PointerRing(byteCount: scale.largeByteCount, startCount: 3, random: &random)
    let lookupCount = MemoryReads.indexByteCount / MemoryLayout<UInt>.stride
    lookups = try LookupRing(
      entryCount: lookupCount, recordCount: lookupCount,
      recordByteCount: scale.largeByteCount / lookupCount, random: &random)
  }

  var groups: [BenchmarkGroup] {
    [
      BenchmarkGroup(
        "Memory: each read waits for the one before", cacheReads + [dram, lookup, twoThreads]),
      BenchmarkGroup(
        "Memory: reads overlap, 64 asked for at a time", [batchedReads, batchedLookups]),
    ]
  }

  private var largeText: String { byteCountText(scale.largeByteCount) }

  private var cacheReads: [Benchmark] {
    let rows = [
      ("first", MemoryReads.firstCacheByteCount, 20_000_000),
      ("second", MemoryReads.secondCacheByteCount, 10_000_000),
      ("last", MemoryReads.lastCacheByteCount, 4_000_000),
    ]
    return zip(rows, caches).map { row, ring in
      let (level, byteCount, stepCount) = row
      return Benchmark(
        "read-\(level)-cache", name: "read in \(byteCountText(byteCount))", meaning: "\(level)-level cache",
        method: "A walk through all cache lines of the table, linked as a ring in random order."
      ) {
        // The benchmarks before this one have filled the caches with their own data.
        _ = ring.walk(stepCount: ring.lineCount)
        return ring.walk(stepCount: scale.operations(stepCount))
      }
    }
  }

  private var dram: Benchmark {
    Benchmark(
      "read-dram", name: "read in \(largeText)", meaning: "the DRAM read",
      method: "The same walk through a table that no cache holds; each round goes on where the last ended."
    ) {
      large.walk(stepCount: scale.operations(1_000_000))
    }
  }

  private var lookup: Benchmark {
    let indexText = byteCountText(MemoryReads.indexByteCount)
    return Benchmark(
      "lookup", name: "entry in \(indexText), record in \(largeText)", meaning: "the least for one lookup",
      method: "An 8-byte entry holds the address of a record, whose first word holds that of the next entry."
    ) {
      lookups.walk(lookupCount: scale.operations(500_000))
    }
  }

  private var twoThreads: Benchmark {
    Benchmark(
      "read-dram-two-threads", name: "read in \(largeText), two threads",
      meaning: "half the DRAM read if they do not disturb",
      method: "Two threads walk the ring a third of it apart; elapsed time by the reads of both."
    ) {
      try large.walkInTwoThreads(stepCountEach: scale.operations(1_000_000))
    }
  }

  private var batchedReads: Benchmark {
    var random = SplitMix64(seed: 2)
    return Benchmark(
      "read-batched", name: "read in \(largeText)", meaning: "per read",
      method: "64 random lines are prefetched, then read; choosing the addresses is part of it."
    ) {
      large.readBatches(count: scale.operations(40_000), random: &random)
    }
  }

  private var batchedLookups: Benchmark {
    var random = SplitMix64(seed: 3)
    let indexText = byteCountText(MemoryReads.indexByteCount)
    return Benchmark(
      "lookup-batched", name: "entry in \(indexText), record in \(largeText)",
      meaning: "per entry and record",
      method: "64 random entries are prefetched; read, their records prefetched; then the records are read."
    ) {
      lookups.lookUpBatches(count: scale.operations(20_000), random: &random)
    }
  }
}
