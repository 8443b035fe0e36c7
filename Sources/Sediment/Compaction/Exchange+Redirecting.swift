internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// How the index follows an exchange: entry by entry, each only if it is still as it was (invariant 15).

extension Exchange {
  /// Lets the index lead to survivors instead of the places that they were copied from.
  func redirect(to segment: SurvivorSegment) {
    // Counting references to it for each record would take it away from those who read.
    let slots = slots
    changeEntries(of: buffer.survivors[segment.survivors], hash: \.hash) { survivor, view, writer in
      if survivor.kind != .remove { move(survivor, to: segment, view, slots, &writer) }
    }
    // All of its records may have been replaced meanwhile, or be tombstones.
    writer.withLock { writer in writer.noteWhole(segment.entry, segment.segment) }
  }

  /// Takes out of the index what was left out.
  func forget() {
    changeEntries(of: leftOut[...], hash: \.hash) { leftOut, view, writer in forget(leftOut, view, &writer) }
  }

  /// Calls `body` for each record with the lock, which is given up again and again, after its bucket was fetched.
  private func changeEntries<Record>(
    of records: ArraySlice<Record>, hash: (Record) -> UInt64,
    _ body: (Record, IndexView, inout LogWriter) -> Void
  ) {
    for start in stride(from: records.startIndex, to: records.endIndex, by: Self.redirectedCount) {
      let group = records[start..<min(start + Self.redirectedCount, records.endIndex)]
      Readers.enter(domain)
      let view = index.view
      for record in group { view.prefetch(hash(record)) }
      Readers.leave()
      writer.withLock { writer in
        let view = index.view
        for record in group { body(record, view, &writer) }
      }
    }
  }

  /// How many entries change while the lock is held once.
  private static var redirectedCount: Int { 64 }

  private func move(
    _ survivor: Survivor, to segment: SurvivorSegment, _ view: IndexView, _ slots: SlotTable,
    _ writer: inout LogWriter
  ) {
    let position = segment.position(of: survivor)
    guard let hash = hash(survivor.hash, of: position, from: survivor.oldPosition, view),
      let (probe, _) = view.find(hash, at: survivor.oldPosition)
    else { return }
    // A record that was read lately and passed over by eviction has to be read again to be passed over once more.
    index.replace(probe, position: position, keepingReference: !terms.evicts, writer.permit)
    if let old = slots.segment(at: survivor.oldPosition / Limits.slotUnitCount) {
      writer.noteDead(old, byteCount: Int(survivor.oldByteCount))
    }
    writer.liveByteCount += Int(survivor.byteCount)
    let counts = segment.segment.counts(writer.permit)
    counts.liveByteCount += Int(survivor.byteCount)
    counts.liveCount += 1
  }

  /// The hash of a key in a view, made anew if the index has got another seed since the exchange began.
  ///
  /// Where the record cannot be read at its position, the index itself knows the hash of what it leads to.
  private func hash(
    _ hash: UInt64, of position: UInt64, from oldPosition: UInt64, _ view: IndexView
  ) -> UInt64? {
    if keyHashes.count == 1, keyHashes[0] == view.keyHash { return hash }
    guard let found = try? reader.record(at: position << 3) else { return view.hash(ofEntryAt: oldPosition) }
    defer { found.release() }
    return view.hash(unsafe RawSpan(_unsafeBytes: found.view.key), collection: found.view.collection)
  }

  private func forget(_ leftOut: LeftOut, _ view: IndexView, _ writer: inout LogWriter) {
    guard let hash = hash(leftOut.hash, of: leftOut.position, from: leftOut.position, view),
      let (probe, _) = view.find(hash, at: leftOut.position)
    else { return }
    index.remove(probe, writer.permit)
    if let segment = slots.segment(at: leftOut.position / Limits.slotUnitCount) {
      writer.noteDead(segment, byteCount: leftOut.byteCount)
    }
    switch leftOut.reason {
    case .cleared: return
    case .removed: hasRemoved = true
    case .evicted: writer.catalogue.numbers.totals.evictedCount &+= 1
    case .expired: writer.catalogue.numbers.totals.expiredCount &+= 1
    }
    guard let state = collections.numbered(leftOut.collection), state.counts(leftOut.sequence) else {
      return
    }
    state.count(-1, expiring: leftOut.expires, writer.permit)
    state.countExtents(-leftOut.extentSlotCount, writer.permit)
  }

  /// Lets the slots of what an exchange has freed come back, once nothing can lead there any more.
  func release() {
    guard let (sequence, freed) = change else { return }
    writer.withLock { writer in writer.free(freed, by: sequence) }
  }
}
