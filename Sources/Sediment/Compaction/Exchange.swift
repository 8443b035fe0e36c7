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
    /// How many slots of large values eviction leaves out at the most, but for the last one's: a segment of their
    /// records may lead to all that a store holds.
    let evictedSlotCount: Int
    /// Where the record of a key lies that is removed by this exchange, in units; nil for none.
    var removedPosition: UInt64?
  }

  let reader: Reader
  let log: Log
  let contents: Contents
  let compressor: Compressor
  let writer: Locked<LogWriter>
  let terms: Terms
  private(set) var guardFloor: GuardFloor
  private let buffer: SurvivorBuffer
  /// Survivors go before this slot; nil if they may go anywhere.
  private let limit: UInt32?
  /// The segments that survivors were written to, until the log names them.
  var reservation: Reservation

  private(set) var victims: [SegmentEntry] = []
  /// The record that takes several slots in a row, where there are not as many; nil if there is none.
  private(set) var unplaced: Survivor?
  private(set) var written: [SurvivorSegment] = []
  private(set) var leftOut: [LeftOut] = []
  /// The sequence of its change, and what that freed; nil before.
  var change: (sequence: UInt64, freed: [SegmentIdentity])?
  /// Whether the record at `Terms.removedPosition` was what its key had when the index was told.
  var hasRemoved = false
  /// The extents of records to which the index led no more when they were found; some were freed long ago.
  private(set) var supersededExtents: [SegmentIdentity] = []
  /// The extents of records that are left out with this exchange.
  private(set) var leftOutExtents: [SegmentIdentity] = []
  private var leftOutExtentSlotCount = 0
  /// The bytes of records that were kept.
  private(set) var keptByteCount = 0
  /// The bytes of the tombstones that were read of the victim begun last, whether they stay or not.
  private(set) var tombstoneByteCount = 0
  /// The seeds under which the hashes were made.
  private(set) var keyHashes: [KeyHash] = []
  /// The dictionaries that are moved, by the positions of their records.
  private(set) var dictionaryNumbers: [UInt64: UInt32] = [:]
  private var codec: ZstdCodec?
  /// The collection asked for last, and up to where it is dead.
  private var collection: (number: UInt32, deadUpTo: UInt64)?

  /// An exchange whose survivors fill segments of so many slots.
  init(
    _ contents: Contents, _ compressor: Compressor, _ writer: Locked<LogWriter>, _ terms: Terms,
    _ guardFloor: GuardFloor, segmentSlotCount: UInt32,
    before limit: UInt32?
  ) {
    reader = contents.reader
    log = contents.log
    self.contents = contents
    self.compressor = compressor
    self.writer = writer
    reservation = Reservation(log.returned)
    self.terms = terms
    self.guardFloor = guardFloor
    buffer = SurvivorBuffer(
      byteCountMax: Int(min(segmentSlotCount, Self.slotCountMax)) * Limits.slotByteCount
        - SegmentHeader.byteCount)
    self.limit = limit
  }

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

  func noteHashing(_ keyHash: KeyHash) {
    if keyHashes.last != keyHash { keyHashes.append(keyHash) }
  }

  // MARK: Records

  /// Why a record is left out to which the index leads; nil if it is kept.
  func reasonToLeaveOut(_ record: ScannedRecord, _ entry: IndexEntry) -> LeftOut.Reason? {
    if record.position == terms.removedPosition { return .removed }
    if record.collection >= CollectionEntry.systemNumberMin { return nil }
    if record.sequence <= deadUpTo(record.collection) { return .cleared }
    if record.expiry != 0, record.expiry <= terms.expiredUpTo { return .expired }
    guard terms.evicts else { return nil }
    if record.kind == .putLarge, leftOutExtentSlotCount >= terms.evictedSlotCount { return nil }
    return entry.isReferenced && keptByteCount < terms.byteCountMax ? nil : .evicted
  }

  private func deadUpTo(_ number: UInt32) -> UInt64 {
    if let collection, collection.number == number { return collection.deadUpTo }
    let state = collections.numbered(number)
    let deadUpTo =
      state?.clearedAt.load(ordering: .acquiring) ?? (number >= CollectionEntry.systemNumberMin ? 0 : .max)
    collection = (number, deadUpTo)
    return deadUpTo
  }

  /// Whether a tombstone of the record's sequence has to stay (invariant 14).
  func needsTombstone(_ record: ScannedRecord, of victim: Generation) -> Bool {
    guard let sequence = SequenceNumber(record.sequence) else { return true }
    return !guardFloor.allowsDropping(sequence, of: victim) && record.sequence > deadUpTo(record.collection)
  }

  func noteTombstone(_ record: ScannedRecord) {
    tombstoneByteCount += Int(record.byteCount)
  }

  func leaveOut(_ record: ScannedRecord, _ hash: UInt64, _ reason: LeftOut.Reason) {
    let extents = record.kind == .putLarge ? record.extents : []
    let extentSlotCount = extents.reduce(0) { $0 + Int($1.run.count) }
    leftOutExtents.append(contentsOf: extents)
    leftOutExtentSlotCount += extentSlotCount
    leftOut.append(
      LeftOut(
        reason: reason, position: record.position, hash: hash, byteCount: Int(record.byteCount),
        sequence: record.sequence, collection: record.collection, expires: record.expiry != 0,
        extentSlotCount: extentSlotCount))
  }

  /// Frees with the victims the extents of a large value to which nothing leads any more.
  func noteSuperseded(_ record: ScannedRecord) {
    if record.kind == .putLarge { supersededExtents.append(contentsOf: record.extents) }
  }

  /// Keeps a record, compressed anew if that makes it smaller.
  ///
  /// In a reader's scope.
  func keep(_ record: ScannedRecord, _ hash: UInt64) throws(SedimentError) {
    if record.collection == CollectionEntry.dictionaries, let number = record.dictionaryNumber {
      dictionaryNumbers[record.position] = number
    }
    let repacked = repacked(record)
    let header = repacked.map { record.header(with: $0) }
    let byteCount = header?.byteCount ?? Int(record.byteCount)
    if !buffer.hasRoom(for: byteCount, record) { try flush() }
    if let repacked, let header {
      buffer.add(record, hash, as: header, value: unsafe RawSpan(_unsafeBytes: repacked.bytes))
    } else {
      buffer.add(record, hash)
    }
    keptByteCount += byteCount
  }

  private func repacked(_ record: ScannedRecord) -> PackedValue? {
    guard compressor.compresses, record.kind == .put, record.collection < CollectionEntry.systemNumberMin
    else {
      return nil
    }
    if codec == nil { codec = ZstdCodec() }
    return codec.flatMap { compressor.repack(record, with: $0) }
  }

  func keepTombstone(for record: ScannedRecord) throws(SedimentError) {
    if !buffer.hasRoom(for: Int(record.byteCount), record) { try flush() }
    buffer.addTombstone(for: record)
  }

  /// Writes what is in the buffer to a segment, or to several where free slots lie scattered.
  func flush() throws(SedimentError) {
    while !buffer.isEmpty {
      let identity = try takeSlotsForFirst()
      do throws(SedimentError) {
        let now = disk.wallClock()
        written.append(try buffer.write(to: identity, floor: terms.floor, now: now, volume))
      } catch {
        throw lifetime.seenByCaller(error)
      }
    }
  }

  private func takeSlotsForFirst() throws(SedimentError) -> SegmentIdentity {
    do throws(SedimentError) {
      return try takeSlots(buffer.slotCount, atLeast: buffer.slotCountMin)
    } catch {
      if error.code == .outOfSpace, buffer.slotCountMin > 1 {
        unplaced = buffer.survivors.first
      }
      throw error
    }
  }

  /// Takes so many slots in a row, or fewer, for a segment.
  private func takeSlots(_ count: UInt32, atLeast least: UInt32) throws(SedimentError) -> SegmentIdentity {
    try log.withWriter { (writer) throws(SedimentError) in
      let run: SlotRun
      if let limit {
        guard let low = try writer.takeLowRun(upTo: count, atLeast: least, before: limit) else {
          throw .capReached(path, SlotSpace.byteCount(of: limit))
        }
        run = low
      } else {
        run = try writer.takeRun(upTo: count, atLeast: least, for: .goingOn)
      }
      return try writer.reserve(.survivors, run, &reservation)
    }
  }
}
