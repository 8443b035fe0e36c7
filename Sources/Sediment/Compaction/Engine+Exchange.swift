internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// How an exchange is carried out (DESIGN.md 8): copy, append one change of the catalogue, redirect the index.

extension Engine {
  /// Empties segments, the first of them first, until so many slots are won; how many were.
  ///
  /// Free slots may lie so scattered that there is no room for a record of several: its value is stored anew in slots as
  /// they lie, or the segment that holds it stays as it is. `evenForNothing` says that the first is worth emptying though
  /// that wins nothing, since it holds up others; with a `limit`, which survivors go before, all are, since they lie where
  /// the file should end. With the lock of maintenance.
  func exchange(
    _ victims: [Generation], in survey: SpaceSurvey, evicting: Bool, winning gain: Int,
    keepingAtMost byteCountMax: Int, evenForNothing: Bool = false, before limit: UInt32? = nil
  ) throws(SedimentError) -> Int {
    let terms = try withWriter { (writer) throws(SedimentError) in
      return Exchange.Terms(
        floor: SequenceNumber(writer.tail.sequence)!,
        expiredUpTo: writer.expiredUpTo(evicting: evicting), evicts: evicting, byteCountMax: byteCountMax,
        evictedSlotCount: max(gain, Int(survey.room.wanted)))
    }
    return try exchange(victims, terms, in: survey, winning: gain, evenForNothing, before: limit).won
  }

  /// The same on terms of the caller's; the result tells, too, whether a key was removed.
  func exchange(
    _ victims: [Generation], _ terms: Exchange.Terms, in survey: SpaceSurvey, winning gain: Int,
    _ evenForNothing: Bool, before limit: UInt32? = nil
  ) throws(SedimentError) -> (won: Int, hasRemoved: Bool) {
    guard let writer else { throw .readOnly(path) }
    let entries = writer.withLock { writer in victims.compactMap { writer.catalogue.segments[$0] } }
    var left = entries
    var unplacedCount = 0
    while true {
      let guardFloor = writer.withLock { writer in self.guardFloor(emptying: victims.count, writer) }
      let exchange = Exchange(
        self, terms, guardFloor, segmentSlotCount: survey.segmentSlotCount
      ) { [self] (count, least, reservation: inout Reservation) throws(SedimentError) in
        try takeForSurvivors(count, least, before: limit, &reservation)
      }
      do throws(SedimentError) {
        let won = try carryOut(
          exchange, of: left, writer, winning: gain,
          evenForNothing && (limit != nil || left.first == entries.first))
        return (won, exchange.hasRemoved)
      } catch {
        guard error.code == .outOfSpace, exchange.change == nil else { throw error }
        if let unplaced = exchange.unplaced {
          unplacedCount += 1
          if unplacedCount > Self.unplacedCountMax { throw error }
          if try hasScattered(unplaced.position, before: limit) { continue }
          left.removeAll { $0.identity.generation == unplaced.victim }
        } else if exchange.victims.count > 1, left.count > 1 {
          // The last of them have taken the room that the first need: fewer may win as well.
          left.removeLast(left.count - max(min(exchange.victims.count, left.count) / 2, 1))
        } else {
          throw error
        }
      }
    }
  }

  /// So many records that cannot be moved are dealt with in one search.
  private static var unplacedCountMax: Int { 64 }

  /// Whether the value of a record was stored anew in scattered slots; false if there are not even so many, or if it
  /// cannot be read.
  private func hasScattered(_ position: UInt64, before limit: UInt32?) throws(SedimentError) -> Bool {
    do throws(SedimentError) {
      return try scatter(at: position, before: limit)
    } catch  where error.code == .outOfSpace || error.isOfReading {
      return false
    }
  }

  private func carryOut(
    _ exchange: Exchange, of entries: [SegmentEntry], _ writer: Locked<LogWriter>, winning gain: Int,
    _ isForNothing: Bool
  ) throws(SedimentError) -> Int {
    let clearingCount = writer.withLock { writer in writer.plans.clearingCount }
    do throws(SedimentError) {
      try copy(entries, exchange, winning: gain, writer)
      guard exchange.wonSlotCount > 0 || isForNothing else {
        giveUp(exchange, writer)
        writer.withLock { writer in
          for victim in exchange.victims { writer.ledger.noteNothingExpired(victim.identity.generation) }
        }
        return 0
      }
      try adopt(exchange)
    } catch {
      if exchange.change == nil { giveUp(exchange, writer) }
      throw error
    }
    for segment in exchange.written { swing(segment, exchange, writer) }
    // A sweep that went on meanwhile does not find at its old place what was moved.
    writer.withLock { writer in if writer.plans.clearingCount != clearingCount { planSweep(&writer) } }
    forgetUnread(exchange, writer)
    forget(exchange, writer)
    release(exchange, writer)
    return max(exchange.wonSlotCount, isForNothing ? 1 : 0)
  }

