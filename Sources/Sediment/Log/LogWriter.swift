internal import CSediment
internal import SedimentDisk
internal import SedimentFormat

/// Appends to the hot log: the one writer of the file (DESIGN.md 5, "Append").
///
/// The state of the writer's lock: the log, the catalogue, the free slots and the accounts. Whoever has it may also change
/// the index, the slot table and the counts of segments and collections, which readers use without a lock.
///
/// Its state never runs ahead of the file: the tail, the catalogue and the accounts move after the bytes of a change were
/// written or stored into the window. A failed write poisons: nothing is written after it (invariant 20). A write that is
/// refused for want of space before its first byte throws and leaves all as it was.
@safe struct LogWriter: ~Copyable {
  let disk: any Disk
  let options: SedimentOptions
  let volume: Volume
  let slots: SlotTable
  var catalogue: Catalogue
  var space: SpaceState
  /// Where the log goes on.
  var tail: Tail
  /// Why nothing may be written any more, once something failed.
  private(set) var poison: SedimentError?
  /// The bytes that the index leads to, records whole.
  var liveByteCount = 0
  /// The bytes appended behind the last checkpoint.
  var replayByteCount: UInt64
  /// How many bytes may be appended behind a checkpoint before the next is due.
  var replayByteCountMax: UInt64 = 0
  /// The watermark of the last mark in the log.
  var markedWatermark: LogPosition
  /// The `syncableTotal` when the last sync began.
  var syncedTotal: UInt64 = 0
  /// The bytes of the large values that were committed since the opening.
  var adoptedByteCount: UInt64 = 0
  /// The free slots below which the file should grow in the background.
  var wantedFreeCount: UInt32 = 0
  /// How many slots beyond its cap users could take when the file was opened; see `noteOverhang`.
  var grantedSlotCount: UInt32 = 0
  /// The state of the store when what lies beyond the cap last found no room before it.
  var vainShortening: VainSearch?
  /// While the file is made shorter, segments of the log begin before this slot; nil at other times.
  var endToReach: UInt32?
  /// The slots of the extents in the catalogue.
  var extentSlotCount: UInt32 = 0
  /// Passed to what changes the index, the slot table, and the counts of segments and collections.
  let permit = WritePermit()
  /// The slots of the longest segment that batches have made, up to `batchSlotCountTop`: the reserve has room for what it
  /// holds.
  var longestSlotCount: UInt32 = 0
  /// The slots that the next segment may have: few behind the segment of a long key, then twice as many each time.
  var nextSlotCountMax = Limits.fileSlotCountMax
  /// Extents of values that were replaced or removed, for compaction to free, and the slots that they take.
  var deadExtents: [Generation: SegmentIdentity] = [:]
  var deadExtentSlotCount: UInt32 = 0
  /// Segments that have lost their last live record at some time; see `emptiedSegments`.
  var emptied: Set<Generation> = []
  /// The segments that compaction may empty.
  var ledger = SegmentLedger()
  /// The lowest generation of a hot segment that a superblock needs (invariant 12).
  var neededGeneration: Generation {
    didSet { ledger.setNeeded(from: neededGeneration) }
  }
  /// How long a change waits for compaction.
  let pace: PaceCell
  /// What records took when compaction last found nothing to win; 0 if it did.
  var vainSlotCount: UInt32 = 0
  /// The state of the store when a search for room last found none.
  var vainSearch: VainSearch?
  /// The state of the store when the background last searched for room and found none.
  var vainUpkeep: VainSearch?
  /// From how many slots with records on compaction is due.
  var dueSlotCount: UInt32 = .max
  /// Once less than this is live, compaction is due much sooner.
  var budgetedByteCountMin = Int.min
  /// Whether what is not needed is being given to the file system.
  var isTrimming = false
  /// The `windowMark` when slots for a window were last looked for.
  var windowAttempt: UInt64?
  /// When more will have expired than was known at the last survey; the highest number if nothing will.
  var nextExpiry = UInt64.max
  /// What had happened before this opening.
  let openedTotals: StoreNumbers.Totals
  /// Which time may be confirmed next, for the deletion of what has expired.
  var deletionClock = DeletionClock()
  /// When observed time was last added to the clocks.
  var observedAt: UInt64
  /// How often blocks were lost that nobody had taken: shared with a copy, or cut off with the file's end.
  ///
  /// What is allocated without the lock counts only if this did not happen meanwhile.
  var blockLossCount = 0
  /// Called for each segment that was sealed.
  var sealed: (@Sendable () -> Void)?
  /// Called with the error that poisons.
  var poisoned: (@Sendable (SedimentError) -> Void)?
  /// What of the log the stored index does not know.
  var unstored = UnstoredLog()
  var plans = Plans()
  /// Whether the index was built anew because its keys were alike.
  var isReseeded = false
  /// The sequences of the changes that adopted survivors, as long as these may not be on the medium.
  var adoptions: [Generation: UInt64] = [:]
  /// How much had been written when it was last looked at which dictionaries are needed.
  var censusTotal: UInt64 = 0
  /// Dictionaries that were appended and not synced yet.
  var unsyncedDictionaries: Set<UInt32> = []
  /// Where the log ended when maintenance last ran.
  var maintainedSequence: UInt64 = 0
  private var scratch: UnsafeMutableRawBufferPointer

