internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// How the index follows an exchange: entry by entry, each only if it is still as it was (invariant 15).

extension Exchange {
  /// How many entries change while the lock is held once.
  private static var redirectedCount: Int { 64 }

  /// Lets the index lead to survivors instead of the places that they were copied from.
  func redirect(to segment: SurvivorSegment) {
    let survivors = segment.survivors
    var start = 0
    while start < survivors.count {
      let group = start..<min(start + Self.redirectedCount, survivors.count)
      start = group.upperBound
      prefetch(group.lazy.map { survivors[$0].hash })
      writer.withLock { writer in
        let view = index.view
        for number in group where survivors[number].oldPosition != 0 {
          move(survivors[number], to: segment, view, &writer)
        }
      }
    }
    // All of its records may have been replaced meanwhile, or be tombstones.
    writer.withLock { writer in writer.noteWhole(segment.entry, segment.segment) }
  }

  private func prefetch(_ hashes: some Sequence<UInt64>) {
    Readers.enter(domain)
    let view = index.view
    for hash in hashes { view.prefetch(hash) }
    Readers.leave()
  }

  private func move(
    _ survivor: Survivor, to segment: SurvivorSegment, _ view: IndexView,
    _ writer: inout LogWriter
  ) {
    let position = segment.position(of: survivor)
    guard let hash = hash(survivor.hash, of: position, from: survivor.oldPosition, view),
      let (probe, _) = view.find(hash, at: survivor.oldPosition)
    else { return }
    // A record that was read lately and passed over by eviction has to be read again to be passed over once more.
    index.replace(probe, position: position, keepingReference: !terms.evicts, writer.permit)
    if let old = slots.segment(at: survivor.oldPosition / Limits.slotUnitCount) {
      writer.noteDead(old, byteCount: survivor.oldByteCount)
    }
    writer.liveByteCount += survivor.byteCount
    let counts = segment.segment.counts(writer.permit)
    counts.liveByteCount += survivor.byteCount
    counts.liveCount += 1
  }

  /// The hash of a key in a view, made anew if the index has got another seed since the exchange began.
  ///
  /// Where the record cannot be read at its position, the index itself knows the hash of what it leads to.
  private func hash(
    _ hash: UInt64, of position: UInt64, from oldPosition: UInt64, _ view: IndexView
  ) -> UInt64? {
    if keyHash == view.keyHash { return hash }
    guard let found = try? reader.record(at: position << 3) else { return view.hash(ofEntryAt: oldPosition) }
    defer { found.release() }
    return view.hash(unsafe RawSpan(_unsafeBytes: found.view.key), collection: found.view.collection)
  }

  /// Takes out of the index what was left out.
  func forget() {
    var rest = leftOut[...]
    while !rest.isEmpty {
      let group = rest.prefix(Self.redirectedCount)
      rest = rest.dropFirst(Self.redirectedCount)
      prefetch(group.lazy.map(\.hash))
      writer.withLock { writer in
        let view = index.view
        for leftOut in group { forget(leftOut, view, &writer) }
      }
    }
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
    case .evicted: writer.evictedCount &+= 1
    case .expired: writer.expiredCount &+= 1
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
    let tag = Readers.advance()
    writer.withLock { writer in
      for identity in freed {
        writer.release(identity.run, identity.generation, freedBy: sequence, tag: tag)
      }
    }
  }
}
