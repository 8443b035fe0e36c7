internal import SedimentDisk
internal import SedimentFormat

// How slots are taken: free ones in a row, bare ones that get blocks, those of a longer file.

extension LogWriter {
  /// Takes so many slots or, where there are not as many in a row, as many as there are, before the file grows.
  mutating func takeRun(
    upTo count: UInt32, atLeast least: UInt32, for purpose: SlotSpace.Purpose,
    _ reservation: inout Reservation
  ) throws(SedimentError) -> SlotRun {
    space.reclaimReturned()
    if space.isOverlong, purpose == .storing {
      return try takeStorableRun(upTo: count, atLeast: least, &reservation)
    }
    if let run = try takePresentRun(count, for: purpose, &reservation) { return run }
    // What compaction wins lies scattered, in runs of all lengths.
    let present = max(
      space.unused.largestRunCount(for: purpose), min(space.unused.largestBareRunCount, count))
    if present >= max(least, SegmentSizes.leastRunSlotCount(of: count)),
      let run = try takePresentRun(present, for: purpose, &reservation)
    {
      return run
    }
    do throws(SedimentError) {
      return try takeRun(count, for: purpose, &reservation)
    } catch  where error.code == .outOfSpace {
      let present = space.unused.largestRunCount(for: purpose)
      if present >= least, let run = space.take(min(present, count), for: purpose, &reservation) {
        return run
      }
      guard least < count else { throw error }
      return try takeRun(least, for: purpose, &reservation)
    }
  }

  /// Takes so many slots in a row, if necessary bare ones that get blocks; nil if there are none, or no blocks.
  private mutating func takePresentRun(
    _ count: UInt32, for purpose: SlotSpace.Purpose, _ reservation: inout Reservation
  ) throws(SedimentError) -> SlotRun? {
    while true {
      if let run = space.take(count, for: purpose, &reservation) { return run }
      guard let bare = space.unused.bareRun(for: count, isAdjacent: true), try giveBlocks(to: bare) > 0 else {
        return nil
      }
    }
  }

  /// Takes slots that are free or, if there are none, gives bare ones blocks or lets the file grow.
  mutating func takeRun(
    _ count: UInt32, for purpose: SlotSpace.Purpose, _ reservation: inout Reservation
  ) throws(SedimentError) -> SlotRun {
    space.reclaimReturned()
    if space.isOverlong, purpose == .storing {
      return try takeStorableRun(upTo: count, atLeast: count, &reservation)
    }
    repeat {
      if let run = space.take(count, for: purpose, &reservation) { return run }
    } while try freeMore(for: count, purpose)
    while true {
      try grow(for: count, purpose)
      // A longer file keeps more in reserve.
      if let run = space.take(count, for: purpose, &reservation) { return run }
    }
  }

  /// Gives bare slots blocks, so that in the end so many in a row may be taken; false if
  /// there are none such, or no blocks.
  private mutating func freeMore(for count: UInt32, _ purpose: SlotSpace.Purpose) throws(SedimentError)
    -> Bool
  {
    // Slots in a row first; after that it can only be the reserve that is missing.
    if let bare = space.unused.bareRun(for: count, isAdjacent: true), try giveBlocks(to: bare) > 0 {
      return true
    }
    let wanted = count + space.reserve.slotCount(leftBy: purpose)
    if space.freeCount >= count, space.freeCount < wanted,
      let bare = space.unused.bareRun(for: wanted - space.freeCount, isAdjacent: false),
      try giveBlocks(to: bare) > 0
    {
      return true
    }
    if let bare = space.unused.bareRun(completing: count), try giveBlocks(to: bare) > 0 { return true }
    // Where the file may hardly grow, what is bare at its end counts.
    if (space.unused.growth(for: count, purpose) ?? .max) > space.slotCountLeft,
      let bare = space.bareRuns.last,
      bare.upperBound == space.end
    {
      return try giveBlocks(to: bare) > 0
    }
    return false
  }

  /// Lets the file grow until so many adjacent slots may be taken, and ahead of need where there is room for it.
  private mutating func grow(for count: UInt32, _ purpose: SlotSpace.Purpose) throws(SedimentError) {
    guard let growth = space.unused.growth(for: count, purpose) else {
      throw SedimentError.fileTooLarge(volume.file.path)
    }
    let ahead = max(min(growth + slotCountAhead, space.slotCountLeft), growth)
    do throws(SedimentError) {
      try extend(by: ahead)
    } catch {
      guard error.systemError?.code.isOutOfSpace == true, growth < ahead else { throw error }
      try extend(by: growth)
    }
    setWantedFreeCount()
  }

