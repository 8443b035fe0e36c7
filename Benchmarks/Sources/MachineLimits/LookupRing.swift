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
  private var entry: UInt

  /// Makes an index of this size, and a table of records with one for each entry; both are powers of two.
  package init(indexByteCount: Int, recordsByteCount: Int, random: inout SplitMix64) throws {
    index = try Memory(byteCount: indexByteCount)
    records = try Memory(byteCount: recordsByteCount)
    let count = indexByteCount / LookupRing.entryByteCount
    let recordByteCount = recordsByteCount / count
    let entryOrder = (0..<UInt32(count)).shuffled(using: &random)
    let recordOrder = (0..<UInt32(count)).shuffled(using: &random)
    let (firstEntry, firstRecord) = unsafe (index.base, records.base)
    for place in 0..<count {
      let entry = unsafe firstEntry + Int(entryOrder[place]) * LookupRing.entryByteCount
      let next = unsafe firstEntry + Int(entryOrder[(place + 1) % count]) * LookupRing.entryByteCount
      let record = unsafe firstRecord + Int(recordOrder[place]) * recordByteCount
      unsafe entry.storeBytes(of: UInt(bitPattern: record), as: UInt.self)
      unsafe record.storeBytes(of: UInt(bitPattern: next), as: UInt.self)
    }
    entry = UInt(bitPattern: firstEntry)
  }

  /// How many entries, and records, there are.
  package var count: Int { index.byteCount / LookupRing.entryByteCount }

  /// The number of the entry that the next walk begins with.
  package var entryNumber: Int {
    let base = unsafe UInt(bitPattern: index.base)
    return Int(entry - base) / LookupRing.entryByteCount
  }

  /// The number of the record that this entry points to.
  package var recordNumber: Int {
    let base = unsafe UInt(bitPattern: records.base)
    return Int(word(at: entry) - base) / (records.byteCount / count)
  }

  /// Looks up one record after another, each waiting for the one before.
  package func walk(lookupCount: Int) -> Sample {
    let stopwatch = Stopwatch()
    entry = follow(entry, stepCount: 2 * lookupCount)
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: lookupCount)
  }

  /// Looks up records at random, 64 at a time: asks for all entries, then for all records, then reads the records.
  func lookUpBatches(count batches: Int, random: inout SplitMix64) -> Sample {
    let base = unsafe UInt(bitPattern: index.base)
    let mask = UInt(index.byteCount - LookupRing.entryByteCount)
    let addresses = UnsafeMutablePointer<UInt>.allocate(capacity: batchCount)
    defer { unsafe addresses.deallocate() }
    var generator = random
    var sum: UInt = 0
    let stopwatch = Stopwatch()
    for _ in 0..<batches {
      for slot in 0..<batchCount {
        let entry = base + UInt(truncatingIfNeeded: generator.next()) & mask
        unsafe addresses[slot] = entry
        prefetch(entry)
      }
      for slot in 0..<batchCount {
        let record = word(at: unsafe addresses[slot])
        unsafe addresses[slot] = record
        prefetch(record)
      }
      for slot in 0..<batchCount {
        sum &+= word(at: unsafe addresses[slot])
      }
    }
    bench_consume(UInt64(sum))
    random = generator
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: batches * batchCount)
  }
}
