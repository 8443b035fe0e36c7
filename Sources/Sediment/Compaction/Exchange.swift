internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// One exchange while it is made: what is known of its victims, and what becomes of their records (DESIGN.md 8).
///
/// It lives as long as a call of `Compaction` that makes it.
final class Exchange: AboveReader {
  /// How the records of victims are dealt with.
  struct Terms {
    /// The log's last sequence when it began; the index knew every record up to it.
    let floor: SequenceNumber
    /// What expired before this time is left out.
    let expiredUpTo: UInt64
    /// Whether what was not read lately is left out.
    let evicts: Bool
    /// The most bytes of records to keep; beyond them eviction leaves out what was read lately, too.
    let byteCountMax: Int
    /// Once eviction has left out large values of so many slots, it keeps the others: the records of all large values
    /// that a store holds may lie in one segment.
    let evictedSlotCount: Int
    /// Where the record of a key lies that is removed by this exchange, in units; nil for none.
    let removedPosition: UInt64?
    /// Whether no value is kept compressed with a dictionary, which may have bytes of values that are no more.
    let dropsDictionaries: Bool
  }

  let reader: Reader
  let log: Log
  let contents: Contents
  let compressor: Compressor
  let writer: Locked<LogWriter>
  let terms: Terms
  var guardFloor: GuardFloor
  let memory: ExchangeMemory
  /// Survivors go before this slot; nil if they may go anywhere.
  private let limit: UInt32?
  /// The segments that survivors were written to, until the log names them.
  var reservation: Reservation

  private(set) var victims: [SegmentEntry] = []
  /// The record that takes several slots in a row, where there are not as many; nil if there is none.
  private(set) var unplaced: Survivor?
  private(set) var written: [SurvivorSegment] = []
  var leftOut: [LeftOut] = []
  /// The sequence of its change, and what that freed; nil before.
  var change: (sequence: UInt64, freed: [SegmentIdentity])?
  /// Whether the record at `Terms.removedPosition` was what its key had when the index was told.
  var hasRemoved = false
  /// The extents of records to which the index led no more when they were found; some were freed long ago.
  var supersededExtents: [SegmentIdentity] = []
  /// The extents of records that are left out with this exchange.
  var leftOutExtents: [SegmentIdentity] = []
  var leftOutExtentSlotCount = 0
  /// The bytes of records that were kept.
  var keptByteCount = 0
  /// The bytes of the tombstones that were read of the victim begun last, whether they stay or not.
  var tombstoneByteCount = 0
  /// The seeds under which the hashes were made.
  var keyHashes: [KeyHash] = []
  /// The dictionaries that are moved, by the positions of their records.
  var dictionaryNumbers: [UInt64: UInt32] = [:]
  var codec: ZstdCodec?
  /// The collection of the record looked at last.
  var collection: KnownCollection?
  /// The state of the collection whose records were last compressed anew.
  var state: CollectionState?

  /// An exchange whose survivors fill segments of so many slots.
  init(
    _ contents: Contents, _ compressor: Compressor, _ writer: Locked<LogWriter>, _ terms: Terms,
    _ guardFloor: GuardFloor, _ memory: ExchangeMemory, segmentSlotCount: UInt32, before limit: UInt32?
  ) {
    reader = contents.reader
    log = contents.log
    self.contents = contents
    self.compressor = compressor
    self.writer = writer
    reservation = Reservation(log.returned)
    self.terms = terms
    self.guardFloor = guardFloor
    self.memory = memory
    self.limit = limit
    buffer.begin(
      byteCountMax: Int(min(segmentSlotCount, Self.slotCountMax)) * Limits.slotByteCount
        - SegmentHeader.byteCount)
  }

  var buffer: SurvivorBuffer { memory.survivors }

  /// The slots of a segment of survivors at most: its records are kept in memory until it is full.
  private static let slotCountMax: UInt32 = 1024

  /// Begins to empty a segment.
  func begin(_ victim: SegmentEntry) {
    victims.append(victim)
    tombstoneByteCount = 0
    // What goes with this exchange can bring nothing back.
    guardFloor.remove(victim.identity.generation)
  }

  /// The slots that the exchange sets free, as far as it has come.
  var wonSlotCount: Int {
    let freed = victims.reduce(0) { $0 + Int($1.identity.run.count) }
    let taken = written.reduce(0) { $0 + Int($1.entry.identity.run.count) }
    return freed + leftOutExtentSlotCount - taken - (buffer.isEmpty ? 0 : Int(buffer.slotCount))
  }

  /// Whether the rest of the last slot would be much beside what was kept.
  var wastesSlot: Bool {
    let rest = (SegmentHeader.byteCount + buffer.byteCount) % Limits.slotByteCount
    return !buffer.isEmpty && rest > 0 && (Limits.slotByteCount - rest) * 16 > keptByteCount
  }

  // MARK: Writing

  /// Writes what is in the buffer to a segment, or to several where free slots lie scattered.
  func flush() throws(SedimentError) {
    while !buffer.isEmpty {
      let identity = try takeSlots()
      do throws(SedimentError) {
        let now = disk.wallClock()
        written.append(try buffer.write(to: identity, floor: terms.floor, now: now, volume))
      } catch {
        throw lifetime.seenByCaller(error)
      }
    }
  }

  /// Takes slots in a row for what is in the buffer, or fewer, but enough for the first record.
  private func takeSlots() throws(SedimentError) -> SegmentIdentity {
    let (count, least) = (buffer.slotCount, buffer.slotCountMin)
    do throws(SedimentError) {
      return try log.withWriter { (writer) throws(SedimentError) in
        let run =
          if let limit {
            try writer.takeLowRun(upTo: count, atLeast: least, before: limit, &reservation)
          } else {
            try writer.takeRun(upTo: count, atLeast: least, for: .goingOn, &reservation)
          }
        guard let run else { throw .capReached(path, SlotSpace.byteCount(of: limit ?? .max)) }
        return try writer.newSegment(.survivors, in: run)
      }
    } catch {
      if error.code == .outOfSpace, least > 1 { unplaced = buffer.first }
      throw error
    }
  }
}
