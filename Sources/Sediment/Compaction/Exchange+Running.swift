internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// How an exchange is carried out (DESIGN.md 8): copy, append one change of the catalogue, redirect the index.

extension Exchange {
  /// Empties segments, the first of them first, until so many slots are won; how many were.
  ///
  /// With `isForNothing` it is carried out though it wins nothing, which counts as one slot.
  func run(
    _ entries: [SegmentEntry], winning gain: Int, _ isForNothing: Bool
  ) throws(SedimentError) -> Int {
    writer.withLock { writer in writer.plans.collectionsClearedInExchange = .none }
    do throws(SedimentError) {
      try copy(entries, winning: gain)
      guard wonSlotCount > 0 || isForNothing else {
        giveUp()
        writer.withLock { writer in
          for victim in victims { writer.ledger.noteNothingExpired(victim.identity.generation) }
        }
        return 0
      }
      try adopt()
    } catch {
      if change == nil { giveUp() }
      throw error
    }
    for segment in written { redirect(to: segment) }
    // A sweep that went on meanwhile does not find at its old place what was moved.
    writer.withLock { writer in
      let cleared = writer.plans.collectionsClearedInExchange
      if !cleared.isEmpty { background.planSweep(of: cleared, &writer) }
    }
    forget()
    release()
    return max(wonSlotCount, isForNothing ? 1 : 0)
  }

  /// Lets everything stay as it was.
  private func giveUp() {
    for segment in written { unsafe segment.segment.address.deallocate() }
    reservation.giveBack()
    writer.withLock { writer in writer.noteDead(supersededExtents) }
  }

  private func copy(_ entries: [SegmentEntry], winning gain: Int) throws(SedimentError) {
    for entry in entries {
      guard let end = entry.end else { continue }
      // Without eviction what has to stay must find room.
      if !terms.evicts, keptByteCount + byteCountToKeep(of: entry) > terms.byteCountMax { continue }
      begin(entry)
      var visitor = self
      try contents.scan(entry, upTo: end, memory.scan, &visitor)
      let tombstoneByteCount = tombstoneByteCount
      writer.withLock { writer in
        writer.ledger.note(tombstoneByteCount: tombstoneByteCount, of: entry.identity.generation)
      }
      // A few more, if their records fill up what would be wasted of a slot.
      let isEnough = !wastesSlot || victims.count >= Self.victimCountToFill
      if wonSlotCount >= gain, isEnough { break }
    }
    try flush()
  }

  /// The bytes of a segment that will have to be copied, as far as that is known before it is read.
  private func byteCountToKeep(of entry: SegmentEntry) -> Int {
    writer.withLock { writer in
      writer.ledger.candidate(entry.identity.generation)?.keptByteCount(guardFloor) ?? 0
    }
  }

  /// So many victims at most are taken to fill the survivors' last slot.
  private static var victimCountToFill: Int { 12 }

  /// Appends the change that adopts the survivors and frees the victims.
  private func adopt() throws(SedimentError) {
    try log.withWriter { (writer) throws(SedimentError) in
      let extents = writer.extentsToFree(with: supersededExtents + leftOutExtents)
      let freed = victims.map(\.identity) + extents
      let entries =
        written.map { CatalogueEntry.segment($0.entry) }
        + freed.map { CatalogueEntry.freed(slot: $0.run.first, generation: $0.generation) }
        + written.flatMap { movedDictionaries($0, writer) }
      if entries.isEmpty { return }
      let sequence = try log.change(entries, for: .goingOn, &writer)
      change = (sequence, freed)
      for segment in written {
        let identity = segment.entry.identity
        slots.add(segment.segment, identity.run, writer.permit)
        writer.space.adopt(identity.run, from: &reservation)
        writer.catalogue.numbers.totals.movedByteCount &+= UInt64(segment.byteCount)
        writer.adoptions[identity.generation] = sequence
      }
      writer.noteFreed(extents: extents)
      writer.space.reserve = writer.reserve
    }
  }

  /// What the catalogue is told of dictionaries that were moved to a segment.
  private func movedDictionaries(
    _ segment: SurvivorSegment, _ writer: borrowing LogWriter
  ) -> [CatalogueEntry] {
    if dictionaryNumbers.isEmpty { return [] }
    return buffer.survivors[segment.survivors].flatMap { survivor -> [CatalogueEntry] in
      guard let number = dictionaryNumbers[survivor.oldPosition],
        let entry = writer.catalogue.dictionaries[number],
        entry.offset.rawValue == survivor.oldPosition,
        let offset = UnitOffset(segment.position(of: survivor)),
        let moved = DictionaryEntry(
          number: number, collection: entry.collection, checksum: entry.checksum, offset: offset)
      else { return [] }
      return [.dictionaryGone(number: number), .dictionary(moved)]
    }
  }
}
