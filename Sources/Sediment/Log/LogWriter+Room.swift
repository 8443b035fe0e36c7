internal import SedimentDisk
internal import SedimentFormat

// How the log gets room for records: the rest of its segment, another segment, several for a batch.

extension LogWriter {
  /// What a key and its value may have together for their record to fit into a segment of one slot, whatever else it
  /// says.
  static var shortRecordByteCountMax: Int { 16_128 }

  /// Whether a key is so long that its records take several slots, whatever becomes of their values.
  static func isLong(keyOf byteCount: Int) -> Bool { byteCount > 13 << 10 }

  /// A value up to so many bytes stays in its record: without it the record would be as long.
  static var heldValueByteCountMax: Int { shortRecordByteCountMax - 13 << 10 }

  /// The same for a record with that key: one of a key that is long has a segment of its own.
  ///
  /// So it never has to be moved: its slots come back with it, and nothing else waits for them.
  @inline(__always)
  mutating func makeRoom(
    _ byteCount: Int, _ key: RawSpan, for purpose: @autoclosure () -> SlotSpace.Purpose
  ) throws(SedimentError) {
    let end = tail.offset &+ UInt64(truncatingIfNeeded: byteCount)
    if end <= tail.softEnd && byteCount <= Self.shortRecordByteCountMax { return }
    try makeMoreRoom(byteCount, keyByteCount: key.byteCount, purpose())
  }

  /// Sees to it that the tail has room for records of so many bytes in all, or throws and changes nothing.
  @inline(__always)
  mutating func makeRoom(_ byteCount: Int, for purpose: SlotSpace.Purpose) throws(SedimentError) {
    let end = tail.offset &+ UInt64(truncatingIfNeeded: byteCount)
    if end <= tail.softEnd { return }
    try makeMoreRoom(byteCount, keyByteCount: 0, purpose)
  }

  @inline(never)
  private mutating func makeMoreRoom(
    _ byteCount: Int, keyByteCount: Int, _ purpose: SlotSpace.Purpose
  ) throws(SedimentError) {
    let isForOneRecord = Self.isLong(keyOf: keyByteCount)
    if isForOneRecord || room(for: purpose) < byteCount {
      try openSegment(roomFor: byteCount, purpose, isForOneRecord: isForOneRecord)
    }
    setSoftEnd()
  }

  /// The bytes of the tail that records of a purpose may still take.
  mutating func room(for purpose: SlotSpace.Purpose) -> Int {
    // Once there is as much in reserve as there should be, what was taken from it has been paid back.
    tail.isOfReserve = tail.isOfReserve && space.freeCount < space.reservedCount
    // The rest of a segment in slots of the reserve is left to those who may take from it: a tombstone there would keep
    // the slots from coming back.
    let isBarred = tail.isOfReserve && space.freeCount < space.reserve.slotCount(leftBy: purpose)
    return isBarred || tail.isForOneRecord ? 0 : tail.room
  }

  /// Decides up to where records go without another look, now that the tail has room for the next.
  private mutating func setSoftEnd() {
    tail.wantsUpkeep =
      wantsCheckpoint || wantsSpace || wantsMaintenance || wantsIndexStored || wantsWindow
      || isReadModeDue
    let isBarred = tail.isOfReserve || tail.isForOneRecord
    tail.softEnd = isBarred ? 0 : tail.segment.end - UInt64(Seal.recordByteCount)
  }

  // MARK: Segments

  /// Goes on in another hot segment (DESIGN.md 5, "Append").
  @inline(never)
  private mutating func openSegment(
    roomFor byteCount: Int, _ purpose: SlotSpace.Purpose, isForOneRecord: Bool = false
  ) throws(SedimentError) {
    var reservation = Reservation(space.returned)
    let next = try takeSegment(roomFor: byteCount, purpose, isForOneRecord: isForOneRecord, &reservation)
    try goOn(in: next, &reservation)
  }

  /// Begins another segment, though the present one has room.
  mutating func goOnInAnotherSegment() throws(SedimentError) {
    try openSegment(roomFor: 0, .goingOn)
  }

  /// Lets the log go on before a limit, if it ends behind that; whether it does.
  mutating func goOn(before limit: UInt32) throws(SedimentError) -> Bool {
    guard tail.identity.run.end > limit else { return true }
    var reservation = Reservation(space.returned)
    guard let run = try takeLowRun(upTo: segmentSlotCount, atLeast: 1, before: limit, &reservation) else {
      return false
    }
    try goOn(in: NextSegment(identity: newSegment(.hot, in: run)), &reservation)
    return true
  }

  /// Slots for the next hot segment, which nothing leads to yet.
  struct NextSegment {
    let identity: SegmentIdentity
    /// Whether they are of the reserve.
    var isOfReserve = false
    /// Whether there is to be one record alone.
    var isForOneRecord = false

    /// The bytes that records may take in it.
    var room: Int { identity.run.byteRange.count - SegmentHeader.byteCount - Seal.recordByteCount }
  }

