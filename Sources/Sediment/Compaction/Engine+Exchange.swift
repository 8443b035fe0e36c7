internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// How an exchange is carried out (DESIGN.md 8): copy, sync, one change of the catalogue, then tell the index.

extension Engine {
  /// What is known of all segments with records at a moment.
  struct SegmentSurvey {
    /// Those that may become victims.
    var candidates: [CompactionCandidate] = []
    /// Those that stay, because they cannot be read or are left for later; what they hold has to stay hidden.
    var refused: [CompactionCandidate] = []
    /// Where the log ends; it is never a victim.
    var tail: CompactionCandidate
    var liveByteCount = 0
    var sequence: SequenceNumber
    var segmentSlotCount: UInt32
    /// The slots that may be taken without the file growing, the reserve among them.
    var freeSlotCount: UInt32 = 0
    /// What a checkpoint takes.
    var checkpointSlotCount = 0
    /// The slots that the file may still grow by.
    var leftSlotCount: UInt32 = 0
    /// Whether the file may not grow by another segment.
    var isFull = false
    /// The slots with records, and from how many on compaction is due.
    var recordSlotCount: UInt32 = 0
    var budget: SpaceBudget
    /// How many free slots there are for users, and how many there should be.
    var room: (present: UInt32, wanted: UInt32) = (0, 0)

    /// What an exchange should win: little where the file may hardly grow for its survivors.
    var gainSlotCount: UInt32 {
      max(min(budget.gainSlotCount(at: recordSlotCount), leftSlotCount / 8), budget.leastGainSlotCount)
    }

    /// Lets some segments stay as they are.
    mutating func leaveOut(_ isLeftOut: (CompactionCandidate) -> Bool) {
      refused += candidates.filter(isLeftOut)
      candidates.removeAll(where: isLeftOut)
    }

    /// Whether compaction is due.
    var isDue: Bool { recordSlotCount >= budget.dueSlotCount }

    /// All segments with records, by which it is judged what tombstones may hide (invariant 14).
    var all: [CompactionCandidate] { candidates + refused + [tail] }
  }

  /// Looks at all segments.
  func surveySegments() throws(SedimentError) -> SegmentSurvey {
    try lock.withLock { () throws(SedimentError) in surveySegments(try checkWritable()) }
  }

  /// Looks at all segments.
  ///
  /// Under the lock.
  func surveySegments(_ writer: LogWriter) -> SegmentSurvey {
    unsafe writer.catalogue.setTail(writer.tail.pointee.entry)
    let tailGeneration = unsafe writer.tail.pointee.identity.generation
    let segmentSlotCount = writer.segmentSlotCount
    let budget = SpaceBudget(
      liveByteCount: writer.liveByteCount, segmentSlotCount: segmentSlotCount,
      keptSlotCount: writer.keptSlotCount, slackSlotCount: writer.slackSlotCount)
    var survey = SegmentSurvey(
      tail: unsafe candidate(writer.tail.pointee.entry, writer), liveByteCount: writer.liveByteCount,
      sequence: unsafe SequenceNumber(writer.tail.pointee.sequence)!, segmentSlotCount: segmentSlotCount,
      budget: budget)
    let expiredUpTo = writer.expiredUpTo(evicting: false)
    let now = writer.expiredUpTo(evicting: true)
    writer.nextExpiry = .max
    for (generation, entry) in writer.catalogue.segments
    where entry.identity.kind == .hot || entry.identity.kind == .survivors {
      if generation == tailGeneration { continue }
      var candidate = candidate(entry, writer)
      if entry.latestExpiry != 0 {
        candidate.isExpired = entry.latestExpiry <= expiredUpTo
        candidate.mayBeExpired = entry.latestExpiry <= now
        if candidate.isExpired {
          candidate.liveByteCount = 0
        } else {
          writer.nextExpiry = min(writer.nextExpiry, entry.latestExpiry)
        }
      }
      if refusedVictims.contains(generation) {
        survey.refused.append(candidate)
        continue
      }
      survey.candidates.append(candidate)
    }
    survey.checkpointSlotCount = Int(writer.checkpointSlotCount)
    survey.freeSlotCount = writer.space.freeCount + writer.space.bareCount
    survey.recordSlotCount = writer.recordSlotCount
    let left = survey.freeSlotCount &+ writer.slotCountLeft
    survey.leftSlotCount = writer.slotCountLeft
    survey.isFull = writer.slotCountLeft < segmentSlotCount
    let reserved = writer.space.reservedCount
    survey.room = (left > reserved ? left - reserved : 0, writer.wantedRoom)
    writer.dueSlotCount = budget.dueSlotCount
    writer.setWantedFreeCount()
    return survey
  }

