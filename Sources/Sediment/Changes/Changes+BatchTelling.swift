internal import SedimentFormat
internal import Synchronization

// How the index and readers are told of a batch.

extension Changes {
  /// So many changes ahead what the index has of a key is brought near.
  private static var changeCountAhead: Int { 16 }

  /// Tells the index all changes of a batch, whose records are in the accounts of bytes already.
  ///
  /// First those of keys that have a record, and get another: the places of their entries are known, and stay while
  /// nothing is added or removed.
  func tellIndex(_ changes: BatchChanges, _ batch: BatchMembers, _ writer: inout LogWriter) {
    // Taken anew only where the collection changes: counting references costs more than what is done with them.
    var (state, stateNumber) = (batch.states[0], UInt32(0))
    var others: [Int] = []
    for number in 0..<changes.count {
      let ahead = number &+ Self.changeCountAhead
      if ahead < changes.count { changes[ahead].entryPlace?.prefetch() }
      let change = changes[number]
      guard change.after != 0, let place = change.entryPlace, let old = change.old else {
        others.append(number)
        continue
      }
      let member = batch.members[change.number]
      if member.stateNumber != stateNumber {
        (state, stateNumber) = (batch.state(of: member), member.stateNumber)
      }
      index.replace(place, position: change.after >> 3, writer.permit)
      contents.forget(old, state, &writer)
      state.count(1, expiring: member.expiry != 0, writer.permit)
    }
    if !others.isEmpty { tellIndex(others, of: changes, batch, &writer) }
    for number in changes.largeOld.keys.sorted() {
      let state = batch.state(of: batch.members[changes[number].number])
      let wasCounted = state.counts(changes[number].old?.sequence ?? 0)
      contents.noteDeadExtents(changes.largeOld[number], of: wasCounted ? state : nil, &writer)
    }
  }

  /// Tells the index changes that add keys or remove them.
  private func tellIndex(
    _ numbers: [Int], of changes: BatchChanges, _ batch: BatchMembers, _ writer: inout LogWriter
  ) {
    for place in 0..<min(Self.changeCountAhead, numbers.count) {
      index.view.prefetch(changes[numbers[place]].hash)
    }
    var (state, stateNumber) = (batch.states[0], UInt32(0))
    for (place, number) in numbers.enumerated() {
      let ahead = place &+ Self.changeCountAhead
      if ahead < numbers.count { index.view.prefetch(changes[numbers[ahead]].hash) }
      let change = changes[number]
      let member = batch.members[change.number]
      if member.stateNumber != stateNumber {
        (state, stateNumber) = (batch.state(of: member), member.stateNumber)
      }
      if change.after != 0 {
        index.insert(change.hash, position: change.after >> 3, writer.permit)
        state.count(1, expiring: member.expiry != 0, writer.permit)
      } else if let old = change.old, let (probe, _) = index.view.find(change.hash, at: old.position >> 3) {
        index.remove(probe, writer.permit)
        contents.forget(old, state, &writer)
      }
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
