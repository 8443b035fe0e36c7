internal import SedimentDisk
internal import SedimentFormat

// How the log gets room: the rest of its segment, another segment, slots that get blocks, a longer file.

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
  mutating func makeRoom(_ byteCount: Int, _ key: RawSpan, for purpose: SlotSpace.Purpose)
    throws(SedimentError)
  {
    let end = tail.offset &+ UInt64(byteCount)
    if end <= tail.softEnd && byteCount <= Self.shortRecordByteCountMax { return }
    try makeMoreRoom(byteCount, keyByteCount: key.byteCount, purpose)
  }

  /// Sees to it that the tail has room for records of so many bytes in all, or throws and changes nothing.
  @inline(__always)
  mutating func makeRoom(_ byteCount: Int, for purpose: SlotSpace.Purpose) throws(SedimentError) {
    let end = tail.offset &+ UInt64(byteCount)
    if end <= tail.softEnd { return }
    try makeMoreRoom(byteCount, keyByteCount: 0, purpose)
  }

  @inline(never)
  private mutating func makeMoreRoom(
    _ byteCount: Int, keyByteCount: Int, _ purpose: SlotSpace.Purpose
  ) throws(SedimentError) {
    if Self.isLong(keyOf: keyByteCount) {
      try openSegment(roomFor: byteCount, purpose, isForOneRecord: true)
    } else if room(for: purpose) < byteCount {
      try openSegment(roomFor: byteCount, purpose)
    }
    setSoftEnd(roomFor: byteCount)
  }

  /// The bytes of the tail that records of a purpose may still take.
  mutating func room(for purpose: SlotSpace.Purpose) -> Int {
    // Once there is as much in reserve as there should be, what was taken from it has been paid back.
    tail.isOfReserve = tail.isOfReserve && space.freeCount < space.reservedCount
    // What took slots of the reserve leaves the rest of them to those who may: a tombstone would keep them from coming
    // back.
    let isBarred =
      tail.isOfReserve && space.freeCount < space.reserve.slotCount(leftBy: purpose)
    return isBarred || tail.isForOneRecord ? 0 : tail.room
  }

  /// Decides up to where records go without another look, now that the tail has room for the next.
  mutating func setSoftEnd(roomFor byteCount: Int) {
    tail.wantsUpkeep =
      replayByteCount > replayByteCountMax || wantsSpace || wantsMaintenance || wantsIndexStored
      || wantsWindow
    let end = tail.segment.end - UInt64(Seal.recordByteCount)
    if tail.isOfReserve || tail.isForOneRecord {
      tail.softEnd = 0
      return
    }
    tail.softEnd = end
  }

  /// Goes on in another hot segment (DESIGN.md 5, "Append").
  @inline(never)
  mutating func openSegment(
    roomFor byteCount: Int, _ purpose: SlotSpace.Purpose, isForOneRecord: Bool = false
  ) throws(SedimentError) {
    var reservation = Reservation(returned)
    let next = try takeSegment(roomFor: byteCount, purpose, isForOneRecord: isForOneRecord, &reservation)
    try goOn(in: next, &reservation)
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
  mutating func takeSegment(
    roomFor byteCount: Int, upTo byteCountMax: Int = 0, _ purpose: SlotSpace.Purpose,
    isForOneRecord: Bool = false, _ reservation: inout Reservation
  ) throws(SedimentError) -> NextSegment {
    noteClocks()
    noteBudget()
    let least = SegmentSizes.leastSlotCount(roomFor: byteCount)
    if isForOneRecord {
      // So that others behind it leave little unused if another one follows soon.
      nextSlotCountMax = 1
      let (run, isOfReserve) = try takeHotRun(upTo: least, atLeast: least, purpose)
      return NextSegment(
        identity: try reserve(.hot, run, &reservation), isOfReserve: isOfReserve, isForOneRecord: true)
    }
    let usual = max(min(segmentSlotCount, nextSlotCountMax), least)
    nextSlotCountMax = nextSlotCountMax < Limits.fileSlotCountMax ? 2 * nextSlotCountMax : nextSlotCountMax
    let inAll = min(SegmentSizes.leastSlotCount(roomFor: byteCountMax), batchSlotCountMax)
    if inAll > least, let run = takeBatchRun(upTo: max(usual, inAll), atLeast: inAll) {
      return NextSegment(identity: try reserve(.hot, run, &reservation))
    }
    let (run, isOfReserve) = try takeHotRun(upTo: usual, atLeast: least, purpose)
    return NextSegment(identity: try reserve(.hot, run, &reservation), isOfReserve: isOfReserve)
  }

  /// Takes slots for as much of a batch as a segment may hold, which the reserve has room for then; nil if there are none.
  private mutating func takeBatchRun(upTo count: UInt32, atLeast least: UInt32) -> SlotRun? {
    let before = longestSlotCount
    longestSlotCount = max(longestSlotCount, least)
    space.reserve.raise(to: reserve)
    if let run = try? takeRun(upTo: count, atLeast: least, for: .storing) { return run }
    longestSlotCount = before
    space.reserve = reserve
    return nil
  }

  /// Goes on in a segment; what fails poisons.
  mutating func goOn(in next: NextSegment, _ reservation: inout Reservation) throws(SedimentError) {
    // The seal that names the segment may reach the file though appending it fails.
    adopt(next.identity, from: &reservation)
    try link(next.identity)
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
    upTo count: UInt32, atLeast least: UInt32, _ purpose: SlotSpace.Purpose
  ) throws(SedimentError) -> (run: SlotRun, isOfReserve: Bool) {
    if let endToReach, purpose != .storing || mayStore(least),
      let run = try takeLowRun(upTo: count, atLeast: least, before: endToReach)
    {
      return (run, false)
    }
    do throws(SedimentError) {
      return (try takeRun(upTo: count, atLeast: least, for: .storing), false)
    } catch  where error.code == .outOfSpace && purpose != .storing {
      return (try takeRun(least, for: purpose), true)
    }
  }

  /// Takes so many slots or, where there are not as many in a row, as many as there are, before the file grows.
  mutating func takeRun(
    upTo count: UInt32, atLeast least: UInt32, for purpose: SlotSpace.Purpose
  ) throws(SedimentError) -> SlotRun {
    takeBackReserved()
    if isOverlong, purpose == .storing { return try takeStorableRun(upTo: count, atLeast: least) }
    if let run = try takePresentRun(count, for: purpose) { return run }
    // What compaction wins lies scattered, in runs of all lengths.
    let present = max(space.largestRunCount(for: purpose), min(space.largestBareRunCount, count))
    if present >= max(least, SegmentSizes.leastRunSlotCount(of: count)),
      let run = try takePresentRun(present, for: purpose)
    {
      return run
    }
    do throws(SedimentError) {
      return try takeRun(count, for: purpose)
    } catch  where error.code == .outOfSpace {
      let present = space.largestRunCount(for: purpose)
      if present >= least, let run = space.take(min(present, count), for: purpose) { return run }
      guard least < count else { throw error }
      return try takeRun(least, for: purpose)
    }
  }

  /// Takes so many slots in a row, if necessary bare ones that get blocks; nil if there are none, or no blocks.
  private mutating func takePresentRun(
    _ count: UInt32, for purpose: SlotSpace.Purpose
  ) throws(SedimentError) -> SlotRun? {
    while true {
      if let run = space.take(count, for: purpose) { return run }
      guard let bare = space.bareRun(for: count, isAdjacent: true), try giveBlocks(to: bare) > 0 else {
        return nil
      }
    }
  }

  /// Takes slots that are free or, if there are none, gives bare ones blocks or lets the file grow.
  mutating func takeRun(_ count: UInt32, for purpose: SlotSpace.Purpose) throws(SedimentError) -> SlotRun {
    takeBackReserved()
    if isOverlong, purpose == .storing { return try takeStorableRun(upTo: count, atLeast: count) }
    repeat {
      if let run = space.take(count, for: purpose) { return run }
    } while try freeMore(for: count, purpose)
    while true {
      try grow(for: count, purpose)
      // A longer file keeps more in reserve.
      if let run = space.take(count, for: purpose) { return run }
    }
  }

  /// Gives bare slots blocks, so that in the end so many in a row may be taken; false if
  /// there are none such, or no blocks.
  private mutating func freeMore(for count: UInt32, _ purpose: SlotSpace.Purpose) throws(SedimentError)
    -> Bool
  {
    // Slots in a row first; after that it can only be the reserve that is missing.
    if let bare = space.bareRun(for: count, isAdjacent: true), try giveBlocks(to: bare) > 0 { return true }
    let wanted = count + space.reserve.slotCount(leftBy: purpose)
    if space.freeCount >= count, space.freeCount < wanted,
      let bare = space.bareRun(for: wanted - space.freeCount, isAdjacent: false), try giveBlocks(to: bare) > 0
    {
      return true
    }
    if let bare = space.bareRun(completing: count), try giveBlocks(to: bare) > 0 { return true }
    // Where the file may hardly grow, what is bare at its end counts.
    if (space.growth(for: count, purpose) ?? .max) > slotCountLeft, let bare = space.bareRunAtEnd {
      return try giveBlocks(to: bare) > 0
    }
    return false
  }

  /// Lets the file grow until so many adjacent slots may be taken, and ahead of need where there is room for it.
  private mutating func grow(for count: UInt32, _ purpose: SlotSpace.Purpose) throws(SedimentError) {
    guard let growth = space.growth(for: count, purpose) else {
      throw SedimentError.fileTooLarge(volume.file.path)
    }
    let ahead = max(min(growth + slotCountAhead, slotCountLeft), growth)
    do throws(SedimentError) {
      try extend(by: ahead)
    } catch {
      guard error.systemError?.code.isOutOfSpace == true, growth < ahead else { throw error }
      try extend(by: growth)
    }
    setWantedFreeCount()
  }

  /// The slots that nobody uses, and those that the file may still grow by.
  var presentSlotCount: UInt32 { space.freeCount &+ space.bareCount &+ slotCountLeft }

  /// The slots that there are once all has come back that was freed.
  ///
  /// What a checkpoint frees it has taken before: only what makes this number larger wins anything.
  var availableSlotCount: UInt32 { presentSlotCount &+ freedSlotCount }

  /// The slots that the file may still grow by.
  var slotCountLeft: UInt32 {
    slotCountMax > space.end ? slotCountMax - space.end : 0
  }

  /// Notes that the file has more slots, of which it keeps some more in reserve.
  mutating func noteExtended(by count: UInt32) {
    space.extend(by: count)
    space.reserve.raise(to: reserve)
  }

  /// An identity for a use of slots, whose seed differs from that of the use before (invariant 5).
  mutating func newIdentity(_ kind: SegmentKind, _ run: SlotRun) throws(SedimentError) -> SegmentIdentity {
    newIdentity(kind, run, seedBefore: run.first < freshSlot ? try lastSeed(of: run) : nil)
  }

  mutating func newIdentity(_ kind: SegmentKind, _ run: SlotRun, seedBefore before: Checksum?)
    -> SegmentIdentity
  {
    freshSlot = max(freshSlot, run.end)
    let generation = catalogue.numbers.nextGeneration
    catalogue.numbers.nextGeneration = generation.advanced(by: 1)!
    while true {
      let next = SegmentIdentity(run: run, kind: kind, generation: generation, salt: disk.random())
      if next.seed(in: identity) != before { return next }
    }
  }

  func lastSeed(of run: SlotRun) throws(SedimentError) -> Checksum? {
    let bytes = try volume.file.bytes(at: run.byteRange.lowerBound, count: SegmentHeader.byteCount)
    let header = try? SegmentHeader.decode(
      unsafe bytes.span.bytes, in: identity, at: run.first, mayBeFreed: true)
    return header?.identity.seed(in: identity)
  }

  /// Seals the segment and goes on in the next one, whose header is the first that lies there.
  mutating func link(_ next: SegmentIdentity) throws(SedimentError) {
    let base = SequenceNumber(tail.sequence + 1)!
    let seal = Seal(recordCount: tail.entry.recordCount, next: next)
    // Where the last record was written, the next will be, which would flush what was stored between them.
    let way = volume.hasWindow && tail.flushedEnd == tail.offset ? Way.written : .stored
    try append(.seal(seal), way)
    // The window has records of one segment only.
    try flush()
    tail.segment.setReadableEnd(tail.segment.end, permit)
    let old = tail
    let header = SegmentHeader(identity: next, base: base, floor: base, predecessor: old.position)
    catalogue.setTail(old.entry)
    do throws(Catalogue.Contradiction) {
      try catalogue.link(next, base: base, endOfTail: UnitOffset(byteOffset: old.offset)!)
    } catch {
      preconditionFailure("the writer contradicts its own catalogue: \(error.reason)")
    }
    // The next checkpoint will name one more.
    space.reserve.raise(to: reserve)
    let start = next.run.byteRange.lowerBound
    let segment = Segment(next, base: base, in: identity)
    if volume.hasWindow { segment.setReadableEnd(start, permit) }
    slots.add(segment, next.run, permit)
    tail = Tail(
      identity: next, segment: segment, offset: next.recordRange.lowerBound.byteOffset,
      sequence: base.rawValue, countedSequence: base.rawValue, clock: old.clock, flushedEnd: start,
      aheadEnd: way == .written ? start : 0, entry: catalogue.segments[next.generation]!)
    noteFlushed(upTo: start)
    noteWhole(catalogue.segments[old.identity.generation]!, old.segment)
    let bytes = header.encode(in: identity)
    try store(unsafe bytes.span.bytes, at: start, way)
    sealed?()
  }
}
