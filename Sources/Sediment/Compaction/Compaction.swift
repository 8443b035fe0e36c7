internal import SedimentDisk
internal import SedimentFormat

/// Wins back space: moves and frees segments, leaves out what has expired or is evicted, and lets the file shrink.
///
/// It is the state of the lock of maintenance: whoever has it has the lock, so that one thread at a time moves segments.
@safe
struct Compaction: AboveReader, ~Copyable {
  let reader: Reader
  let log: Log
  let contents: Contents
  let compressor: Compressor
  let writer: Locked<LogWriter>
  /// Held while the index is stored.
  let storingLock: Lock
  /// What exchanges use while the background takes one step after the other; nil when it rests.
  var memory: ExchangeMemory?
  /// How many calls erase what is dead: while there are any, what has expired by the wall clock is left out of survivors,
  /// and so are dictionaries.
  var erasingCount = 0
  /// Whether extents were looked for that the process died before it could free.
  var hasSoughtExtents: Bool
  #if DEBUG
    /// Whether the accounts were right when the store was opened.
    var hadRightAccounts = false
    /// The number of steps that the background has taken.
    var stepCount = 0
  #endif

  init(
    _ contents: Contents, _ compressor: Compressor, _ writer: Locked<LogWriter>, _ storingLock: Lock
  ) {
    reader = contents.reader
    log = contents.log
    self.contents = contents
    self.compressor = compressor
    self.writer = writer
    self.storingLock = storingLock
    hasSoughtExtents = writer.withLock { writer in contents.lostExtentSlotCount(writer) == 0 }
  }
}

// How a call of the user wins back all that is dead.

extension Compaction {
  /// Lets the log go on in another segment, if the present one holds much that is dead, and makes a checkpoint, so
  /// that no superblock needs what is before.
  mutating func prepareCompacting() throws(SedimentError) {
    try findLostExtents()
    let isWorthIt = try log.withWriter { (writer) throws(SedimentError) in
      _ = try log.freeDeadExtents(&writer)
      writer.noteClocks()
      _ = surveySpace(&writer)
      let segment = writer.tail.segment
      let dead = Int(writer.tail.offset) - Int(segment.start) - segment.counts(writer.permit).liveByteCount
      let isTailWorthIt = dead > Int(segment.end - segment.start) / 4
      if isTailWorthIt { try writer.goOnInAnotherSegment() }
      let expired = writer.ledger.expired(upTo: writer.expiredUpTo(evicting: false))
      return isTailWorthIt || writer.ledger.hasDead || expired.contains { _ in true }
        || writer.ledger.hiddenByteCount > 0
    }
    if isWorthIt { try log.checkpoint(both: true) }
  }

  /// Wins some space of segments of earlier generations; how many slots.
  func compactSome(before next: Generation) throws(SedimentError) -> Int {
    try log.reclaim()
    let emptying = try freeDead()
    let survey = try surveySpace()
    // What was freed takes what is moved next, before the file grows for that.
    let (freed, free) = writer.withLock { writer in (writer.space.freedSlotCount, writer.space.freeCount) }
    if freed > 0, free < 2 * survey.segmentSlotCount { try log.syncAndReclaim() }
    let choice = choose(.everything, survey, before: next)
    if choice.victims.isEmpty { return Int(emptying.freedSlotCount) }
    let gain = Int(max(survey.segmentSlotCount, survey.budget.leastGainSlotCount))
    do throws(SedimentError) {
      return try exchange(
        choice.victims, in: survey, winning: gain, evenForNothing: choice.isForTombstones
      ).won
    } catch  where error.code == .outOfSpace {
      // Where there is no room to move anything, nothing more can be won.
      return 0
    }
  }

  // MARK: What is wholly dead: freed unread, many segments by one small change of the catalogue

  /// What came of freeing the segments that are wholly dead, in slots.
  struct Emptying {
    var freedSlotCount: UInt32 = 0
    /// What a superblock still needs, so that a checkpoint has to come first.
    var neededSlotCount: UInt32 = 0
  }

  /// Frees the dead extents and the segments that are wholly dead, as far as nothing needs them and there is room for
  /// saying so.
  ///
  /// No exchange may be under way: a segment whose survivors the index does not lead to yet looks dead.
  func freeDead() throws(SedimentError) -> Emptying {
    try log.withWriter { (writer) throws(SedimentError) in
      var result = Emptying()
      let before = writer.space.freedSlotCount
      do throws(SedimentError) {
        _ = try log.freeDeadExtents(&writer)
        try freeEmptied(&writer, &result)
      } catch  where error.code == .outOfSpace {}
      result.freedSlotCount = writer.space.freedSlotCount - before
      return result
    }
  }

  private func freeEmptied(_ writer: inout LogWriter, _ result: inout Emptying) throws(SedimentError) {
    var plain: [SegmentIdentity] = []
    var withTombstones: [SegmentEntry] = []
    for entry in writer.emptiedSegments() {
      if writer.ledger.refused.contains(entry.identity.generation) { continue }
      // What it says of large values must outlive these.
      if entry.largeCount > 0, !writer.deadExtents.isEmpty || !hasSoughtExtents { continue }
      if isBlocked(entry, writer) {
        if entry.identity.kind == .hot { result.neededSlotCount += entry.identity.run.count }
      } else if entry.tombstoneCount > 0 {
        withTombstones.append(entry)
      } else {
        plain.append(entry.identity)
      }
    }
    try log.free(plain + droppable(withTombstones, besides: plain, writer), &writer)
  }

  /// Those of some dead segments whose tombstones hide nothing any more once others are freed (invariant 14).
  private func droppable(
    _ entries: [SegmentEntry], besides freed: [SegmentIdentity], _ writer: borrowing LogWriter
  ) -> [SegmentIdentity] {
    if entries.isEmpty { return [] }
    var guardFloor = self.guardFloor(emptying: freed.count, writer)
    for segment in freed { guardFloor.remove(segment.generation) }
    return entries.filter { guardFloor.allowsDropping($0.highest, of: $0.identity.generation) }.map(
      \.identity)
  }
}
