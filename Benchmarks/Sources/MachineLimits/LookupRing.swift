package import BenchmarkHarness
internal import CBench

/// An index of 8-byte entries and the records they point to, all in random order.
///
/// What a lookup costs at least: a read of the entry, then a read of the record at the address found there. Each record
/// begins with the address of another entry, in one ring, so that lookups can be made to wait for each other.
package final class LookupRing {
  private static let entryByteCount = MemoryLayout<UInt>.stride

  private let index: Memory
  private let records: Memory
  private let recordByteCount: Int
  private var entries: [UInt]

  /// How many records there are, and entries in the ring.
  package let count: Int

  /// Makes an index of so many entries, and fewer or as many records.
  ///
  /// Entries that no record needs lead to one all the same, and are not in the ring.
  ///
  /// With a file, the records lie in the mapped memory of it, as a store's do, whose pages are small.
  package init(
    entryCount: Int, recordCount: Int, recordByteCount: Int, recordsIn file: ScratchFile? = nil,
    random: inout SplitMix64
  ) throws {
    precondition(entryCount >= recordCount && recordByteCount >= MemoryLayout<UInt>.size)
    count = recordCount
    self.recordByteCount = recordByteCount
    index = try Memory(byteCount: entryCount * LookupRing.entryByteCount)
    let recordsByteCount = recordCount * recordByteCount
    if let file {
      try file.fill(byteCount: (recordsByteCount >> 20 + 1) << 20)
      records = try Memory(mapping: file, byteCount: recordsByteCount)
    } else {
      records = try Memory(byteCount: recordsByteCount)
    }
    let entryOrder = (0..<UInt32(entryCount)).shuffled(using: &random)
    let recordOrder = (0..<UInt32(recordCount)).shuffled(using: &random)
    let (firstEntry, firstRecord) = unsafe (index.base, records.base)
    func entry(_ place: Int) -> UnsafeMutableRawPointer {
      unsafe firstEntry + Int(entryOrder[place]) * LookupRing.entryByteCount
    }
    for place in 0..<entryCount {
      let record = unsafe firstRecord + Int(recordOrder[place % recordCount]) * recordByteCount
      unsafe entry(place).storeBytes(of: UInt(bitPattern: record), as: UInt.self)
      guard place < recordCount else { continue }
      let next = unsafe UInt(bitPattern: entry((place + 1) % recordCount))
      unsafe record.storeBytes(of: next, as: UInt.self)
    }
    entries = (0..<3).map { unsafe UInt(bitPattern: entry($0 * recordCount / 3)) }
  }

  /// The number of the entry that the next walk begins with.
  package var entryNumber: Int {
    let base = unsafe UInt(bitPattern: index.base)
    return Int(entries[0] - base) / LookupRing.entryByteCount
  }

  /// The number of the record that this entry points to.
  package var recordNumber: Int {
    let base = unsafe UInt(bitPattern: records.base)
    return Int(word(at: entries[0]) - base) / recordByteCount
  }

  /// Looks up one record after another, each waiting for the one before.
  package func walk(lookupCount: Int) -> Sample {
    let stopwatch = Stopwatch()
    entries[0] = follow(entries[0], stepCount: 2 * lookupCount)
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: lookupCount)
  }

  /// The same, with a checksum over all of each record.
  ///
  /// A lookup waits for the one before, and not for its checksum.
  package func walkChecked(lookupCount: Int) -> Sample {
    var (entry, sum) = (entries[0], UInt64(0))
    let byteCount = recordByteCount / 24 * 24
    let stopwatch = Stopwatch()
    for _ in 0..<lookupCount {
      let record = word(at: entry)
      entry = word(at: record)
      sum ^= unsafe bench_checksum(UnsafeRawPointer(bitPattern: record), byteCount)
    }
    let nanoseconds = stopwatch.nanoseconds
    bench_consume(sum)
    entries[0] = entry
    return Sample(nanoseconds: nanoseconds, amount: lookupCount)
  }

  /// The same as ``walk(lookupCount:)`` in two threads, each from a starting point of its own.
  ///
  /// The sample is about the lookups of both.
  package func walkInTwoThreads(lookupCountEach: Int) throws -> Sample {
    let starts = [entries[1], entries[2]]
    let stopwatch = Stopwatch()
    let ends = try inParallel(threadCount: starts.count) { number in
      follow(starts[number], stepCount: 2 * lookupCountEach)
    }
    let nanoseconds = stopwatch.nanoseconds
    entries.replaceSubrange(1...2, with: ends)
    return Sample(nanoseconds: nanoseconds, amount: starts.count * lookupCountEach)
  }

  /// Looks up records at random, 64 at a time: asks for all entries, then for all records, then reads the records.
  ///
  /// Of a record its first line is asked for and its first word read, or all lines, and all of it checksummed.
  package func lookUpBatches(
    count batches: Int, isChecked: Bool = false, random: inout SplitMix64
  ) -> Sample {
    let lineStarts = stride(from: 0, to: isChecked ? recordByteCount : 1, by: 64)
    let checkedByteCount = isChecked ? recordByteCount / 24 * 24 : 0
    let base = unsafe UInt(bitPattern: index.base)
    let entryCount = UInt(index.byteCount / LookupRing.entryByteCount)
    let addresses = UnsafeMutablePointer<UInt>.allocate(capacity: batchCount)
    defer { unsafe addresses.deallocate() }
    var generator = random
    var sum: UInt = 0
    let stopwatch = Stopwatch()
    for _ in 0..<batches {
      for slot in 0..<batchCount {
        // The high half of a product of 32-bit numbers: any number of entries will do, and nothing is divided.
        let number = (UInt(truncatingIfNeeded: generator.next() >> 32) &* entryCount) >> 32
        let entry = base + number &* UInt(LookupRing.entryByteCount)
        unsafe addresses[slot] = entry
        prefetch(entry)
      }
      for slot in 0..<batchCount {
        let record = word(at: unsafe addresses[slot])
        unsafe addresses[slot] = record
        for lineStart in lineStarts { prefetch(record &+ UInt(lineStart)) }
      }
      for slot in 0..<batchCount {
        let record = unsafe addresses[slot]
        sum &+= word(at: record)
        if checkedByteCount > 0 {
          sum &+= UInt(unsafe bench_checksum(UnsafeRawPointer(bitPattern: record), checkedByteCount))
        }
      }
    }
    bench_consume(UInt64(sum))
    random = generator
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: batches * batchCount)
  }
}
