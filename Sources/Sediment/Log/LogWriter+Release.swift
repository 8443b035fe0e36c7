internal import SedimentDisk
internal import SedimentFormat

/// Slots that a change of the catalogue has freed, and that may not be used again yet.
struct FreedRun {
  let run: SlotRun
  let generation: Generation
  /// The sequence of the change, which must be on the medium (invariant 11).
  let sequence: UInt64
  /// Once this tag is past, no reader can find the segment; those that found it before have a hold on one of its slots.
  fileprivate(set) var tag: UInt64
  /// Whether the slots have lost their blocks since they were taken out of the list.
  var isBare = false
}

/// What keeps freed slots from coming back though their freeing is durable.
struct FreedSlots {
  /// Whether nothing keeps some of them any more.
  var canComeBack = false
  /// Whether scopes of readers keep some, which last for some microseconds.
  var areInScopes = false
  /// The slots that closures, pins and backups hold; nil if there are none.
  var held: HeldSlots?
  /// Whether a backup, or closures and pins of other threads than the one that asked hold some.
  var areHeldByOthers = false
}

/// Freed slots that closures, pins and backups hold until one of them ends.
struct HeldSlots {
  let slotCount: UInt32
  private let holdEnds: HoldEnds
  let endCount: UInt64

  init(_ slotCount: UInt32, _ holdEnds: HoldEnds, endCount: UInt64) {
    self.slotCount = slotCount
    self.holdEnds = holdEnds
    self.endCount = endCount
  }

  /// Whether no hold has ended since these slots were found.
  var isStill: Bool { holdEnds.count == endCount }
}

extension SlotRun {
  /// Whether the run has one of some slots, which are in ascending order.
  fileprivate func contains(anyOf slots: [UInt64]) -> Bool {
    let place = slots.firstIndexByHalving { $0 >= UInt64(first) }
    return place < slots.count && slots[place] < UInt64(end)
  }
}

// Giving slots back once nothing can lead there any more.

extension LogWriter {
  /// Takes note of segments that the change of a sequence has freed; the index leads nowhere into them any more.
  mutating func release(_ segments: some Sequence<SegmentIdentity>, freedBy sequence: UInt64) {
    let tag = Readers.advance()
    for segment in segments {
      freedRuns.append(
        FreedRun(run: segment.run, generation: segment.generation, sequence: sequence, tag: tag))
      freedSlotCount += segment.run.count
    }
  }

  /// Takes out the runs whose freeing is on the medium and that no reader and no backup holds; they are to be given back.
  ///
  /// `heldSlots` was asked for after `oldestEpoch`, and is in ascending order.
  mutating func takeReleased(syncedSequence: UInt64, oldestEpoch: UInt64, heldSlots: [UInt64]) -> [FreedRun] {
    let ready = runsWaitingForReaders(syncedSequence: syncedSequence).filter {
      $0.tag < oldestEpoch && !$0.run.contains(anyOf: heldSlots)
    }
    if ready.isEmpty { return [] }
    let generations = Set(ready.map(\.generation))
    freedRuns.removeAll { generations.contains($0.generation) }
    for freed in ready { slots.remove(freed.run, permit) }
    return ready
  }

  /// The freed runs that nothing but readers keeps from coming back.
  func runsWaitingForReaders(syncedSequence: UInt64) -> [FreedRun] {
    freedRuns.filter { $0.sequence <= syncedSequence && pinned[$0.generation] == nil }
  }

  /// How many freed slots backups keep.
  var freedSlotCountInBackups: UInt32 {
    pinned.isEmpty ? 0 : freedRuns.reduce(0) { pinned[$1.generation] == nil ? $0 : $0 + $1.run.count }
  }

  /// Gives slots back whose headers have lost their magic.
  mutating func giveBack(_ freed: [FreedRun]) {
    for freed in freed {
      let run = freed.run.first..<freed.run.end
      if freed.isBare { space.giveBare(run) } else { space.give(run) }
      freedSlotCount -= freed.run.count
      reclaimedSlotCount &+= UInt64(freed.run.count)
    }
  }

  // MARK: Pins

  /// Keeps segments from being given back, though they may be freed, until they are unpinned.
  mutating func pin(_ generations: some Sequence<Generation>) {
    for generation in generations { pinned[generation, default: 0] += 1 }
  }

  /// Ends what `pin` began, for segments that it named.
  mutating func unpin(_ generations: some Sequence<Generation>) {
    for generation in generations {
      guard let count = pinned[generation] else { continue }
      pinned[generation] = count > 1 ? count - 1 : nil
    }
  }

