internal import SedimentDisk
internal import SedimentFormat

// Limits computed from the accounts: segment sizes, when compaction is due, the pace of writers.

extension LogWriter {
  /// The slots that a hot segment should have: by what is live or, where much is dead, by what is in use, so that
  /// there are never many segments.
  var segmentSlotCount: UInt32 {
    let used = Int(recordSlotCount) * Limits.slotByteCount
    return SegmentSizes.hotSlotCount(
      liveByteCount: max(liveByteCount, used / 2), slotCountMax: space.slotCountMax)
  }

  /// How many free slots there should be for users where the file may not grow, so that nobody has to wait.
  ///
  /// A file that is longer than its cap needs at least `spareSlotCount` of them: with fewer it does not come down to it.
  var wantedRoom: UInt32 {
    if space.slotCountMax == Limits.fileSlotCountMax { return 0 }
    let wanted = min(3 * segmentSlotCount, max(space.slotCountMax / 16, 1))
    return space.isOverlong ? max(wanted, Self.spareSlotCount) : wanted
  }

  /// Whether compaction has something to do.
  var wantsMaintenance: Bool {
    if isCompactionDue || hasExpired || space.isOverlong { return true }
    guard space.slotCountLeft < segmentSlotCount else { return false }
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
  var slotCountToWin: UInt32 { recordSlotCount + deadExtentSlotCount + space.freedSlotCount }

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
    space.reservedCount
      + space.unused.count(inRunsBelow: SegmentSizes.leastRunSlotCount(of: segmentSlotCount))
  }

  // MARK: Accounts

  /// The slots of segments that hold records.
  var recordSlotCount: UInt32 {
    let others =
      Limits.headSlotCount + catalogue.indexSlotCount + extentSlotCount + space.freedSlotCount
      + space.takenSlotCount
      + (catalogue.window?.run.count ?? 0)
    return space.usedSlotCount - min(space.usedSlotCount, others)
  }
}