  /// Takes slots before a limit, as near to the file's beginning as there are any; nil if there are not so many in a
  /// row.
  mutating func takeLowRun(
    upTo count: UInt32, atLeast least: UInt32, before limit: UInt32, _ reservation: inout Reservation
  ) throws(SedimentError) -> SlotRun? {
    space.reclaimReturned()
    var isDiskFull = false
    while let (run, isBare) = space.unused.lowRun(
      upTo: count, atLeast: least, before: limit, isDiskFull: isDiskFull)
    {
      if !isBare { return space.take(run, &reservation) }
      isDiskFull = try giveBlocks(to: run) == 0
    }
    return nil
  }

  /// Takes free slots behind a limit for a large value's bytes, or lets the file grow by as many.
  mutating func takeHighRun(
    forExtentOf byteCount: Int, behind limit: UInt32, _ reservation: inout Reservation
  ) throws(SedimentError) -> SlotRun {
    space.reclaimReturned()
    let count = ExtentLayout(storedByteCount: UInt64(byteCount)).slotCount
    if let run = space.unused.highRun(count, behind: limit), let taken = space.take(run, &reservation) {
      return taken
    }
    try extend(by: count)
    return space.take(space.end - count..<space.end, &reservation)!
  }

  // MARK: Large values

  /// Takes a run of slots for a large value's bytes or, where that is not to be had, several if `mayScatter`, the
  /// longest first.
  mutating func takeRuns(
    forExtentsOf byteCount: Int, for purpose: SlotSpace.Purpose, mayScatter: Bool,
    _ reservation: inout Reservation
  ) throws(SedimentError) -> [SlotRun] {
    let slotCount = ExtentLayout(storedByteCount: UInt64(byteCount)).slotCount
    if space.isOverlong, purpose == .storing {
      if mayScatter { return try takeStorableRuns(forExtentsOf: byteCount, &reservation) }
      return [try takeStorableRun(upTo: slotCount, atLeast: slotCount, &reservation)]
    }
    do throws(SedimentError) {
      return [try takeRun(slotCount, for: purpose, &reservation)]
    } catch  where error.code == .outOfSpace && mayScatter {
      // The headers of several runs take less than one slot more.
      let wanted = space.reserve.slotCount(leftBy: purpose) + slotCount
      do throws(SedimentError) {
        try provide(wanted + 1)
      } catch  where error.code == .outOfSpace {
        try provide(wanted)
      }
      let runs = try takeRuns(forExtentsOf: byteCount, &reservation) {
        (writer, wanted, part) throws(SedimentError) in
        let most = writer.space.unused.largestRunCount(for: purpose)
        return writer.space.take(min(most, wanted), for: purpose, &part)
      }
      guard let runs else { throw error }
      return runs
    }
  }

  /// Takes slots before a limit for a large value's bytes, in several runs where they lie scattered; nil if there are
  /// not enough.
  mutating func takeLowRuns(
    forExtentsOf byteCount: Int, before limit: UInt32, _ reservation: inout Reservation
  ) throws(SedimentError) -> [SlotRun]? {
    try takeRuns(forExtentsOf: byteCount, &reservation) {
      (writer, wanted, part) throws(SedimentError) -> SlotRun? in
      // So many if there is such a row, else of a row that is at least half as long, and so on.
      var least = wanted
      while least > 0 {
        if let run = try writer.takeLowRun(upTo: wanted, atLeast: least, before: limit, &part) { return run }
        least /= 2
      }
      return nil
    }
  }

  /// Takes slots for a large value's bytes run by run, each of so many slots at the most as `take` is asked for; nil if
  /// there are not enough.
  private mutating func takeRuns(
    forExtentsOf byteCount: Int, _ reservation: inout Reservation,
    by take: (
      inout LogWriter, _ wanted: UInt32, _ part: inout Reservation
    ) throws(SedimentError) -> SlotRun?
  ) throws(SedimentError) -> [SlotRun]? {
    var part = Reservation(space.returned)
    // Nothing was written yet, so a failure leaves the slots as they were.
    defer { space.reclaim(clean: &part) }
    var runs: [SlotRun] = []
    var left = UInt64(byteCount)
    repeat {
      let wanted = ExtentLayout(storedByteCount: left).slotCount
      guard runs.count < Self.scatteredRunCountMax, let run = try take(&self, wanted, &part) else {
        return nil
      }
      runs.append(run)
      left -= min(left, ExtentLayout.storedByteCountMax(slotCount: run.count))
    } while left > 0
    reservation.add(&part)
    return runs
  }

  /// A value of more pieces would take longer to put together than it is worth.
  static let scatteredRunCountMax = 64

  // MARK: Segments

  /// A segment for slots that were taken just now, whose seed differs from that of the use before (invariant 5).
  mutating func newSegment(_ kind: SegmentKind, in run: SlotRun) throws(SedimentError) -> SegmentIdentity {
    let before = space.noteUse(of: run) ? try lastSeed(of: run) : nil
    let generation = catalogue.numbers.nextGeneration
    catalogue.numbers.nextGeneration = generation.advanced(by: 1)!
    while true {
      let next = SegmentIdentity(run: run, kind: kind, generation: generation, salt: disk.random())
      if next.seed(in: identity) != before { return next }
    }
  }