  /// Reserves slots for a hot segment, to be entered by `goOn`.
  ///
  /// They have room for a record of so many bytes and, if compaction can empty so long a segment in any case, for others
  /// that come with it.
  private mutating func takeSegment(
    roomFor byteCount: Int, upTo byteCountMax: Int = 0, _ purpose: SlotSpace.Purpose,
    isForOneRecord: Bool = false, _ reservation: inout Reservation
  ) throws(SedimentError) -> NextSegment {
    noteClocks()
    noteBudget()
    let least = SegmentSizes.leastSlotCount(roomFor: byteCount)
    let usual = isForOneRecord ? least : max(min(segmentSlotCount, nextSlotCountMax), least)
    // So that others behind a record that is alone leave little unused if another such follows soon.
    nextSlotCountMax = isForOneRecord ? 1 : min(2 * nextSlotCountMax, Limits.fileSlotCountMax)
    let inAll = min(SegmentSizes.leastSlotCount(roomFor: byteCountMax), batchSlotCountMax)
    if inAll > least, let run = takeBatchRun(upTo: max(usual, inAll), atLeast: inAll, &reservation) {
      return NextSegment(identity: try newSegment(.hot, in: run))
    }
    let (run, isOfReserve) = try takeHotRun(upTo: usual, atLeast: least, purpose, &reservation)
    return NextSegment(
      identity: try newSegment(.hot, in: run), isOfReserve: isOfReserve, isForOneRecord: isForOneRecord)
  }

  /// Takes slots for as much of a batch as a segment may hold, which the reserve has room for then; nil if there are none.
  private mutating func takeBatchRun(
    upTo count: UInt32, atLeast least: UInt32, _ reservation: inout Reservation
  ) -> SlotRun? {
    let before = longestSlotCount
    longestSlotCount = max(longestSlotCount, least)
    space.reserve.raise(to: reserve)
    if let run = try? takeRun(upTo: count, atLeast: least, for: .storing, &reservation) { return run }
    longestSlotCount = before
    space.reserve = reserve
    return nil
  }

  /// Goes on in a segment, or throws and changes nothing.
  private mutating func goOn(in next: NextSegment, _ reservation: inout Reservation) throws(SedimentError) {
    try link(next.identity, &reservation)
    tail.isOfReserve = next.isOfReserve
    tail.isForOneRecord = next.isForOneRecord
  }

  /// Provides slots for records of so many bytes each, even if every slot is a segment of its own, or throws before
  /// anything is appended.
  mutating func provideRoom(forAllOf byteCounts: [Int]) throws(SedimentError) {
    var room = room(for: .goingOn)
    var slotCount: UInt32 = 0
    for byteCount in byteCounts {
      if room < byteCount {
        let count = SegmentSizes.leastSlotCount(roomFor: byteCount)
        slotCount += count
        room = Int(count) * Limits.slotByteCount - SegmentHeader.byteCount - Seal.recordByteCount
      }
      room -= byteCount
    }
    try provide(slotCount)
  }

  /// Slots for a hot segment: as many as one should have, or as few as will do where space is short or they are of the
  /// reserve.
  private mutating func takeHotRun(
    upTo count: UInt32, atLeast least: UInt32, _ purpose: SlotSpace.Purpose, _ reservation: inout Reservation
  ) throws(SedimentError) -> (run: SlotRun, isOfReserve: Bool) {
    if let endToReach, purpose != .storing || mayStore(least),
      let run = try takeLowRun(upTo: count, atLeast: least, before: endToReach, &reservation)
    {
      return (run, false)
    }
    do throws(SedimentError) {
      return (try takeRun(upTo: count, atLeast: least, for: .storing, &reservation), false)
    } catch  where error.code == .outOfSpace && purpose != .storing {
      return (try takeRun(least, for: purpose, &reservation), true)
    }
  }

  /// Seals the segment and goes on in the next one, whose header is written before: nothing leads there until the seal
  /// does.
  private mutating func link(
    _ next: SegmentIdentity, _ reservation: inout Reservation
  ) throws(SedimentError) {
    let base = SequenceNumber(tail.sequence + 1)!
    var old = tail
    let value = ControlRecord.seal(Seal(recordCount: old.entry.recordCount, next: next)).encode()!
    let form = RecordForm(kind: .control)
    let seal = GrowingMemory(room: Seal.recordByteCount)
    let record = seal.append(form, key: RawSpan(), value: unsafe value.span.bytes)
    var checksum = BatchChecksum()
    _ = place(record, of: seal, form, &checksum, at: &old)
    try volume.file.write(
      SegmentHeader(identity: next, base: base, floor: base, predecessor: old.position), of: identity)
    // Where the last record was written, the next will be, which would flush what was stored between them.
    let isWritten = volume.hasWindow && tail.flushedEnd == tail.offset
    let way: Way =
      if !isWritten { .stored } else if tail.isOftenSynced(at: tail.offset) { .synced } else { .written }
    let bytes = unsafe RawSpan(_unsafeStart: seal.address(record), byteCount: record.count)
    try store(bytes, at: tail.offset, way)
    // The window has records of one segment only.
    try flush(upTo: old.offset)
    space.adopt(next.run, from: &reservation)
    tail.segment.setReadableEnd(tail.segment.end, permit)
    noteWritten(record.count)
    catalogue.setTail(old.entry)
    follow { (catalogue) throws(Catalogue.Contradiction) in
      try catalogue.link(next, base: base, endOfTail: UnitOffset(byteOffset: old.offset)!)
    }
    // The next checkpoint will name one more.
    space.reserve.raise(to: reserve)
    let start = next.recordRange.lowerBound.byteOffset
    let segment = Segment(next, base: base, in: identity)
    if volume.hasWindow { segment.setReadableEnd(start, permit) }
    slots.add(segment, next.run, permit)
    tail = Tail(
      segment: segment, offset: start, sequence: base.rawValue, countedSequence: base.rawValue,
      clock: old.clock, flushedEnd: start,
      aheadEnd: way == .synced ? start : 0, entry: catalogue.segments[next.generation]!)
    noteFlushed(upTo: start)
    noteWhole(catalogue.segments[old.identity.generation]!, old.segment)
    sealed?()
  }