  /// Lets everything stay as it was.
  private func giveUp(_ exchange: Exchange, _ writer: Locked<LogWriter>) {
    for segment in exchange.written { unsafe segment.segment.address.deallocate() }
    exchange.reservation.giveBack()
    writer.withLock { writer in writer.noteDead(exchange.supersededExtents) }
  }

  private func copy(
    _ entries: [SegmentEntry], _ exchange: Exchange, winning gain: Int, _ writer: Locked<LogWriter>
  ) throws(SedimentError) {
    let buffer = ScanBuffer()
    for entry in entries {
      guard let end = entry.end else { continue }
      // Without eviction what has to stay must find room.
      if !exchange.terms.evicts,
        exchange.keptByteCount + byteCountToKeep(of: entry, exchange, writer) > exchange.terms.byteCountMax
      {
        continue
      }
      exchange.begin(entry)
      if canFreeUnread(entry, exchange, writer) {
        if exchange.wonSlotCount >= gain { break }
        continue
      }
      let scan = SegmentScan(entry, upTo: end, of: log.file, log.identity)
      var visitor = VictimScan(self, exchange, entry.identity.generation)
      do throws(SedimentError) {
        _ = try scan.run(buffer, &visitor)
      } catch {
        throw refuse(entry, after: error, writer)
      }
      let tombstoneByteCount = exchange.tombstoneByteCount
      writer.withLock { writer in
        writer.ledger.note(tombstoneByteCount: tombstoneByteCount, of: entry.identity.generation)
      }
      // A few more, if their records fill up what would be wasted of a slot.
      let isEnough = !exchange.wastesSlot || exchange.victims.count >= Self.victimCountToFill
      if exchange.wonSlotCount >= gain, isEnough { break }
    }
    try exchange.flush()
  }

  /// The bytes of a segment that will have to be copied, as far as that is known before it is read.
  private func byteCountToKeep(
    of entry: SegmentEntry, _ exchange: Exchange, _ writer: Locked<LogWriter>
  ) -> Int {
    writer.withLock { writer in
      let candidate = writer.ledger.candidate(entry.identity.generation)
      return candidate?.keptByteCount(withTombstones: !exchange.needsNoTombstones(of: entry)) ?? 0
    }
  }

  /// Lets a segment that cannot be read stay as it is, so that the others can be emptied all the same; the result is
  /// the error as the caller is told of it.
  func refuse(
    _ entry: SegmentEntry, after error: SedimentError, _ writer: Locked<LogWriter>
  ) -> SedimentError {
    let error = told(error)
    if error.isOfReading {
      writer.withLock { writer in
        writer.refusedVictims.insert(entry.identity.generation)
        writer.ledger.refuse(entry.identity.generation)
      }
    }
    return error
  }

  /// So many victims at most are taken to fill the survivors' last slot.
  private static var victimCountToFill: Int { 12 }

  private func takeForSurvivors(
    _ count: UInt32, _ least: UInt32, before limit: UInt32?, _ reservation: inout Reservation
  ) throws(SedimentError) -> SegmentIdentity {
    try withWriter { (writer) throws(SedimentError) in
      let run: SlotRun
      if let limit {
        guard let low = try writer.takeLowRun(upTo: count, atLeast: least, before: limit) else {
          throw .capReached(path, SlotSpace.byteCount(of: limit))
        }
        run = low
      } else {
        run = try writer.takeRun(upTo: count, atLeast: least, for: .goingOn)
      }
      return try writer.reserve(.survivors, run, &reservation)
    }
  }

  /// Appends the change that adopts the survivors and frees the victims.
  private func adopt(_ exchange: Exchange) throws(SedimentError) {
    try withWriter { (writer) throws(SedimentError) in
      let extents = writer.extentsToFree(with: exchange.supersededExtents + exchange.leftOutExtents)
      let freed = exchange.victims.map(\.identity) + extents
      let entries =
        exchange.written.map { CatalogueEntry.segment($0.entry) }
        + freed.map { CatalogueEntry.freed(slot: $0.run.first, generation: $0.generation) }
        + exchange.written.flatMap { movedDictionaries($0, exchange, writer) }
      if entries.isEmpty { return }
      let sequence = try change(entries, for: .goingOn, &writer)
      exchange.change = (sequence, freed)
      for segment in exchange.written {
        let identity = segment.entry.identity
        slots.add(segment.segment, identity.run, writer.permit)
        writer.adopt(identity, from: &exchange.reservation)
        writer.movedByteCount &+= UInt64(segment.byteCount)
        writer.adoptions[identity.generation] = sequence
      }
      writer.noteFreed(extents: extents)
      writer.space.reserve = writer.reserve
    }
  }
}
