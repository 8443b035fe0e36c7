internal import SedimentDisk
internal import SedimentFormat

// What keeps the log fit to go on: marks, the numbers of a checkpoint, slots ahead of need.

extension LogWriter {
  /// Says in the log that everything below a position is on the medium, where there is room without another
  /// segment.
  ///
  /// It does not itself count as something to sync.
  mutating func appendMark(_ watermark: LogPosition) throws(SedimentError) {
    guard tail.room >= Mark.recordByteCount else { return }
    let counted = tail.countedSequence
    let mark = Mark(clock: disk.wallClock(), watermark: watermark, salt: tail.identity.salt)
    let form = RecordForm(kind: .control)
    unsafe withUnsafeBytes(of: mark.words) { value in
      layOut(
        form, byteCount: Mark.recordByteCount, key: RawSpan(), value: unsafe RawSpan(_unsafeBytes: value))
    }
    _ = try appendLaidOut(form, byteCount: Mark.recordByteCount, .synced)
    tail.countedSequence = counted
    markedWatermark = watermark
  }

  /// The bytes of records that were ever appended or moved.
  var writtenTotal: UInt64 {
    totals.writtenByteCount &+ totals.movedByteCount
  }

  /// The same with the bytes of large values, of which only the growth since the opening is known.
  var syncableTotal: UInt64 { writtenTotal &+ adoptedByteCount }

  /// Brings the catalogue up to what is known beside it.
  mutating func updateNumbers(clock: UInt64) {
    catalogue.setTail(tail.entry)
    catalogue.numbers.slotCount = space.end
    catalogue.numbers.clocks.highest = max(catalogue.numbers.clocks.highest, min(clock, Limits.clockMax))
  }

  /// Lets the catalogue follow what was appended.
  mutating func follow(_ change: (inout Catalogue) throws(Catalogue.Contradiction) -> Void) {
    do throws(Catalogue.Contradiction) {
      try change(&catalogue)
    } catch {
      preconditionFailure("the writer contradicts its own catalogue: \(error.reason)")
    }
  }

  /// After opening: what must be kept in reserve and when a checkpoint is due.
  mutating func noteOpened() {
    // The checkpoint itself is not what the next one saves.
    replayByteCount -= min(UInt64(checkpointByteCount), replayByteCount)
    noteCheckpoint()
    noteOverhang()
    setWantedFreeCount()
  }

  /// After a checkpoint was appended: when the next is due, and what must be kept in reserve.
  mutating func noteCheckpoint() {
    let fileByteCount = UInt64(space.end) * UInt64(Limits.slotByteCount)
    replayByteCountMax = min(max(fileByteCount / 4, replayByteCountMin), Self.replayByteCountTop)
    space.reserve = reserve
    noteBudget()
  }

  /// Whether a checkpoint is due.
  var wantsCheckpoint: Bool { replayByteCount > replayByteCountMax }

  /// The bytes behind the last checkpoint from which on there may be another one.
  ///
  /// A checkpoint syncs all that was appended. Where nothing is to be synced, opening sooner after a crash is not worth
  /// waiting for that in every load.
  private var replayByteCountMin: UInt64 {
    options.durability == .unsynced ? Self.replayByteCountTop : 64 << 20
  }
  /// Those from which on there is one, however large the file.
  private static let replayByteCountTop: UInt64 = 512 << 20

  /// The slots that are kept free for a full disk: two checkpoints, one of them recovery's, the survivors of an
  /// exchange, and the tombstones of removals.
  var reserve: SlotSpace.Reserve { reserve(ofFile: space.end) }

  /// The same, if the file had so many slots.
  func reserve(ofFile slotCount: UInt32) -> SlotSpace.Reserve {
    SlotSpace.Reserve(
      freeing: 2 * checkpointSlotCount + 1 + max(survivorSlotCount(ofFile: slotCount), longestSlotCount),
      saying: 2 * checkpointSlotCount + 2,
      removing: evicts ? 0 : SegmentSizes.tombstoneSlotCount(fileSlotCount: reserving(slotCount)))
  }

  var survivorSlotCount: UInt32 { survivorSlotCount(ofFile: space.end) }

  func survivorSlotCount(ofFile slotCount: UInt32) -> UInt32 {
    SegmentSizes.survivorSlotCount(
      fileSlotCount: reserving(slotCount), segmentSlotCount: segmentSlotCount, evicts: evicts)
  }

  /// The slots that a batch makes a segment long at the most, in a small store.
  ///
  /// As many as the survivors of an exchange may take; without a cap the reserve is made to the measure of such segments
  /// instead.
  var batchSlotCountMax: UInt32 {
    space.slotCountMax < Limits.fileSlotCountMax
      ? survivorSlotCount : max(survivorSlotCount, Self.batchSlotCountTop)
  }

  static let batchSlotCountTop: UInt32 = 16