  init(
    disk: any Disk, options: SedimentOptions, volume: Volume, slots: SlotTable, catalogue: Catalogue,
    space: consuming SpaceState, tail: Tail, replayByteCount: UInt64, markedWatermark: LogPosition,
    neededGeneration: Generation, pace: PaceCell
  ) {
    self.pace = pace
    self.markedWatermark = markedWatermark
    self.neededGeneration = neededGeneration
    ledger.setNeeded(from: neededGeneration)
    openedTotals = catalogue.numbers.totals
    observedAt = disk.monotonicClock()
    extentSlotCount = catalogue.segments.reduce(0) {
      $1.identity.kind == .extent ? $0 + $1.identity.run.count : $0
    }
    self.disk = disk
    self.options = options
    self.volume = volume
    self.slots = slots
    self.catalogue = catalogue
    self.space = space
    self.replayByteCount = replayByteCount
    self.tail = tail
    unsafe scratch = .allocate(byteCount: 4096, alignment: 64)
    syncedTotal = syncableTotal
  }

  deinit {
    unsafe scratch.deallocate()
  }

  /// The file's, which the checksums of all records begin with.
  var identity: FileIdentity { volume.identity }

  /// Whether what was not read lately makes room.
  var evicts: Bool { options.capacity.evicts }

  /// What happened since the file was made.
  var totals: StoreNumbers.Totals { catalogue.numbers.totals }

  /// How a record reaches the file.
  enum Way {
    /// Stored into the window where it fits, which is quickest.
    case stored
    /// Written to its place, which is quicker where the window has nothing.
    case written
    /// Written to its place, with zeros behind it for those that follow, because a sync comes at once.
    case synced

    /// How the record of a change goes that is to be as durable as this when its call returns.
    @inline(__always)
    init(_ durability: WrittenDurability) {
      self = durability == .synced ? .synced : .stored
    }
  }

  // MARK: Records

  /// Appends a record for which there is room, of as many bytes as its form says; the result is its first byte.
  @inline(__always)
  mutating func append(
    _ form: RecordForm, byteCount: Int, key: RawSpan, value: RawSpan, _ way: Way
  ) throws(SedimentError) -> UInt64 {
    layOut(form, byteCount: byteCount, key: key, value: value)
    return try appendLaidOut(form, byteCount: byteCount, way)
  }

  /// Lays out a record that is appended next, in memory of the writer.
  @inline(__always)
  mutating func layOut(_ form: RecordForm, byteCount: Int, key: RawSpan, value: RawSpan) {
    if unsafe scratch.count < byteCount { growScratch(byteCount) }
    unsafe form.encode(
      key: key, value: value, byteCount: byteCount, sequence: tail.sequence &+ 1, at: scratch.baseAddress!)
  }

