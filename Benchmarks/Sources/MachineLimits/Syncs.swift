package import BenchmarkHarness
internal import CBench

/// What it costs to wait until a small record is on the medium.
package struct Syncs {
  private static let blockByteCount = 4096
  private static let fileByteCount = 8 << 20
  package static let threadCount = 16

  private let recordByteCount: Int
  private let scale: Scale
  private let directory: String
  private let file: ScratchFile
  private let mapping: Memory

  /// Prepares a file in `directory` for records of this size.
  package init(
    scale: Scale, directory: String, recordByteCount: Int = 128, name: String = "sync"
  ) throws {
    self.scale = scale
    self.recordByteCount = recordByteCount
    self.directory = directory
    file = try ScratchFile(name, in: directory)
    try file.fill(byteCount: Syncs.fileByteCount)
    try file.syncData()
    mapping = try Memory(mapping: file, byteCount: Syncs.fileByteCount)
  }

  var group: BenchmarkGroup {
    BenchmarkGroup(
      "Making \(recordByteCount) B durable", [overwrite, freshBlock, mappedStore, groupCommit])
  }

  package var overwrite: Benchmark {
    Benchmark(
      "sync-overwrite", name: "pwrite, fdatasync", meaning: "over blocks that were written before",
      method: "Records behind one another in a file that was written and synced; fdatasync after each."
    ) {
      try syncEach(file) { record, number in
        try file.write(record, at: offset(number))
      }
    }
  }

  private var freshBlock: Benchmark {
    Benchmark(
      "sync-fresh-block", name: "pwrite to a fresh block, fdatasync",
      meaning: "the file system's journal has to be written too",
      method: "Each record begins a block that is reserved and was never written; fdatasync after each."
    ) {
      let fresh = try ScratchFile("fresh", in: directory)
      try fresh.preallocate(byteCount: (syncCount + 1) * Syncs.blockByteCount)
      try fresh.syncData()
      return try syncEach(fresh) { record, number in
        try fresh.write(record, at: number * Syncs.blockByteCount)
      }
    }
  }

  private var mappedStore: Benchmark {
    Benchmark(
      "sync-mapped", name: "store to the mapping, fdatasync", meaning: "a page fault and a sync each",
      method: "Records behind one another, stored into the mapping of a file that was written and synced."
    ) {
      try syncEach(file) { record, number in
        let offset = offset(number)
        unsafe (mapping.base + offset).copyMemory(from: record.base, byteCount: record.byteCount)
        bench_consume(0)
      }
    }
  }

  package var groupCommit: Benchmark {
    Benchmark(
      "sync-group-commit", name: "\(Syncs.threadCount) threads share fdatasync", meaning: "per record",
      method: "A pwrite, then waiting for a sync that began later. One of those that wait calls it,"
        + " after a sched_yield that lets the others join."
    ) {
      let commit = GroupCommit(file)
      let (file, countEach) = (file, sharedCountEach)
      let stopwatch = Stopwatch()
      try inParallel(threadCount: Syncs.threadCount) { thread in
        let record = try Memory(byteCount: recordByteCount)
        for number in 0..<countEach {
          let slot = number * Syncs.threadCount + thread
          try file.write(record, at: offset(slot))
          try commit.waitUntilDurable()
        }
      }
      return Sample(nanoseconds: stopwatch.nanoseconds, amount: Syncs.threadCount * countEach)
    }
  }

  /// Where a record goes: behind the one before, and from the beginning again where the file ends.
  private func offset(_ number: Int) -> Int {
    number % (Syncs.fileByteCount / recordByteCount) * recordByteCount
  }

  /// How many records one thread makes durable in a sample.
  package var syncCount: Int { scale.operations(400) }

  /// How many each of the threads does that share syncs.
  package var sharedCountEach: Int { scale.operations(300) }

  /// Times `write` with a sync after each; the first, which may wait for others' writes, does not count.
  private func syncEach(_ file: ScratchFile, write: (Memory, Int) throws -> Void) throws -> Sample {
    let record = try Memory(byteCount: recordByteCount)
    try write(record, 0)
    try file.syncData()
    let stopwatch = Stopwatch()
    for number in 1...syncCount {
      try write(record, number)
      try file.syncData()
    }
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: syncCount)
  }
}
