internal import CSediment
internal import SedimentDisk
internal import SedimentFormat

/// A record that compaction keeps, on its way to another segment.
struct Survivor {
  /// Where it lies, counted from the first record of the buffer, and of its segment once it was written.
  var offset: UInt32
  let byteCount: UInt32
  /// How long it was before.
  let oldByteCount: UInt32
  let kind: RecordKind
  /// Where the record lay that it is made of, in units; the index leads there unless it is a tombstone.
  let oldPosition: UInt64
  let hash: UInt64
  let sequence: UInt64
  let expiry: UInt64

  var end: Int { Int(offset) + Int(byteCount) }
}

/// The memory of exchanges, which one after the other may use.
struct ExchangeMemory {
  let scan = ScanBuffer()
  let survivors = SurvivorBuffer()
}

/// Collects records until they fill a segment of survivors (DESIGN.md 8, "Exchange").
///
/// They are kept in memory, so that the segment can be made to their measure: its checksums depend on its length.
@safe
final class SurvivorBuffer {
  /// The bytes of records that a segment may get.
  private(set) var byteCountMax = 0
  /// All survivors of the exchange, in the order in which they were added.
  private(set) var survivors: [Survivor] = []
  /// How many of them were written.
  private var writtenCount = 0
  /// Room for a segment's header, and the records behind it.
  private let memory = GrowingMemory(room: 64 << 10)
  /// The lowest and the highest sequence of those that are not written yet.
  private var lowest = UInt64.max
  private var highest: UInt64 = 0
  /// Whether what it holds is the record of a long key.
  private var isForOneRecord = false

  /// Forgets the exchange before.
  func begin(byteCountMax: Int) {
    self.byteCountMax = byteCountMax
    survivors.removeAll(keepingCapacity: true)
    writtenCount = 0
    memory.removeAll(from: 0)
    _ = unsafe memory.add(SegmentHeader.byteCount)
    (lowest, highest) = (.max, 0)
    isForOneRecord = false
  }

  var byteCount: Int { memory.byteCount - SegmentHeader.byteCount }
  // Sequences begin with 1.
  var isEmpty: Bool { highest == 0 }
  /// The first one that is not written yet.
  var first: Survivor? { isEmpty ? nil : survivors[writtenCount] }

  // MARK: Filling

  /// Whether a record fits, by its length and its sequence.
  ///
  /// Behind a record that is longer than a segment should be, the rest of its last slot is there as well. One of a long
  /// key has a segment of its own.
  func hasRoom(for recordByteCount: Int, _ record: ScannedRecord) -> Bool {
    if isEmpty { return true }
    if isForOneRecord || LogWriter.isLong(keyOf: Int(record.keyByteCount)) { return false }
    let sequence = record.sequence
    let room = max(byteCountMax, Int(slotCount) * Limits.slotByteCount - SegmentHeader.byteCount)
    let lowest = min(lowest, sequence)
    let highest = max(highest, sequence)
    return byteCount + recordByteCount <= room && highest - lowest < Limits.sequenceSpan - 1
  }

  /// Adds a record that stands in memory as a whole, as one that is in no batch.
  func add(_ record: ScannedRecord, _ hash: UInt64) {
    let count = Int(record.byteCount)
    let start = unsafe record.keyStart - Int(record.headByteCount)
    let target = unsafe memory.add(count)
    unsafe target.copyMemory(from: start, byteCount: count)
    let shape = unsafe target.load(fromByteOffset: RecordHeader.Field.shape, as: UInt8.self)
    unsafe target.storeBytes(
      of: shape & ~RecordHeader.Shape.batched, toByteOffset: RecordHeader.Field.shape, as: UInt8.self)
    append(record, kind: record.kind, byteCount: count, hash)
  }

  /// Adds a record with another header, as one whose value was compressed anew to these bytes.
  func add(_ record: ScannedRecord, _ hash: UInt64, as header: RecordHeader, value: RawSpan) {
    let byteCount = header.byteCount
    let target = unsafe memory.add(byteCount)
    var bytes = unsafe MutableRawSpan(_unsafeStart: target, byteCount: byteCount)
    header.encode(into: &bytes)
    record.withKey { bytes.copy($0, at: header.keyRange.lowerBound) }
    bytes.copy(value, at: header.valueRange.lowerBound)
    append(record, kind: header.kind, byteCount: byteCount, hash)
  }

  /// Adds a tombstone in the place of a put that is left out, with the put's sequence.
  func addTombstone(for record: ScannedRecord) {
    let header = RecordHeader(
      kind: .remove, sequence: SequenceNumber(record.sequence)!, collection: record.collection,
      keyByteCount: Int(record.keyByteCount), valueByteCount: 0)
    add(record, 0, as: header, value: RawSpan())
  }

  /// Notes a record that was added.
  private func append(_ record: ScannedRecord, kind: RecordKind, byteCount count: Int, _ hash: UInt64) {
    lowest = min(lowest, record.sequence)
    highest = max(highest, record.sequence)
    survivors.append(
      Survivor(
        offset: UInt32(byteCount - count), byteCount: UInt32(count), oldByteCount: UInt32(record.byteCount),
        kind: kind, oldPosition: record.position, hash: hash, sequence: record.sequence,
        expiry: kind == .remove ? 0 : record.expiry))
    isForOneRecord = LogWriter.isLong(keyOf: Int(record.keyByteCount))
  }