  /// Measures the longest segment anew, since long ones may be gone.
  mutating func noteLongest() {
    let longest = catalogue.segments.reduce(0) {
      $1.holdsRecords && $1.identity.run.count > 1 ? max($0, $1.identity.run.count) : $0
    }
    longestSlotCount = min(longest, batchSlotCountMax)
  }

  /// The slots of a file by which the reserve is measured: without a cap a store of a few values keeps next to none.
  private func reserving(_ slotCount: UInt32) -> UInt32 {
    space.slotCountMax < Limits.fileSlotCountMax ? slotCount : slotCount - min(slotCount, 16)
  }

  /// The longest value that a record may hold, so that compaction finds room for it in its reserve wherever that lies.
  var survivorByteCountMax: Int { max(Int(survivorSlotCount) - 1, 1) * (15 << 10) }

  /// The slots that a checkpoint takes.
  var checkpointSlotCount: UInt32 {
    UInt32((checkpointByteCount + Limits.slotByteCount - 1) / Limits.slotByteCount)
  }

  /// The bytes of the log that a checkpoint takes: an upper bound by the entries of the catalogue, none of which is
  /// looked at.
  var checkpointByteCount: Int {
    256 + catalogue.segments.count * SegmentEntry.byteCountMax + catalogue.indexPartCount * 112
      // Of slots with two parts each, a 16th stays unused at the most.
      + catalogue.collections.byteCount / 16 * 17
      + catalogue.dictionaries.count * 24 + catalogue.ignorable.reduce(0) { $0 + $1.count }
  }

  /// Sees to it that what this opening is about to write and store into has blocks.
  ///
  /// A file that was copied or restored may have holes where the log goes on.
  mutating func prepare() throws(SedimentError) {
    try allocateTail()
    do throws(SedimentError) {
      space.reserve = reserve
      try provide(space.reservedCount)
    } catch  where error.code == .outOfSpace {
      // What frees space must still be possible; a change that stores is refused when it asks for slots.
      while space.freeCount < space.reservedCount, (try? provide(space.freeCount + 1)) != nil {}
    }
    // Last: a full disk can do without.
    enterWindow()
  }

  /// Gives blocks to the rest of the log's segment, as far as a segment that is begun now would reach: a file may claim
  /// that its last one has a GiB.
  func allocateTail() throws(SedimentError) {
    let end = tail.identity.run.byteRange.upperBound
    let wanted = tail.offset + SlotSpace.byteCount(of: segmentSlotCount)
    try volume.file.allocate(tail.offset..<max(tail.offset, min(end, wanted)))
  }

  // MARK: Ahead of need

  /// The bytes of the file but for its holes.
  private var takenByteCount: UInt64 { SlotSpace.byteCount(of: space.usedSlotCount + space.freeCount) }

  /// Whether the file has come to take so much more or less that how records are read is to be chosen anew.
  var isReadModeDue: Bool { volume.isReadModeDue(takenByteCount: takenByteCount) }

  /// Chooses anew how records are read if the file takes much more or less than when that was chosen; between two changes.
  mutating func chooseReadMode() {
    guard isReadModeDue else { return }
    volume.chooseReadMode(takenByteCount: takenByteCount)
    volume.expectReads()
  }

  /// Whether the free slots that may be used will soon run out.
  @inline(__always) var wantsSpace: Bool {
    space.freeCount < wantedFreeCount
  }

  /// The slots that the file should grow by; nil if there are enough.
  ///
  /// Whoever gets them gives them blocks and says so by `take(ahead:)`, or leaves it.
  func spaceAhead() -> Range<UInt32>? {
    guard wantsSpace, space.freeCount + space.bareCount < wantedFreeCount else { return nil }
    let count = slotCountAhead
    guard count > 0, count <= space.slotCountLeft else { return nil }
    return space.end..<space.end + count
  }

  /// Takes slots over that got blocks without the lock, unless the file grew otherwise meanwhile.
  mutating func take(ahead range: Range<UInt32>) {
    guard range.lowerBound <= space.end, range.upperBound > space.end else { return }
    guard (try? volume.map(upTo: SlotSpace.byteCount(of: range.upperBound))) != nil else { return }
    noteExtended(by: range.upperBound - space.end)
    setWantedFreeCount()
  }

  /// The slots that the file grows by beyond what is needed at once: none where compaction is to find some.
  var slotCountAhead: UInt32 {
    let free = space.freeCount - min(space.freeCount, space.reservedCount)
    let present = recordSlotCount + free + space.bareCount + space.freedSlotCount
    let left = dueSlotCount > present ? dueSlotCount - present : 0
    return min(SegmentSizes.slotCountAhead(fileSlotCount: space.end), left)
  }

  /// Half of what the file grows by at a time is to be there beyond the reserve; none in a small file.
  mutating func setWantedFreeCount() {
    let ahead = slotCountAhead
    wantedFreeCount = ahead < 8 ? 0 : space.reservedCount + ahead / 2
  }
}
