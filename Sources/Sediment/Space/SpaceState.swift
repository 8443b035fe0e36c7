package import SedimentFormat

/// The one owner of the file's slots between two uses: free and bare, taken, freed and waiting (DESIGN.md 13).
///
/// Which slots are in use the catalogue knows. Under the writer's lock, and without I/O: whoever gives slots blocks, or
/// takes them away, says so. Each move of a slot from one state to another is a method here, and slots that nobody uses
/// any more come back by `comeBack` alone.
package struct SpaceState: ~Copyable {
  /// The slots that nobody uses.
  package private(set) var unused: SlotSpace
  /// The most slots that the file may have; one that was opened with a lower cap may have more for a while.
  package let slotCountMax: UInt32
  /// Where the slots of reservations that have ended wait, until the next call that takes some.
  package let returned: ReturnedSlots
  /// The slots of reservations, and of those that have ended.
  package private(set) var takenSlotCount: UInt32 = 0
  /// Slots from here on were never used, so no header of an older use can lie there.
  private var freshSlot: UInt32
  /// What was freed and is not given back yet.
  package private(set) var freedRuns: [FreedRun] = []
  /// The slots of these, and of those that lose their magic just now.
  package private(set) var freedSlotCount: UInt32 = 0
  /// Segments that backups still have to copy, each with the number of these backups.
  private var pinned: [Generation: Int] = [:]
  /// The slots given back since the opening.
  package private(set) var reclaimedSlotCount: UInt64 = 0
  /// How many calls erase what is dead: while there are any, no slot becomes free before it was overwritten.
  private var erasingCount = 0
  /// Slots of reservations that ended while something was being erased, to be overwritten before they become free.
  private var runsToErase: [SlotRun] = []

  /// The space of a file whose slots without use are those; slots before `freshSlot` may have been used.
  package init(_ unused: SlotSpace, slotCountMax: UInt32, freshSlot: UInt32, _ returned: ReturnedSlots) {
    self.unused = unused
    self.unused.cap = slotCountMax
    self.slotCountMax = slotCountMax
    self.freshSlot = max(freshSlot, unused.end)
    self.returned = returned
  }

  // MARK: Figures

  /// Behind the last slot that the file has blocks for.
  package var end: UInt32 { unused.end }
  package var freeCount: UInt32 { unused.freeCount }
  package var bareCount: UInt32 { unused.bareCount }
  /// The free slots, and the bare ones.
  package var freeRuns: [Range<UInt32>] { unused.free.runs }
  package var bareRuns: [Range<UInt32>] { unused.bare.runs }
  /// How many free slots ordinary writing leaves alone.
  package var reservedCount: UInt32 { unused.reservedCount }
  /// The slots of the file that are in use or taken, or were freed and wait.
  package var usedSlotCount: UInt32 { end - min(end, freeCount + bareCount) }
  /// The slots that the file may still grow by.
  package var slotCountLeft: UInt32 { slotCountMax > end ? slotCountMax - end : 0 }
  /// Whether the file is longer than its cap.
  package var isOverlong: Bool { end > slotCountMax }
  /// The slots that the file has beyond its cap.
  package var overhang: UInt32 { end - min(end, slotCountMax) }
  /// The slots that nobody uses, and those that the file may still grow by.
  package var presentSlotCount: UInt32 { freeCount &+ bareCount &+ slotCountLeft }
  /// The slots that there are once all has come back that was freed.
  ///
  /// What a checkpoint frees it has taken before: only what makes this number larger wins anything.
  package var availableSlotCount: UInt32 { presentSlotCount &+ freedSlotCount }

  /// How many free slots are kept for what lets a full store go on.
  package var reserve: SlotSpace.Reserve {
    get { unused.reserve }
    set { unused.reserve = newValue }
  }

  /// Bare slots from here on may have blocks all the same: nobody has told since the file was opened, or cloned.
  package var idleStart: UInt32 {
    get { unused.idleStart }
    set { unused.idleStart = newValue }
  }

  // MARK: Free: taken

  /// Takes `count` adjacent free slots for a purpose; nil if there are none such that may be taken.
  package mutating func take(
    _ count: UInt32, for purpose: SlotSpace.Purpose, _ reservation: inout Reservation
  ) -> SlotRun? {
    guard let run = unused.take(count, for: purpose) else { return nil }
    return note(run, takenBy: &reservation)
  }

  /// Takes slots of a run; nil if not all of them are free.
  package mutating func take(_ run: Range<UInt32>, _ reservation: inout Reservation) -> SlotRun? {
    guard let run = unused.take(run) else { return nil }
    return note(run, takenBy: &reservation)
  }

  /// Takes up to `count` adjacent free slots before a slot, whatever is reserved, as far behind as there are any.
  package mutating func takeLast(
    _ count: UInt32, before limit: UInt32 = .max, _ reservation: inout Reservation
  ) -> SlotRun? {
    let count = min(count, Limits.segmentSlotCountMax)
    guard let run = unused.takeLastFree(count, before: limit) else { return nil }
    return note(SlotRun(first: run.lowerBound, count: UInt32(run.count))!, takenBy: &reservation)
  }

  /// Takes up to `count` adjacent bare slots before a slot, as far behind as there are any; they come back as bare ones.
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

  /// Notes that slots get a use; whether a header of an older use may lie there.
  package mutating func noteUse(of run: SlotRun) -> Bool {
    defer { freshSlot = max(freshSlot, run.end) }
    return run.first < freshSlot
  }

  // MARK: Taken: in use

  /// Notes that the log names a segment in slots that were taken.
  package mutating func adopt(_ run: SlotRun, from reservation: inout Reservation) {
    reservation.remove(run)
    takenSlotCount -= run.count
  }

  // MARK: In use: freed

  /// Takes note of segments that the change of a sequence has freed; the index leads nowhere into them any more, and no
  /// reader finds them once `tag` is past.
  package mutating func free(
    _ segments: some Sequence<SegmentIdentity>, freedBy sequence: UInt64, tag: UInt64
  ) {
    for segment in segments {
      freedRuns.append(
        FreedRun(run: segment.run, generation: segment.generation, sequence: sequence, tag: tag))
      freedSlotCount += segment.run.count
    }
  }

  /// Notes that readers could find a segment until now though it was freed before: the window, which they are told of by
  /// another way than the index.
  package mutating func noteFindable(_ generation: Generation, tag: UInt64) {
    for place in freedRuns.indices where freedRuns[place].generation == generation {
      freedRuns[place].tag = tag
    }
  }

  /// The freed runs that nothing but readers keeps from coming back.
  package func runsWaitingForReaders(syncedSequence: UInt64) -> [FreedRun] {
    freedRuns.filter { $0.sequence <= syncedSequence && pinned[$0.generation] == nil }
  }

  /// Takes out the runs whose freeing is on the medium and that no reader and no backup holds; they are to lose their
  /// magic, and then to come back.
  ///
  /// `heldSlots` was asked for after `oldestEpoch`, and is in ascending order.
  package mutating func takeReleased(syncedSequence: UInt64, oldestEpoch: UInt64, heldSlots: [UInt64])
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

  // MARK: Back

  /// Adds slots that nobody uses any more to those that may be taken, those without blocks to the bare ones.
  private mutating func comeBack(_ run: SlotRun, hasBlocks: Bool) {
    let run = run.first..<run.end
    if hasBlocks { unused.give(run) } else { unused.giveBare(run) }
  }

  /// Lets slots come back whose headers have lost their magic.
  package mutating func comeBack(_ freed: [FreedRun]) {
    for freed in freed {
      comeBack(freed.run, hasBlocks: !freed.isBare)
      freedSlotCount -= freed.run.count
      reclaimedSlotCount &+= UInt64(freed.run.count)
    }
  }

  /// Lets the slots of reservations come back that have ended, but for those that must be overwritten before.
  package mutating func collectReturned() {
    for returned in returned.takeAll() {
      if erasingCount > 0, returned.hasBlocks {
        runsToErase.append(returned.run)
      } else {
        takenSlotCount -= returned.run.count
        comeBack(returned.run, hasBlocks: returned.hasBlocks)
      }
    }
  }

  /// Lets the slots of a reservation come back that were overwritten.
  package mutating func comeBack(overwritten reservation: inout Reservation) {
    for run in reservation.takeAll() {
      takenSlotCount -= run.count
      comeBack(run, hasBlocks: reservation.hasBlocks)
    }
  }

  // MARK: Erasing

  /// Whether no slot becomes free before it was overwritten.
  package var isErasing: Bool { erasingCount > 0 }
  /// Whether slots of reservations have to be overwritten.
  package var hasRunsToErase: Bool { !runsToErase.isEmpty }

  /// Lets no slot become free before it was overwritten, until `endErasing`.
  package mutating func beginErasing() {
    collectReturned()
    erasingCount += 1
  }

  package mutating func endErasing() {
    erasingCount -= 1
    guard erasingCount == 0 else { return }
    for run in runsToErase {
      takenSlotCount -= run.count
      comeBack(run, hasBlocks: true)
    }
    runsToErase = []
  }

  /// Hands slots over that are to be overwritten; nil if there are none.
  package mutating func takeRunToErase(_ reservation: inout Reservation) -> SlotRun? {
    collectReturned()
    guard let run = runsToErase.popLast() else { return nil }
    reservation.add(run)
    return run
  }

  // MARK: Pins

  package var pinnedCount: Int { pinned.count }

  /// Keeps segments from coming back, though they may be freed, until they are unpinned.
  package mutating func pin(_ generations: some Sequence<Generation>) {
    for generation in generations { pinned[generation, default: 0] += 1 }
  }

  /// Ends what `pin` began, for segments that it named.
  package mutating func unpin(_ generations: some Sequence<Generation>) {
    for generation in generations {
      guard let count = pinned[generation] else { continue }
      pinned[generation] = count > 1 ? count - 1 : nil
    }
  }

  /// How many freed slots backups keep.
  package var freedSlotCountInBackups: UInt32 {
    pinned.isEmpty ? 0 : freedRuns.reduce(0) { pinned[$1.generation] == nil ? $0 : $0 + $1.run.count }
  }

  // MARK: Blocks

  /// Adds slots at the file's end that now have blocks.
  package mutating func extend(by count: UInt32) { unused.extend(by: count) }

  /// Frees slots that were bare and have blocks now.
  package mutating func noteBlocks(in run: Range<UInt32>) { unused.noteBlocks(in: run) }

  /// Makes all free slots bare, and those that come to be free later, since their blocks are shared with a copy.
  package mutating func makeFreeBare() { unused.makeFreeBare() }

  /// Forgets the slots from `end` on, none of which is in use.
  package mutating func cut(to end: UInt32) { unused.cut(to: end) }
}