  private func lastSeed(of run: SlotRun) throws(SedimentError) -> Checksum? {
    let bytes = try volume.file.bytes(at: run.byteRange.lowerBound, count: SegmentHeader.byteCount)
    let header = try? SegmentHeader.decode(
      unsafe bytes.span.bytes, in: identity, at: run.first, mayBeFreed: true)
    return header?.identity.seed(in: identity)
  }

  /// Notes segments that the change with a sequence freed, and to which no entry of the index leads.
  mutating func free(_ segments: some Sequence<SegmentIdentity>, by sequence: UInt64) {
    space.free(segments, by: sequence, tag: Readers.advance())
  }

  /// Removes the freed runs that can be reclaimed, and their segments from the slot table.
  mutating func takeReclaimable(
    syncedSequence: UInt64, oldestEpoch: UInt64, heldSlots: [UInt64]
  ) -> [FreedRun] {
    let runs = space.takeReclaimable(
      syncedSequence: syncedSequence, oldestEpoch: oldestEpoch, heldSlots: heldSlots)
    for freed in runs { slots.remove(freed.run, permit) }
    return runs
  }

  // MARK: Blocks

  /// Sees to it that so many slots are free, wherever they lie; what is bare gets blocks first.
  mutating func provide(_ count: UInt32) throws(SedimentError) {
    space.reclaimReturned()
    while space.freeCount < count {
      let missing = count - space.freeCount
      if let bare = space.unused.bareRun(for: missing, isAdjacent: false), try giveBlocks(to: bare) > 0 {
        continue
      }
      try extend(by: missing)
    }
  }

  /// Gives bare slots blocks; how many slots are free now that were bare.
  ///
  /// Where the disk has none for them, it looks for bare slots that have blocks already, whoever left them: so a full
  /// disk takes nothing from a store that is opened again. With 0 there are no such slots either, as far as is known.
  mutating func giveBlocks(to run: Range<UInt32>) throws(SedimentError) -> UInt32 {
    if try hasGiven(run) { return UInt32(run.count) }
    while let idle = space.unused.idleRun(upTo: Self.idleSlotCountMax), mayHaveBlocks(from: idle.lowerBound) {
      let count = try giveBlocks(toPartsOf: idle)
      space.idleStart = idle.upperBound
      if count > 0 { return count }
    }
    return 0
  }

  /// So many slots are looked at in one go.
  private static let idleSlotCountMax: UInt32 = 256

  /// Whether bare slots from one on are worth a look: near the beginning they always are; further on only while the
  /// system says that the file takes more than what is in use or free, since a look at a large hole takes long.
  ///
  /// What it says may be too little, where a file was copied without the zeros of what is in use.
  private func mayHaveBlocks(from slot: UInt32) -> Bool {
    guard slot >= Self.idleSlotCountMax * 16, let byteCount = try? volume.file.allocatedByteCount() else {
      return true
    }
    return byteCount >= SlotSpace.byteCount(of: space.end - space.bareCount + 1)
  }

  /// Frees those of bare slots that the disk has blocks for, half by half down to single ones; how many there are.
  private mutating func giveBlocks(toPartsOf run: Range<UInt32>) throws(SedimentError) -> UInt32 {
    if try hasGiven(run) { return UInt32(run.count) }
    if run.count == 1 { return 0 }
    let middle = run.lowerBound + UInt32(run.count / 2)
    return try giveBlocks(toPartsOf: run.lowerBound..<middle) + giveBlocks(toPartsOf: middle..<run.upperBound)
  }

  /// Whether the disk has blocks for bare slots, all of which are free then.
  private mutating func hasGiven(_ run: Range<UInt32>) throws(SedimentError) -> Bool {
    do throws(SedimentError) {
      try volume.file.allocate(SlotSpace.byteRange(of: run))
    } catch {
      guard error.code == .outOfSpace else { throw error }
      return false
    }
    space.noteBlocks(in: run)
    return true
  }

  /// Lets the file grow by slots that have blocks and addresses, up to its cap.
  mutating func extend(by count: UInt32) throws(SedimentError) {
    guard count <= space.slotCountLeft else {
      throw .capReached(volume.file.path, SlotSpace.byteCount(of: space.slotCountMax))
    }
    let bytes = SlotSpace.byteRange(of: space.end..<space.end + count)
    try volume.file.allocate(bytes)
    try volume.map(upTo: bytes.upperBound)
    noteExtended(by: count)
  }

  /// Notes that the file has more slots, of which it keeps some more in reserve.
  mutating func noteExtended(by count: UInt32) {
    space.extend(by: count)
    space.reserve.raise(to: reserve)
  }
}
