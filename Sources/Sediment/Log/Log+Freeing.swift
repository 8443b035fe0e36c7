internal import SedimentDisk
internal import SedimentFormat

// How segments are freed, and their slots come back.

extension Log {
  /// Frees segments, many by one change of the catalogue, and lets their slots come back once that is on the disk.
  ///
  /// The index leads nowhere into them. What was freed before a change found no room stays freed.
  func free(_ identities: [SegmentIdentity], _ writer: inout LogWriter) throws(SedimentError) {
    var rest = identities[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.freedCountMax)
      rest = rest.dropFirst(part.count)
      let entries = part.map { CatalogueEntry.freed(slot: $0.run.first, generation: $0.generation) }
      let sequence = try change(entries, for: .goingOn, &writer)
      writer.free(part, by: sequence)
      writer.noteFreed(extents: part.filter { $0.kind == .extent })
    }
  }

  /// At most so many segments are freed by one change, which then fits into the record of one slot.
  static var freedCountMax: Int { 900 }

  /// Frees the extents of values that were replaced or removed; whether there were any.
  func freeDeadExtents(_ writer: inout LogWriter) throws(SedimentError) -> Bool {
    let dead = writer.orderedDeadExtents
    try free(dead, &writer)
    return !dead.isEmpty
  }

  /// Makes what was freed durable, so that it comes back unless somebody reads there; whether anything did.
  @discardableResult
  func syncAndReclaim() throws(SedimentError) -> Bool {
    guard let writer else { return false }
    let last = writer.withLock { writer in writer.space.freedRuns.map(\.sequence).max() ?? 0 }
    if last > gate.syncedSequence { try waitForSync(last) }
    return try reclaim()
  }

  /// Finds out what keeps freed slots from coming back whose freeing is durable.
  ///
  /// From now on `holdEnds` tells when a hold on them ends; the end of a backup's part is told there as well.
  func watchFreedSlots() -> FreedSlots {
    guard let writer else { return FreedSlots() }
    let endCount = reader.holdEnds.count
    let (past, areInScopes, slotCountInBackups) = writer.withLock { writer -> ([FreedRun], Bool, UInt32) in
      let inBackups = writer.space.freedSlotCountInBackups
      let waiting = writer.space.runsWaitingForReaders(syncedSequence: gate.syncedSequence)
      if waiting.isEmpty { return ([], false, inBackups) }
      let oldestEpoch = Readers.oldestEpoch(in: domain)
      let past = waiting.filter { $0.tag < oldestEpoch }
      return (past, past.count < waiting.count, inBackups)
    }
    var freed = FreedSlots(areInScopes: areInScopes, areHeldByOthers: slotCountInBackups > 0)
    var heldSlotCount = slotCountInBackups
    for run in past.map(\.run) {
      switch reader.holdEnds.watch(run) {
      case .none: freed.canComeBack = true
      case .onlyThisThread: heldSlotCount += run.count
      case .others:
        heldSlotCount += run.count
        freed.areHeldByOthers = true
      }
    }
    if heldSlotCount > 0 { freed.held = HeldSlots(heldSlotCount, reader.holdEnds, endCount: endCount) }
    return freed
  }

  /// Whether freed slots wait for scopes of readers, which last for some microseconds: whatever else were freed now, these
  /// scopes would keep it as well.
  func areFreedSlotsInScopes() -> Bool {
    writer?.withLock { writer in
      let waiting = writer.space.runsWaitingForReaders(syncedSequence: gate.syncedSequence)
      if waiting.isEmpty { return false }
      let oldestEpoch = Readers.oldestEpoch(in: domain)
      return waiting.contains { $0.tag >= oldestEpoch }
    } ?? false
  }

  /// Gives back what is free at last; whether anything was.
  ///
  /// `sequence` is up to where the log is known to be on the medium, if that is more than the gate knows yet. Writers go
  /// on while the headers lose their magic, so that nobody who walks the slots takes them for segments.
  @discardableResult
  func reclaim(syncedUpTo sequence: UInt64? = nil) throws(SedimentError) -> Bool {
    guard let writer else { return false }
    let sequence = sequence ?? gate.syncedSequence
    // What comes back is in nobody's list meanwhile, and others wait rather than believe that there is nothing.
    reclaimLock.lock()
    defer { reclaimLock.unlock() }
    var isErasing = false
    var released = try writer.withLock { (writer) throws(SedimentError) -> [FreedRun] in
      // Closed, the file is another's, or about to be.
      if writer.space.freedRuns.isEmpty || lifetime.isClosed { return [] }
      isErasing = writer.space.isErasing
      if let poison = writer.poison { throw poison }
      writer.adoptions = writer.adoptions.filter { $0.value > sequence }
      return writer.takeReclaimable(
        syncedSequence: sequence, oldestEpoch: Readers.oldestEpoch(in: domain),
        heldSlots: Readers.heldSlots(in: domain))
    }
    if released.isEmpty { return false }
    do throws(SedimentError) {
      for place in released.indices {
        let run = released[place].run
        if isErasing { released[place].isBare = try !overwrite(run.first..<run.end) }
        try takeMagic(of: run)
      }
    } catch {
      if lifetime.isClosed { return false }
      throw writer.withLock { writer in writer.fail(error) }
    }
    writer.withLock { writer in writer.space.reclaim(released) }
    return true
  }

  /// Lets nobody who walks the slots take what was freed for a segment.
  private func takeMagic(of run: SlotRun) throws(SedimentError) {
    do throws(SedimentError) {
      try volume.file.write([UInt8](repeating: 0, count: 8), at: run.byteRange.lowerBound)
    } catch  where error.code == .outOfSpace {
      // Its blocks are those of a copy, too, and the disk has none for it alone. Recovery goes by the catalogue.
    }
  }
}