  /// Appends the record that was laid out last, for which there is room; the result is its first byte.
  @inline(__always)
  mutating func appendLaidOut(_ form: RecordForm, byteCount: Int, _ way: Way) throws(SedimentError) -> UInt64
  {
    let offset = tail.offset
    let start = unsafe scratch.baseAddress!
    let (seed, unit) = (tail.segment.seed, RecordForm.unit(at: offset))
    if let place = windowPlace(forBytes: byteCount, at: offset, way) {
      unsafe volume.storeRecord(start, byteCount: byteCount, unit: unit, seed: seed, atPlace: place)
    } else {
      unsafe RecordForm.seal(at: start, byteCount: byteCount, unit: unit, seed: seed)
      try write(unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: byteCount), at: offset, way)
    }
    advance(past: form, byteCount: byteCount)
    return offset
  }

  @inline(__always)
  private mutating func advance(past form: RecordForm, byteCount: Int) {
    tail.advance(past: form, byteCount: byteCount)
    if form.kind == .remove { tail.segment.counts(permit).tombstoneByteCount &+= byteCount }
    noteWritten(byteCount)
  }

  /// Counts bytes of the log that were written or stored.
  @inline(__always)
  mutating func noteWritten(_ byteCount: Int) {
    replayByteCount &+= UInt64(byteCount)
    catalogue.numbers.totals.writtenByteCount &+= UInt64(byteCount)
  }

  @inline(never)
  private mutating func growScratch(_ byteCount: Int) {
    unsafe scratch.deallocate()
    unsafe scratch = .allocate(byteCount: byteCount + byteCount / 4, alignment: 64)
  }

  /// Appends a control record for which there is room.
  mutating func append(_ control: ControlRecord, isBatched: Bool = false, _ way: Way) throws(SedimentError) {
    let value = control.encode()!
    _ = try append(
      RecordForm(kind: .control, isBatched: isBatched),
      byteCount: RecordForm.byteCount(ofControl: value.count),
      key: RawSpan(), value: unsafe value.span.bytes, way)
  }

  /// Gives the next record of those that were laid out its place at `end`, for which there is room, and adds it to the
  /// checksum of its batch; the result is its first byte.
  ///
  /// `end` is a copy of the tail. The tail itself moves once `store` has stored the records.
  @inline(__always)
  func place(
    _ record: Range<Int>, of images: GrowingMemory, _ form: RecordForm, _ checksum: inout BatchChecksum,
    at end: inout Tail
  ) -> UInt64 {
    let offset = end.offset
    let start = unsafe images.address(record)
    unsafe RecordForm.number(at: start, sequence: end.sequence &+ 1)
    unsafe RecordForm.seal(
      at: start, byteCount: record.count, unit: RecordForm.unit(at: offset), seed: end.segment.seed)
    // A batch has no more members than this counts: that was asked when they were added.
    _ = unsafe checksum.add(RawSpan(_unsafeStart: start, byteCount: Limits.recordFixedByteCount))
    end.advance(past: form, byteCount: record.count)
    return offset
  }

  /// Stores some of the records that were laid out, whose places lie between the tail and `end`.
  mutating func store(
    _ range: Range<Int>, of images: GrowingMemory, upTo end: borrowing Tail, _ way: Way
  ) throws(SedimentError) {
    if range.isEmpty { return }
    let records = unsafe RawSpan(_unsafeStart: images.address(range), byteCount: range.count)
    try store(records, at: tail.offset, way)
    tail.goOn(to: end)
    noteWritten(range.count)
  }

  /// Adds the record that was appended last to the checksum of its batch, which counts up to a million.
  func addLastRecord(to checksum: inout BatchChecksum) {
    _ = unsafe checksum.add(
      RawSpan(_unsafeStart: UnsafeRawPointer(scratch.baseAddress!), byteCount: Limits.recordFixedByteCount))
  }

  // MARK: Failing

  /// The state of the log before a change of several records.
  struct Moment {
    fileprivate let tail: Tail
    fileprivate let catalogue: Catalogue
    fileprivate let liveByteCount: Int
    fileprivate let tailLiveCount: Int
    fileprivate let tailLiveByteCount: Int
  }

  /// Appends the members of a batch by `body`, which adds each to the checksum, and the commit, for which there is room;
  /// the result is the sequence of the commit.
  mutating func appendTogether(
    _ body: (inout LogWriter, inout BatchChecksum) throws(SedimentError) -> Void
  ) throws(SedimentError) -> UInt64 {
    let moment = moment
    do throws(SedimentError) {
      var batch = BatchChecksum()
      try body(&self, &batch)
      try append(.commit(batch.commit!), .stored)
      return tail.sequence
    } catch {
      throw tail.sequence > moment.tail.sequence ? fail(error, backTo: moment) : error
    }
  }

  /// The present state of the log, for `fail(_:backTo:)`.
  var moment: Moment {
    let counts = tail.segment.counts(permit)
    return Moment(
      tail: tail, catalogue: catalogue, liveByteCount: liveByteCount, tailLiveCount: counts.liveCount,
      tailLiveByteCount: counts.liveByteCount)
  }

  /// Poisons because records of a change were written and the rest could not be.
  ///
  /// The log in memory ends before the change again, as the next opening finds it. Nothing is appended after that.
  mutating func fail(_ error: SedimentError, backTo moment: Moment) -> SedimentError {
    (tail, catalogue, liveByteCount) = (moment.tail, moment.catalogue, moment.liveByteCount)
    tail.segment.counts(permit).liveCount = moment.tailLiveCount
    tail.segment.counts(permit).liveByteCount = moment.tailLiveByteCount
    return fail(error)
  }

  /// Notes that a write or sync failed, after which nothing more is written by this opening.
  mutating func fail(_ error: SedimentError) -> SedimentError {
    let failure = SedimentError(poisonedBy: error)
    if poison == nil {
      poison = failure
      poisoned?(failure)
    }
    return failure
  }
}
