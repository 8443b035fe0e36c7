internal import CSediment
internal import SedimentDisk
internal import SedimentFormat

/// A record that compaction keeps, on its way to another segment.
struct Survivor {
  /// Where it lies in the buffer, counted from the first record.
  var offset: Int
  let byteCount: Int
  /// How long it was before.
  let oldByteCount: Int
  /// Where the record lay that it is made of, in units; the index leads there unless it is a tombstone.
  let oldPosition: UInt64
  let hash: UInt64
  let sequence: UInt64
  let expiry: UInt64
  let kind: RecordKind
}

/// Collects records until they fill a segment of survivors (DESIGN.md 8, "Exchange").
///
/// They are kept in memory, so that the segment can be made to their measure: its checksums depend on its length.
@safe
final class SurvivorBuffer {
  /// The bytes of records that a segment may get.
  let byteCountMax: Int
  private(set) var survivors: [Survivor] = []
  /// Room for a segment's header, and the records behind it.
  private let memory = GrowingMemory(room: 64 << 10)
  private var lowest = UInt64.max
  private var highest: UInt64 = 0

  init(byteCountMax: Int) {
    self.byteCountMax = byteCountMax
    _ = unsafe memory.add(SegmentHeader.byteCount)
  }

  var byteCount: Int { memory.byteCount - SegmentHeader.byteCount }
  var isEmpty: Bool { survivors.isEmpty }

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

  /// Whether what it holds is the record of a long key.
  private var isForOneRecord = false

  /// Notes a record that was added.
  private func append(_ record: ScannedRecord, kind: RecordKind, byteCount count: Int, _ hash: UInt64) {
    lowest = min(lowest, record.sequence)
    highest = max(highest, record.sequence)
    survivors.append(
      Survivor(
        offset: byteCount - count, byteCount: count, oldByteCount: Int(record.byteCount),
        oldPosition: record.position, hash: hash, sequence: record.sequence,
        expiry: kind == .remove ? 0 : record.expiry, kind: kind))
    isForOneRecord = LogWriter.isLong(keyOf: Int(record.keyByteCount))
  }

  // MARK: Writing

  /// The slots that the records take.
  var slotCount: UInt32 { Self.slotCount(of: byteCount) }

  /// The slots that the first record alone takes.
  var slotCountMin: UInt32 { Self.slotCount(of: survivors.first?.byteCount ?? 0) }

  private static func slotCount(of byteCount: Int) -> UInt32 {
    UInt32((SegmentHeader.byteCount + byteCount + Limits.slotByteCount - 1) / Limits.slotByteCount)
  }

  /// Writes as many records as fit to slots that nobody knows of yet; the others stay in the buffer.
  func write(
    to identity: SegmentIdentity, floor: SequenceNumber, now: UInt64, _ volume: Volume
  ) throws(SedimentError) -> SurvivorSegment {
    let room = Int(identity.run.count) * Limits.slotByteCount - SegmentHeader.byteCount
    let count = survivors.firstIndex { $0.offset + $0.byteCount > room } ?? survivors.count
    let part = Array(survivors[..<count])
    let partByteCount = part.last.map { $0.offset + $0.byteCount } ?? 0
    // Sequences begin with 1.
    let base = SequenceNumber((part.map(\.sequence).min() ?? 1) - 1)!
    let segment = Segment(identity, base: base, in: volume.identity)
    seal(part, SegmentHeader(identity: identity, base: base, floor: floor), segment.seed, volume.identity)
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
    for survivor in part {
      entry.count(
        survivor.kind, sequence: SequenceNumber(survivor.sequence)!, expiry: survivor.expiry,
        byteCount: survivor.byteCount, now: now)
      if survivor.kind == .remove { segment.counts(WritePermit()).tombstoneByteCount += survivor.byteCount }
    }
    drop(count, byteCount: partByteCount)
    return SurvivorSegment(entry: entry, segment: segment, survivors: part, byteCount: partByteCount)
  }

  /// Puts the header before the records, and gives each the checksum of its place.
  private func seal(_ part: [Survivor], _ header: SegmentHeader, _ seed: UInt32, _ identity: FileIdentity) {
    let start = unsafe memory.start
    let bytes = header.encode(in: identity)
    unsafe bytes.span.bytes.withUnsafeBytes {
      unsafe start.copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    let first = header.identity.recordRange.lowerBound.rawValue
    for survivor in part {
      let record = unsafe start + SegmentHeader.byteCount + survivor.offset
      let unit = UInt32(truncatingIfNeeded: first + UInt64(survivor.offset / Limits.unitByteCount))
      let checksum = unsafe sediment_crc32c_record(seed, unit, record, survivor.byteCount)
      unsafe record.storeBytes(of: checksum.littleEndian, as: UInt32.self)
    }
  }

  /// Forgets the first records, and moves the others to the beginning.
  private func drop(_ count: Int, byteCount dropped: Int) {
    let start = unsafe memory.start + SegmentHeader.byteCount
    unsafe start.copyMemory(from: start + dropped, byteCount: byteCount - dropped)
    memory.removeAll(from: memory.byteCount - dropped)
    survivors.removeFirst(count)
    for number in survivors.indices { survivors[number].offset -= dropped }
    lowest = survivors.map(\.sequence).min() ?? .max
    highest = survivors.map(\.sequence).max() ?? 0
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