  // MARK: Batches

  /// The segments that the records of a batch will lie in besides the tail, each with the number of its first record.
  struct BatchRoom: ~Copyable {
    fileprivate var reservation: Reservation
    fileprivate var segments: [(first: Int, segment: NextSegment)] = []
    /// How many of these the log has gone on in.
    fileprivate var enteredCount = 0

    init(_ returned: ReturnedSlots) {
      reservation = Reservation(returned)
    }

    /// The number of the record with which the next of them begins; the highest number if there is none.
    var next: Int { enteredCount < segments.count ? segments[enteredCount].first : .max }
  }

  /// Takes room for records of so many bytes in all, in as many segments as they need, or throws with nothing changed.
  ///
  /// A batch makes no segment longer than compaction can empty whatever is free. How long each record is, and whether it
  /// needs a segment of its own, is asked only where not all of them fit into one.
  @inline(__always)
  mutating func takeRoom(
    _ total: Int, for purpose: SlotSpace.Purpose, recordCount: Int, hasAlone: Bool,
    byteCount: (Int) -> Int, isAlone: (Int) -> Bool
  ) throws(SedimentError) -> BatchRoom {
    if !hasAlone, tail.offset &+ UInt64(total) <= tail.softEnd { return BatchRoom(space.returned) }
    return try takeRoomAhead(total, for: purpose, recordCount, hasAlone, byteCount, isAlone)
  }

  @inline(never)
  private mutating func takeRoomAhead(
    _ total: Int, for purpose: SlotSpace.Purpose, _ recordCount: Int, _ hasAlone: Bool,
    _ byteCount: (Int) -> Int, _ isAlone: (Int) -> Bool
  ) throws(SedimentError) -> BatchRoom {
    if !hasAlone, total <= room(for: purpose) {
      setSoftEnd()
      return BatchRoom(space.returned)
    }
    // What does not fit into the tail begins in a segment of its own: records that came together go together.
    return try takeSegments(
      behind: 0, for: recordCount, purpose, together: hasAlone ? nil : total, byteCount
    ) { hasAlone && isAlone($0) }
  }

  /// Takes room for records of so many bytes each, in the rest of the tail and in as short segments as will do, or throws
  /// with nothing changed.
  ///
  /// It needs no more than single free slots for records of which each fits into one.
  mutating func takeRoom(
    forEachOf byteCounts: [Int], for purpose: SlotSpace.Purpose
  ) throws(SedimentError) -> BatchRoom {
    try takeSegments(behind: room(for: purpose), for: byteCounts.count, purpose, together: nil) {
      byteCounts[$0]
    } _: { _ in
      false
    }
  }

  /// Takes segments for the records that do not fit into so many bytes before these; one for all of `total` bytes, if
  /// there is that and such a row of slots.
  private mutating func takeSegments(
    behind first: Int, for recordCount: Int, _ purpose: SlotSpace.Purpose, together total: Int?,
    _ byteCount: (Int) -> Int, _ isAlone: (Int) -> Bool
  ) throws(SedimentError) -> BatchRoom {
    var result = BatchRoom(space.returned)
    var (room, left) = (first, total ?? 0)
    for number in 0..<recordCount {
      let byteCount = byteCount(number)
      let isForOneRecord = isAlone(number)
      if isForOneRecord || room < byteCount {
        let segment = try takeSegment(
          roomFor: byteCount, upTo: left, purpose, isForOneRecord: isForOneRecord, &result.reservation)
        result.segments.append((number, segment))
        room = segment.room
        if total != nil, left <= room { break }
      }
      room = isForOneRecord ? 0 : room - byteCount
      if total != nil { left -= byteCount }
    }
    return result
  }

  /// Goes on in the next segment of a batch, or throws and changes nothing.
  mutating func goOn(inNextOf room: inout BatchRoom) throws(SedimentError) {
    try goOn(in: room.segments[room.enteredCount].segment, &room.reservation)
    room.enteredCount += 1
    setSoftEnd()
  }
}
