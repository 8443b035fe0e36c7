internal import SedimentFormat
internal import Synchronization

// How the index and readers are told of a batch.

extension Changes {
  /// So many changes ahead what the index has of a key is brought near.
  private static var changeCountAhead: Int { 16 }

  /// Tells the index all changes of a batch, whose records are in the accounts of bytes already.
  func tellIndex(_ changes: BatchChanges, _ batch: BatchMembers, _ writer: inout LogWriter) {
    for number in 0..<min(Self.changeCountAhead, changes.count) { index.view.prefetch(changes[number].hash) }
    // Taken anew only where the collection changes: counting references costs more than what is done with them.
    var (state, stateNumber) = (batch.states[0], UInt32(0))
    for number in 0..<changes.count {
      let ahead = number &+ Self.changeCountAhead
      if ahead < changes.count { index.view.prefetch(changes[ahead].hash) }
      let change = changes[number]
      let member = batch.members[change.number]
      if member.stateNumber != stateNumber {
        (state, stateNumber) = (batch.state(of: member), member.stateNumber)
      }
      tellIndex(change, member, state, &writer)
    }
    for number in changes.largeOld.keys.sorted() {
      let state = batch.state(of: batch.members[changes[number].number])
      let wasCounted = state.counts(changes[number].old?.sequence ?? 0)
      contents.noteDeadExtents(changes.largeOld[number], of: wasCounted ? state : nil, &writer)
    }
  }

  @inline(__always)
  private func tellIndex(
    _ change: BatchChanges.Change, _ member: BatchMembers.Member, _ state: CollectionState,
    _ writer: inout LogWriter
  ) {
    var probe = index.view.probe(change.hash)
    if let old = change.old {
      // The entry that leads to the old record, which nobody moved meanwhile.
      while let entry = probe.next(), entry.position << 3 != old.position {}
      contents.forget(old, state, &writer)
    }
    let position = change.after >> 3
    switch (member.kind == .remove, change.old != nil) {
    case (true, true): index.remove(probe, writer.permit)
    case (true, false): return
    case (false, true): index.replace(probe, position: position, writer.permit)
    case (false, false): index.insert(change.hash, position: position, writer.permit)
    }
    if member.kind != .remove {
      state.count(1, expiring: member.expiry != 0, writer.permit)
    }
  }

  /// Takes the records out of the accounts of bytes that others of the same batch replace: all puts of it count there.
  func noteReplaced(
    _ changes: BatchChanges, _ batch: BatchMembers, _ positions: [UInt64], _ writer: inout LogWriter,
    byteCount: (Int) -> Int
  ) {
    var isLast = [Bool](repeating: false, count: batch.members.count)
    for number in 0..<changes.count { isLast[changes[number].number] = true }
    for (number, member) in batch.members.enumerated() where !isLast[number] && member.kind != .remove {
      guard let segment = slots.segment(at: positions[number] >> UInt64(Limits.slotByteCountLog2)) else {
        continue
      }
      writer.noteDead(segment, byteCount: byteCount(number))
    }
  }

  /// Shows readers what the keys were before, until the index was told all changes.
  func publish(_ changes: BatchChanges) {
    let address = unsafe Unmanaged.passRetained(changes).toOpaque()
    reader.publishedBatch.store(UInt(bitPattern: address), ordering: .releasing)
    SchedulePoint.reach(.published)
  }

  func unpublish() {
    let address = reader.publishedBatch.exchange(0, ordering: .acquiringAndReleasing)
    SchedulePoint.reach(.published)
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return }
    let changes = unsafe Unmanaged<BatchChanges>.fromOpaque(pointer)
    retired.retire(byteCount: unsafe changes.takeUnretainedValue().byteCount) {
      unsafe Unmanaged<BatchChanges>.fromOpaque(UnsafeRawPointer(bitPattern: address)!).release()
    }
  }
}