  /// Notes that readers could find a segment until now though it was freed before: the window, which they are told of by
  /// another way than the index.
  mutating func noteFindable(_ generation: Generation) {
    let tag = Readers.advance()
    for place in freedRuns.indices where freedRuns[place].generation == generation {
      freedRuns[place].tag = tag
    }
  }

  // MARK: Policy

  /// The slots that a hot segment should have: by what is live or, where much is dead, by what is in use, so that
  /// there are never many segments.
  var segmentSlotCount: UInt32 {
    let used = Int(recordSlotCount) * Limits.slotByteCount
    return SegmentSizes.hotSlotCount(liveByteCount: max(liveByteCount, used / 2), slotCountMax: slotCountMax)
  }

  /// How many free slots there should be for users where the file may not grow, so that nobody has to wait.
  ///
  /// A file that is longer than its cap needs at least `spareSlotCount` of them: with fewer it does not come down to it.
  var wantedRoom: UInt32 {
    if slotCountMax == Limits.fileSlotCountMax { return 0 }
    let wanted = min(3 * segmentSlotCount, max(slotCountMax / 16, 1))
    return isOverlong ? max(wanted, Self.spareSlotCount) : wanted
  }

  /// Whether compaction has something to do.
  var wantsMaintenance: Bool {
    if isCompactionDue || hasExpired || isOverlong { return true }
    guard slotCountLeft < segmentSlotCount else { return false }
    return roomSlotCount < wantedRoom
  }

  /// Whether so much is dead that it is worth winning back.
  var isCompactionDue: Bool {
    recordSlotCount >= dueSlotCount || deadExtents.count >= Self.deadExtentCountMax
      || deadExtentSlotCount >= max(Self.deadExtentSlotCountMax, extentSlotCount / 8)
  }

  /// Whether more has expired since the last survey, and may be deleted.
  var hasExpired: Bool { nextExpiry != .max && nextExpiry <= expiredUpTo(evicting: false) }

  /// What expired before this time may be deleted: the wall clock shows that it has, and a clock that no jump can move.
  ///
  /// Where room is made by evicting, the wall clock alone decides what goes first: as much has to go in any case.
  func expiredUpTo(evicting: Bool) -> UInt64 {
    let now = disk.wallClock()
    return evicting ? now : min(now, catalogue.numbers.clocks.deletion)
  }

  /// So many extents wait to be freed at the most.
  private static let deadExtentCountMax = 16
  /// So many slots of extents wait to be freed, or an eighth of all.
  private static let deadExtentSlotCountMax: UInt32 = 64

  /// Computes from the accounts when compaction is due next.
  @discardableResult
  mutating func noteBudget() -> SpaceBudget {
    let budget = SpaceBudget(
      liveByteCount: neededByteCount, segmentSlotCount: segmentSlotCount,
      keptSlotCount: keptSlotCount, slackSlotCount: options.slackSlotCount)
    dueSlotCount = budget.dueSlotCount
    budgetedByteCountMin = liveByteCount - max(liveByteCount / 8, Self.budgetedByteCountStep)
    notePace()
    return budget
  }

  /// So many bytes at least have to die before `noteBudget` is worth calling again.
  private static let budgetedByteCountStep = 64 << 10

  /// Lets writers wait for compaction, or go on.
  func notePace() {
    guard options.compaction == .automatic else { return }
    pace.pace = pace(withSlotsToWin: slotCountToWin)
  }

  /// The pace of changes for which compaction could win so many slots at the most.
  func pace(withSlotsToWin usedSlotCount: UInt32) -> WritingPace {
    WritingPace(
      liveByteCount: neededByteCount, usedSlotCount: usedSlotCount,
      dueSlotCount: dueSlotCount, vainSlotCount: vainSlotCount)
  }

  /// What compaction could win at the most: the slots of records, of dead large values, and of what is freed and waits.
  var slotCountToWin: UInt32 { recordSlotCount + deadExtentSlotCount + freedSlotCount }

  /// Notes that compaction found nothing to win, so that nobody waits for it.
  mutating func noteVain() {
    vainSlotCount = slotCountToWin
    notePace()
  }

  /// Notes that compaction has won something.
  mutating func noteWon() {
    vainSlotCount = 0
    notePace()
  }

  /// The free slots that the log cannot go on in: those of the reserve, and of holes that are too short for it.
  var keptSlotCount: UInt32 {
    space.reservedCount + space.count(inRunsBelow: SegmentSizes.leastRunSlotCount(of: segmentSlotCount))
  }

  // MARK: Accounts

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

  /// The slots of segments that hold records.
  var recordSlotCount: UInt32 {
    let others =
      Limits.headSlotCount + catalogue.indexSlotCount + extentSlotCount + freedSlotCount + reservedSlotCount
      + (catalogue.window?.run.count ?? 0)
    return usedSlotCount - min(usedSlotCount, others)
  }
}