  private func candidate(_ entry: SegmentEntry, _ writer: LogWriter) -> CompactionCandidate {
    let segment = slots.segment(at: UInt64(entry.identity.run.first))
    let putCount = Int(entry.recordCount) - Int(entry.tombstoneCount)
    let generation = entry.identity.generation
    return CompactionCandidate(
      generation: generation, slotCount: entry.identity.run.count,
      liveByteCount: segment?.liveByteCount ?? 0,
      supersededCount: max(putCount - (segment?.liveCount ?? 0), 0),
      tombstoneCount: Int(entry.tombstoneCount), floor: entry.floor, highest: entry.highest,
      isBlocked: isBlocked(entry, writer))
  }

  // MARK: An exchange

  /// Empties segments, the first of them first, until so many slots are won; how many were.
  ///
  /// Free slots may lie so scattered that there is no room for a record of several: the segment that holds it stays as
  /// it is then. `evenForNothing` says that the first is worth emptying though that wins nothing: it holds up others, or
  /// lies where the file should end. Survivors go before `limit`, if there is one. With the lock of maintenance.
  func exchange(
    _ victims: [Generation], in survey: SegmentSurvey, evicting: Bool, winning gain: Int,
    keepingAtMost byteCountMax: Int, evenForNothing: Bool = false, before limit: UInt32? = nil
  ) throws(SedimentError) -> Int {
    let terms = try lock.withLock { () throws(SedimentError) in
      let writer = try checkWritable()
      return unsafe Exchange.Terms(
        floor: SequenceNumber(writer.tail.pointee.sequence)!,
        expiredUpTo: writer.expiredUpTo(evicting: evicting), evicts: evicting, byteCountMax: byteCountMax,
        evictedSlotCount: max(gain, Int(survey.room.wanted)))
    }
    return try exchange(victims, terms, in: survey, winning: gain, evenForNothing, before: limit).won
  }

  /// The same on terms of the caller's; the result tells, too, whether a key was removed.
  func exchange(
    _ victims: [Generation], _ terms: Exchange.Terms, in survey: SegmentSurvey, winning gain: Int,
    _ evenForNothing: Bool, before limit: UInt32? = nil
  ) throws(SedimentError) -> (won: Int, hasRemoved: Bool) {
    guard let writer else { throw .readOnly(path) }
    let entries = lock.withLock { victims.compactMap { writer.catalogue.segments[$0] } }
    var left = entries
    while true {
      let exchange = Exchange(
        self, terms, among: survey.all, segmentSlotCount: survey.segmentSlotCount
      ) { [self] (count, least) throws(SedimentError) in try takeForSurvivors(count, least, before: limit) }
      do throws(SedimentError) {
        let won = try carryOut(
          exchange, of: left, writer, winning: gain, evenForNothing && left.first == entries.first)
        return (won, exchange.hasRemoved)
      } catch {
        guard let unplaced = exchange.unplaced, entries.count - left.count < Self.unplacedCountMax else {
          throw error
        }
        left.removeAll { $0.identity.generation == unplaced }
      }
    }
  }

  /// So many segments that cannot be emptied are passed over in one search.
  private static var unplacedCountMax: Int { 64 }

  private func carryOut(
    _ exchange: Exchange, of entries: [SegmentEntry], _ writer: LogWriter, winning gain: Int,
    _ isForNothing: Bool
  ) throws(SedimentError) -> Int {
    do throws(SedimentError) {
      try copy(entries, exchange, winning: gain)
      guard exchange.wonSlotCount > 0 || isForNothing else {
        giveUp(exchange)
        return 0
      }
      try adopt(exchange, writer)
    } catch {
      if exchange.change == nil { giveUp(exchange) }
      throw error
    }
    for segment in exchange.written { swing(segment, exchange, writer) }
    forgetUnread(exchange, writer)
    forget(exchange, writer)
    release(exchange, writer)
    return max(exchange.wonSlotCount, isForNothing ? 1 : 0)
  }

