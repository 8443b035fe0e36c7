package import SedimentFormat

/// Owns the slots of the file that are not in use: free, bare, taken and freed ones (DESIGN.md 13).
///
/// The catalogue names the slots in use. Guarded by the writer's lock, without I/O: a caller that allocates blocks for
/// slots, or punches holes, reports it here afterwards. One method for each change of a slot's state.
package struct SpaceState: ~Copyable {
  /// The free and the bare slots.
  package private(set) var unused: SlotSpace
  /// Maximum slots of the file.
  ///
  /// After an opening with a lower cap the file may be longer until it was shortened.
  package let slotCountMax: UInt32
  /// Runs of ended reservations, until `reclaimReturned`.
  package let returned: ReturnedSlots
  /// Slots in reservations, in `returned`, and in `runsToErase`.
  package private(set) var takenSlotCount: UInt32 = 0
  /// First slot that was never used.
  ///
  /// No slot from here on has the header of an older segment.
  private var freshSlot: UInt32
  /// Freed runs that were not reclaimed yet.
  package private(set) var freedRuns: [FreedRun] = []
  /// Slots of `freedRuns`, and of runs whose headers `Log.reclaim` is overwriting.
  package private(set) var freedSlotCount: UInt32 = 0
  /// Segments that backups have not copied yet, with the number of those backups.
  private var pinned: [Generation: Int] = [:]
  /// Freed slots reclaimed since the opening.
  package private(set) var reclaimedSlotCount: UInt64 = 0
  /// Number of erasing calls under way.
  ///
  /// During these, a slot is overwritten before it becomes free.
  private var erasingCount = 0
  /// Runs of reservations that ended during an erasing call, to be overwritten before they become free.
  private var runsToErase: [SlotRun] = []

  /// Creates the state of a file at its opening.
  ///
  /// Slots before `freshSlot` may have been used.
  package init(_ unused: SlotSpace, slotCountMax: UInt32, freshSlot: UInt32, _ returned: ReturnedSlots) {
    self.unused = unused
    self.unused.cap = slotCountMax
    self.slotCountMax = slotCountMax
    self.freshSlot = max(freshSlot, unused.end)
    self.returned = returned
  }

  // MARK: Figures

  /// The end of the file, in slots.
  package var end: UInt32 { unused.end }
  package var freeCount: UInt32 { unused.freeCount }
  package var bareCount: UInt32 { unused.bareCount }
  /// Runs of free slots, and of bare slots, in ascending order.
  package var freeRuns: [Range<UInt32>] { unused.free.runs }
  package var bareRuns: [Range<UInt32>] { unused.bare.runs }
  /// Free slots that no change of a user may take.
  package var reservedCount: UInt32 { unused.reservedCount }
  /// Slots in use, taken or freed.
  package var usedSlotCount: UInt32 { end - min(end, freeCount + bareCount) }
  /// Slots that the file may still grow by.
  package var slotCountLeft: UInt32 { slotCountMax > end ? slotCountMax - end : 0 }
  /// Whether the file is longer than its cap.
  package var isOverlong: Bool { end > slotCountMax }
  /// Slots of the file beyond its cap.
  package var overhang: UInt32 { end - min(end, slotCountMax) }
  /// Free and bare slots, and slots that the file may still grow by.
  package var presentSlotCount: UInt32 { freeCount &+ bareCount &+ slotCountLeft }
  /// Value of `presentSlotCount` after all freed slots were reclaimed.
  ///
  /// A checkpoint frees the slots that the last checkpoint took. Only a step that raises this number wins space.
  package var availableSlotCount: UInt32 { presentSlotCount &+ freedSlotCount }

  /// Free slots kept for the changes that free space in a full store.
  package var reserve: SlotSpace.Reserve {
    get { unused.reserve }
    set { unused.reserve = newValue }
  }

  /// First slot from which bare slots may have blocks, left by an earlier opening or shared with a clone.
  package var idleStart: UInt32 {
    get { unused.idleStart }
    set { unused.idleStart = newValue }
  }

  // MARK: Free: taken

  /// Takes `count` adjacent free slots; nil if there is no such run, or if the reserve forbids it.
  package mutating func take(
    _ count: UInt32, for purpose: SlotSpace.Purpose, _ reservation: inout Reservation
  ) -> SlotRun? {
    guard let run = unused.take(count, for: purpose) else { return nil }
    return note(run, takenBy: &reservation)
  }

  /// Takes a run; nil if not all of its slots are free.
  package mutating func take(_ run: Range<UInt32>, _ reservation: inout Reservation) -> SlotRun? {
    guard let run = unused.take(run) else { return nil }
    return note(run, takenBy: &reservation)
  }

  /// Takes the last run of up to `count` free slots before `limit`, even from the reserve; nil if there is none.
  package mutating func takeLast(
    _ count: UInt32, before limit: UInt32 = .max, _ reservation: inout Reservation
  ) -> SlotRun? {
    let count = min(count, Limits.segmentSlotCountMax)
    guard let run = unused.takeLastFree(count, before: limit) else { return nil }
    return note(SlotRun(first: run.lowerBound, count: UInt32(run.count))!, takenBy: &reservation)
  }

  /// Takes the last run of up to `count` bare slots before `limit`; nil if there is none.
  ///
  /// The reservation returns its slots as bare.
  package mutating func takeLastBare(
    _ count: UInt32, before limit: UInt32, _ reservation: inout Reservation
  ) -> SlotRun? {
    let count = min(count, Limits.segmentSlotCountMax)
    guard let run = unused.takeLastBare(count, before: limit) else { return nil }
    reservation.hasBlocks = false
    return note(SlotRun(first: run.lowerBound, count: UInt32(run.count))!, takenBy: &reservation)
  }

  private mutating func note(_ run: SlotRun, takenBy reservation: inout Reservation) -> SlotRun {
    takenSlotCount += run.count
    reservation.add(run)
    return run
  }

  /// Notes that a segment is created in a run; returns whether the header of an older segment may lie there.
  package mutating func noteUse(of run: SlotRun) -> Bool {
    defer { freshSlot = max(freshSlot, run.end) }
    return run.first < freshSlot
  }

  // MARK: Taken: in use

  /// Makes a taken run a run in use, after the log named its segment.
  package mutating func adopt(_ run: SlotRun, from reservation: inout Reservation) {
    reservation.remove(run)
    takenSlotCount -= run.count
  }

  // MARK: In use: freed

  /// Notes segments that the change with a sequence freed.
  ///
  /// No entry of the index leads to them.
  ///
  /// Readers whose epoch is at most `tag` may still find them.
  package mutating func free(
    _ segments: some Sequence<SegmentIdentity>, by sequence: UInt64, tag: UInt64
  ) {
    for segment in segments {
      freedRuns.append(
        FreedRun(run: segment.run, generation: segment.generation, sequence: sequence, tag: tag))
      freedSlotCount += segment.run.count
    }
  }

  /// Raises the tag of a freed segment that readers could find until now: the window, which they reach without the index.
  package mutating func noteFindable(_ generation: Generation, tag: UInt64) {
    for place in freedRuns.indices where freedRuns[place].generation == generation {
      freedRuns[place].tag = tag
    }
  }

  /// Freed runs whose freeing is durable and that no backup pins.
  package func runsWaitingForReaders(syncedSequence: UInt64) -> [FreedRun] {
    freedRuns.filter { $0.sequence <= syncedSequence && pinned[$0.generation] == nil }
  }

  /// Removes the freed runs that no sync, reader or backup holds, so that `Log.reclaim` can overwrite their headers.
  ///
  /// `heldSlots` must be in ascending order, and read after `oldestEpoch`.
  package mutating func takeReclaimable(syncedSequence: UInt64, oldestEpoch: UInt64, heldSlots: [UInt64])
    -> [FreedRun]
  {
    let ready = runsWaitingForReaders(syncedSequence: syncedSequence).filter {
      $0.tag < oldestEpoch && !$0.run.contains(anyOf: heldSlots)
    }
    if ready.isEmpty { return [] }
    let generations = Set(ready.map(\.generation))
    freedRuns.removeAll { generations.contains($0.generation) }
    return ready
  }

  // MARK: Taken or freed: free

  /// Makes a run free or, without blocks, bare.
  private mutating func reclaim(_ run: SlotRun, hasBlocks: Bool) {
    let run = run.first..<run.end
    if hasBlocks { unused.give(run) } else { unused.giveBare(run) }
  }

  /// Reclaims freed runs, after their headers were overwritten.
  package mutating func reclaim(_ freed: [FreedRun]) {
    for freed in freed {
      reclaim(freed.run, hasBlocks: !freed.isBare)
      freedSlotCount -= freed.run.count
      reclaimedSlotCount &+= UInt64(freed.run.count)
    }
  }

  /// Reclaims the runs of ended reservations.
  ///
  /// During an erasing call, runs with blocks must be overwritten first.
  package mutating func reclaimReturned() {
    for returned in returned.takeAll() {
      if erasingCount > 0, returned.hasBlocks {
        runsToErase.append(returned.run)
      } else {
        takenSlotCount -= returned.run.count
        reclaim(returned.run, hasBlocks: returned.hasBlocks)
      }
    }
  }

  /// Reclaims the runs of a reservation at once, if nothing was written to them or they were overwritten.
  package mutating func reclaim(clean reservation: inout Reservation) {
    for run in reservation.takeAll() {
      takenSlotCount -= run.count
      reclaim(run, hasBlocks: reservation.hasBlocks)
    }
  }

  // MARK: Erasing

  /// Whether an erasing call is under way.
  package var isErasing: Bool { erasingCount > 0 }
  /// Whether runs of ended reservations must be overwritten.
  package var hasRunsToErase: Bool { !runsToErase.isEmpty }

  /// Begins an erasing call: until `endErasing`, a slot is overwritten before it becomes free.
  package mutating func beginErasing() {
    reclaimReturned()
    erasingCount += 1
  }

  package mutating func endErasing() {
    erasingCount -= 1
    guard erasingCount == 0 else { return }
    for run in runsToErase {
      takenSlotCount -= run.count
      reclaim(run, hasBlocks: true)
    }
    runsToErase = []
  }

  /// Moves a run that must be overwritten to a reservation; nil if there is none.
  package mutating func takeRunToErase(_ reservation: inout Reservation) -> SlotRun? {
    reclaimReturned()
    guard let run = runsToErase.popLast() else { return nil }
    reservation.add(run)
    return run
  }

  // MARK: Pins

  package var pinnedCount: Int { pinned.count }

  /// Prevents the slots of segments from being reclaimed until `unpin`, even after the segments were freed.
  package mutating func pin(_ generations: some Sequence<Generation>) {
    for generation in generations { pinned[generation, default: 0] += 1 }
  }

  /// Removes one pin of each segment.
  package mutating func unpin(_ generations: some Sequence<Generation>) {
    for generation in generations {
      guard let count = pinned[generation] else { continue }
      pinned[generation] = count > 1 ? count - 1 : nil
    }
  }

  /// Freed slots that backups pin.
  package var freedSlotCountInBackups: UInt32 {
    pinned.isEmpty ? 0 : freedRuns.reduce(0) { pinned[$1.generation] == nil ? $0 : $0 + $1.run.count }
  }

  // MARK: Blocks

  /// Adds free slots at the end of the file, after their blocks were allocated.
  package mutating func extend(by count: UInt32) { unused.extend(by: count) }

  /// Makes bare slots free, after their blocks were allocated.
  package mutating func noteBlocks(in run: Range<UInt32>) { unused.noteBlocks(in: run) }

  /// Makes all present slots bare once they are free, because a clone of the file shares their blocks.
  package mutating func makeFreeBare() { unused.makeFreeBare() }

  /// Removes the slots from `end` on, after the file was truncated.
  package mutating func cut(to end: UInt32) { unused.cut(to: end) }
}