  // MARK: Writing

  /// The slots that the records take.
  var slotCount: UInt32 { Self.slotCount(of: byteCount) }

  /// The slots that the first record alone takes.
  var slotCountMin: UInt32 { Self.slotCount(of: first.map { Int($0.byteCount) } ?? 0) }

  private static func slotCount(of byteCount: Int) -> UInt32 {
    UInt32((SegmentHeader.byteCount + byteCount + Limits.slotByteCount - 1) / Limits.slotByteCount)
  }

  /// Writes as many records as fit to slots that nobody knows of yet; the others stay in the buffer.
  func write(
    to identity: SegmentIdentity, floor: SequenceNumber, now: UInt64, _ volume: Volume
  ) throws(SedimentError) -> SurvivorSegment {
    let part = fitting(Int(identity.run.count) * Limits.slotByteCount - SegmentHeader.byteCount)
    let partByteCount = part.isEmpty ? 0 : survivors[part.upperBound - 1].end
    let base = SequenceNumber((Self.sequences(survivors[part])?.lowerBound ?? 1) - 1)!
    let segment = Segment(identity, base: base, in: volume.identity)
    seal(
      survivors[part], SegmentHeader(identity: identity, base: base, floor: floor), segment.seed,
      volume.identity)
    let whole = unsafe RawSpan(
      _unsafeStart: UnsafeRawPointer(memory.start), byteCount: SegmentHeader.byteCount + partByteCount)
    do throws(SedimentError) {
      try volume.file.write(whole, at: identity.run.byteRange.lowerBound)
    } catch {
      unsafe segment.address.deallocate()
      throw error
    }
    let end = UnitOffset(
      identity.recordRange.lowerBound.rawValue + UInt64(partByteCount / Limits.unitByteCount))!
    var entry = SegmentEntry(tail: identity, base: base)
    (entry.floor, entry.end) = (floor, end)
    for survivor in survivors[part] {
      entry.count(
        survivor.kind, sequence: SequenceNumber(survivor.sequence)!, expiry: survivor.expiry,
        byteCount: Int(survivor.byteCount), now: now)
      if survivor.kind == .remove {
        segment.counts(WritePermit()).tombstoneByteCount += Int(survivor.byteCount)
      }
    }
    drop(upTo: part.upperBound, byteCount: partByteCount)
    return SurvivorSegment(entry: entry, segment: segment, survivors: part, byteCount: partByteCount)
  }

  /// Those that are not written yet, as many of the first as fit into so many bytes.
  private func fitting(_ room: Int) -> Range<Int> {
    let left = survivors[writtenCount...]
    return writtenCount..<(left.firstIndex { $0.end > room } ?? left.endIndex)
  }

  /// The lowest and the highest sequence of survivors.
  private static func sequences(_ survivors: ArraySlice<Survivor>) -> ClosedRange<UInt64>? {
    guard var (lowest, highest) = survivors.first.map({ ($0.sequence, $0.sequence) }) else { return nil }
    for survivor in survivors {
      lowest = min(lowest, survivor.sequence)
      highest = max(highest, survivor.sequence)
    }
    return lowest...highest
  }

  /// Puts the header before the records, and gives each the checksum of its place.
  private func seal(
    _ part: ArraySlice<Survivor>, _ header: SegmentHeader, _ seed: UInt32, _ identity: FileIdentity
  ) {
    let start = unsafe memory.start
    let bytes = header.encode(in: identity)
    unsafe bytes.span.bytes.withUnsafeBytes {
      unsafe start.copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    let first = header.identity.recordRange.lowerBound.rawValue
    for survivor in part {
      let record = unsafe start + SegmentHeader.byteCount + Int(survivor.offset)
      let unit = UInt32(truncatingIfNeeded: first + UInt64(Int(survivor.offset) / Limits.unitByteCount))
      let checksum = unsafe sediment_crc32c_record(seed, unit, record, Int(survivor.byteCount))
      unsafe record.storeBytes(of: checksum.littleEndian, as: UInt32.self)
    }
  }

  /// Takes the records that were written out of memory, and moves the others to its beginning.
  private func drop(upTo count: Int, byteCount dropped: Int) {
    let start = unsafe memory.start + SegmentHeader.byteCount
    unsafe start.copyMemory(from: start + dropped, byteCount: byteCount - dropped)
    memory.removeAll(from: memory.byteCount - dropped)
    writtenCount = count
    for number in writtenCount..<survivors.count { survivors[number].offset -= UInt32(dropped) }
    let left = Self.sequences(survivors[writtenCount...])
    (lowest, highest) = (left?.lowerBound ?? .max, left?.upperBound ?? 0)
  }
}

/// A segment of survivors that was written, and is to be adopted.
struct SurvivorSegment {
  let entry: SegmentEntry
  let segment: Segment
  /// Which survivors of the exchange it has.
  let survivors: Range<Int>
  let byteCount: Int

  /// Where a record of it lies, in units.
  func position(of survivor: Survivor) -> UInt64 {
    entry.identity.recordRange.lowerBound.rawValue + UInt64(Int(survivor.offset) / Limits.unitByteCount)
  }
}