  /// Lets everything stay as it was.
  private func giveUp(_ exchange: Exchange) {
    for segment in exchange.written {
      unsafe segment.segment.address.deallocate()
      giveBackUnadopted(segment.entry.identity.run)
    }
    lock.withLock { writer?.noteDead(exchange.supersededExtents) }
  }

  private func copy(
    _ entries: [SegmentEntry], _ exchange: Exchange, winning gain: Int
  ) throws(SedimentError) {
    let buffer = ScanBuffer()
    for entry in entries {
      guard let end = entry.end else { continue }
      let live = lock.withLock { slots.segment(at: UInt64(entry.identity.run.first))?.liveByteCount ?? 0 }
      // Without eviction what is live is kept, and must have room.
      if !exchange.terms.evicts, exchange.keptByteCount + live > exchange.terms.byteCountMax { continue }
      exchange.begin(entry)
      if canFreeUnread(entry, exchange) {
        if exchange.wonSlotCount >= gain { break }
        continue
      }
      let scan = SegmentScan(entry, upTo: end, of: log.file, log.identity)
      var visitor = VictimScan(self, exchange, entry.identity.generation)
      do throws(SedimentError) {
        _ = try scan.run(buffer, &visitor)
      } catch {
        throw refuse(entry, after: error)
      }
      // A few more, if their records fill up what would be wasted of a slot.
      let isEnough = !exchange.wastesSlot || exchange.victims.count >= Self.victimCountToFill
      if exchange.wonSlotCount >= gain, isEnough { break }
    }
    try exchange.flush()
  }

  /// Lets a segment that cannot be read stay as it is, so that the others can be emptied all the same; the result is
  /// the error as the caller is told of it.
  func refuse(_ entry: SegmentEntry, after error: SedimentError) -> SedimentError {
    let error = error.systemError.map(told) ?? error
    if error.code == .damaged || error.systemError?.operation == .read {
      lock.withLock { _ = refusedVictims.insert(entry.identity.generation) }
    }
    return error
  }

  /// So many victims at most are taken to fill the survivors' last slot.
  private static var victimCountToFill: Int { 12 }

  private func takeForSurvivors(
    _ count: UInt32, _ least: UInt32, before limit: UInt32?
  ) throws(SedimentError) -> SegmentIdentity {
    try lock.withLock { () throws(SedimentError) in
      let writer = try checkWritable()
      let run: SlotRun
      if let limit {
        guard let low = try writer.takeLowRun(upTo: count, atLeast: least, before: limit) else {
          throw .capReached(path, SlotSpace.byteCount(of: limit))
        }
        run = low
      } else {
        run = try writer.takeRun(upTo: count, atLeast: least, for: .goingOn)
      }
      return try writer.makeUnadopted(.survivors, of: run)
    }
  }

  /// Gives back slots to which nothing was ever to lead.
  func giveBackUnadopted(_ run: SlotRun) {
    lock.withLock { writer?.giveBack(unadopted: run) }
  }

  /// Appends the change that adopts the survivors and frees the victims.
  private func adopt(_ exchange: Exchange, _ writer: LogWriter) throws(SedimentError) {
    try lock.withLock { () throws(SedimentError) in
      let writer = try checkWritable()
      let extents = writer.extentsToFree(with: exchange.supersededExtents + exchange.leftOutExtents)
      let freed = exchange.victims.map(\.identity) + extents
      let entries =
        exchange.written.map { CatalogueEntry.segment($0.entry) }
        + freed.map { CatalogueEntry.freed(slot: $0.run.first, generation: $0.generation) }
        + exchange.written.flatMap { movedDictionaries($0, exchange, writer) }
      if entries.isEmpty { return }
      let sequence = try change(entries, for: .goingOn, writer)
      exchange.change = (sequence, freed)
      for segment in exchange.written {
        let identity = segment.entry.identity
        slots.add(segment.segment, identity.run)
        writer.unadoptedSlotCount -= identity.run.count
        writer.movedByteCount &+= UInt64(segment.byteCount)
        adoptions[identity.generation] = sequence
      }
      writer.noteFreed(extents: extents)
      writer.space.reserve = writer.reserve
    }
  }
}
