internal import CSediment
internal import SedimentDisk
internal import SedimentFormat

/// A record that compaction keeps, on its way to another segment.
struct Survivor {
  /// Where it lies in the buffer, counted from the first record.
  let offset: Int
  let byteCount: Int
  /// Where the index leads to it, in units; 0 for a tombstone, which it does not.
  let oldPosition: UInt64
  let hash: UInt64
}

/// Collects records until they fill a segment of survivors (DESIGN.md 8, "Exchange").
///
/// They are kept in memory, so that the segment can be made to their measure: its checksums depend on its length.
@safe
final class SurvivorBuffer {
  /// The bytes of records that a segment may get.
  let byteCountMax: Int
  private(set) var byteCount = 0
  private(set) var survivors: [Survivor] = []
  private var memory: UnsafeMutableRawBufferPointer
  private var lowest = UInt64.max
  private var counts = Counts()

  /// What the catalogue says of the records.
  private struct Counts {
    var highest = SequenceNumber.zero
    var latestExpiry: UInt64 = 0
    var records: UInt32 = 0
    var tombstones: UInt32 = 0
    var larges: UInt32 = 0
  }

  init(byteCountMax: Int) {
    self.byteCountMax = byteCountMax
    unsafe memory = .allocate(byteCount: 64 << 10, alignment: 64)
  }

  deinit {
    unsafe memory.deallocate()
  }

  var isEmpty: Bool { survivors.isEmpty }

  // MARK: Filling

  /// Whether a record fits, by its length and its sequence.
  func hasRoom(for record: ScannedRecord) -> Bool {
    if isEmpty { return true }
    let lowest = min(lowest, record.sequence)
    let highest = max(counts.highest.rawValue, record.sequence)
    return byteCount + Int(record.byteCount) <= byteCountMax && highest - lowest < Limits.sequenceSpan - 1
  }

  /// Adds a record that stands in memory as a whole, as one that is in no batch.
  func add(_ record: ScannedRecord, _ hash: UInt64) {
    let count = Int(record.byteCount)
    let start = unsafe record.keyStart - Int(record.headByteCount)
    let target = unsafe reserve(count)
    unsafe target.copyMemory(from: start, byteCount: count)
    let shape = unsafe target.load(fromByteOffset: RecordHeader.Field.shape, as: UInt8.self)
    unsafe target.storeBytes(
      of: shape & ~RecordHeader.Shape.batched, toByteOffset: RecordHeader.Field.shape, as: UInt8.self)
    let isTombstone = record.kind == .remove
    note(record, isTombstone: isTombstone)
    survivors.append(
      Survivor(
        offset: byteCount, byteCount: count, oldPosition: isTombstone ? 0 : record.position, hash: hash))
    byteCount += count
  }

  /// Adds a tombstone in the place of a put that is left out, with the put's sequence.
  func addTombstone(for record: ScannedRecord) {
    let header = RecordHeader(
      kind: .remove, sequence: SequenceNumber(record.sequence)!, collection: record.collection,
      keyByteCount: Int(record.keyByteCount), valueByteCount: 0)
    let key = unsafe RawSpan(_unsafeStart: record.keyStart, byteCount: header.keyByteCount)
    let bytes = encoded(byteCount: header.byteCount) { bytes in
      header.encode(into: &bytes)
      bytes.copy(key, at: header.keyRange.lowerBound)
    }
    let target = unsafe reserve(bytes.count)
    unsafe bytes.span.bytes.withUnsafeBytes {
      unsafe target.copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    note(record, isTombstone: true)
    survivors.append(Survivor(offset: byteCount, byteCount: bytes.count, oldPosition: 0, hash: 0))
    byteCount += bytes.count
  }

  private func note(_ record: ScannedRecord, isTombstone: Bool) {
    lowest = min(lowest, record.sequence)
    counts.highest = max(counts.highest, SequenceNumber(record.sequence)!)
    if isTombstone {
      counts.tombstones += 1
    } else {
      let isFirst = counts.records == counts.tombstones
      let latest = counts.latestExpiry
      counts.latestExpiry =
        isFirst ? record.expiry : latest == 0 || record.expiry == 0 ? 0 : max(latest, record.expiry)
      if record.kind == .putLarge { counts.larges += 1 }
    }
    counts.records += 1
  }

  /// Memory for so many bytes more, behind room for a segment's header.
  private func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    let needed = SegmentHeader.byteCount + byteCount + count
    if unsafe needed > memory.count {
      let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(needed, min(memory.count * 2, SegmentHeader.byteCount + byteCountMax)), alignment: 64)
      unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<(needed - count)]))
      unsafe memory.deallocate()
      unsafe memory = larger
    }
    return unsafe memory.baseAddress! + SegmentHeader.byteCount + byteCount
  }

  // MARK: Writing

  /// The slots that the records take.
  var slotCount: UInt32 {
    UInt32((SegmentHeader.byteCount + byteCount + Limits.slotByteCount - 1) / Limits.slotByteCount)
  }

  /// Writes the records to slots that nobody knows of yet, and empties the buffer.
  func write(
    to identity: SegmentIdentity, floor: SequenceNumber, _ log: LogFile
  ) throws(DiskError) -> SurvivorSegment {
    // Sequences begin with 1.
    let base = SequenceNumber(lowest - 1)!
    let segment = Segment(identity, base: base, in: log.identity)
    let start = unsafe memory.baseAddress!
    let header = SegmentHeader(identity: identity, base: base, floor: floor).encode(in: log.identity)
    unsafe header.span.bytes.withUnsafeBytes {
      unsafe start.copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    let first = identity.recordRange.lowerBound
    for survivor in survivors {
      let record = unsafe start + SegmentHeader.byteCount + survivor.offset
      let unit = UInt32(truncatingIfNeeded: first.rawValue + UInt64(survivor.offset / Limits.unitByteCount))
      let checksum = unsafe sediment_crc32c_record(segment.seed, unit, record, survivor.byteCount)
      unsafe record.storeBytes(of: checksum.littleEndian, as: UInt32.self)
    }
    let whole = unsafe RawSpan(
      _unsafeStart: UnsafeRawPointer(start), byteCount: SegmentHeader.byteCount + byteCount)
    do throws(DiskError) {
      try log.write(whole, at: identity.run.byteRange.lowerBound)
    } catch {
      unsafe segment.address.deallocate()
      throw error
    }
    let end = UnitOffset(first.rawValue + UInt64(byteCount / Limits.unitByteCount))!
    let entry = SegmentEntry(
      identity: identity, base: base, floor: floor, end: end, highest: counts.highest,
      latestExpiry: counts.latestExpiry, recordCount: counts.records, tombstoneCount: counts.tombstones,
      largeCount: counts.larges)
    let result = SurvivorSegment(
      entry: entry, segment: segment, survivors: survivors, byteCount: byteCount)
    survivors = []
    byteCount = 0
    lowest = .max
    counts = Counts()
    return result
  }
}

/// A segment of survivors that was written, and is to be adopted.
struct SurvivorSegment {
  let entry: SegmentEntry
  let segment: Segment
  let survivors: [Survivor]
  let byteCount: Int

  /// Where a record of it lies, in units.
  func position(of survivor: Survivor) -> UInt64 {
    entry.identity.recordRange.lowerBound.rawValue + UInt64(survivor.offset / Limits.unitByteCount)
  }
}
