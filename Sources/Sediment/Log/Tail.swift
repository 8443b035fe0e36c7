internal import SedimentFormat

/// The place where the log goes on, and what its last segment holds so far.
struct Tail {
  var segment: Segment
  /// The bytes at which the next record begins.
  var offset: UInt64
  /// Up to where records may be appended without another thought: at most to where the seal must begin.
  var softEnd: UInt64 = 0
  /// Whether a checkpoint or more space was due when the log last came to its soft end.
  var wantsUpkeep = false
  /// Whether its slots are of the reserve, so that what users store does not belong here.
  var isOfReserve = false
  /// Whether its segment has been opened for one record alone.
  var isForOneRecord = false
  /// The sequence of the last record.
  var sequence: UInt64
  /// The sequence of the last record that is to be synced: marks behind it are not.
  var countedSequence: UInt64
  /// What the wall clock showed at the last look.
  var clock: UInt64
  /// Up to where the log is in its place in the file; what lies between this and `offset` is in the window alone.
  var flushedEnd: UInt64
  /// Up to where records may be stored into the window; nothing is from 0 on where there is none.
  var storeEnd: UInt64 = 0
  /// What is added to an offset between `flushedEnd` and `storeEnd` to get its place in the window.
  var windowShift: UInt64 = 0
  /// Behind a record that was written to be synced, or the zeros that were written behind one.
  var aheadEnd: UInt64 = 0
  /// The counts of the segment, as the catalogue will have them.
  var entry: SegmentEntry

  /// Whether the last record that was written to be synced lies not far before an offset.
  func isOftenSynced(at offset: UInt64) -> Bool { offset < aheadEnd + UInt64(Limits.slotByteCount) }

  var identity: SegmentIdentity { entry.identity }

  /// The bytes that records may still take; those of a seal are kept free.
  var room: Int {
    let left = Int(segment.end) - Int(offset) - Seal.recordByteCount
    return max(left, 0)
  }

  var position: LogPosition {
    LogPosition(identity.generation, UnitOffset(byteOffset: offset)!)
  }

  /// Counts a record.
  @inline(__always)
  mutating func advance(past form: RecordForm, byteCount: Int) {
    offset &+= UInt64(truncatingIfNeeded: byteCount)
    sequence &+= 1
    countedSequence = sequence
    let highest = SequenceNumber(counted: sequence)
    if form.kind == .put, form.expiry == 0 {
      entry.countPuts(1, highest: highest)
    } else {
      entry.count(form.kind, sequence: highest, expiry: form.expiry, byteCount: byteCount, now: clock)
    }
  }

  /// Takes over the end and the counts of a copy that was advanced past records of the segment.
  @inline(__always)
  mutating func goOn(to end: borrowing Tail) {
    offset = end.offset
    sequence = end.sequence
    countedSequence = end.countedSequence
    entry = end.entry
  }
}
