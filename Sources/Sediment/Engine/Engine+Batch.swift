internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Engine {
  /// Makes all changes of a batch or none, across a crash and for readers.
  func commit(_ batch: BatchMembers, _ durability: SedimentDurability) throws(SedimentError) {
    if let failure = batch.failure { throw failure }
    if batch.isEmpty { return }
    try makingSpace(forStoring: batch.valueByteCount) { () throws(SedimentError) in
      try commitOnce(batch, durability)
    }
  }

  private func commitOnce(
    _ batch: BatchMembers, _ durability: SedimentDurability
  ) throws(SedimentError) {
    try checkReadable()
    let large = try writeExtents(of: batch)
    let packed = pack(batch)
    lock.lock()
    let sequence: UInt64
    do throws(SedimentError) {
      let writer = try checkWritable()
      try append(batch, large, packed, writer, durability == .synced ? .written : .stored)
      sequence = unsafe writer.tail.pointee.countedSequence
      planSync(writer, durability)
    } catch {
      if let writer { for extents in large.values { giveBack(extents, writer) } }
      lock.unlock()
      throw error
    }
    lock.unlock()
    if durability == .synced { try waitForSync(sequence) }
  }

  /// Writes the members that are too large for records to slots of their own.
  private func writeExtents(of batch: BatchMembers) throws(SedimentError) -> [Int: WrittenExtents] {
    var large: [Int: WrittenExtents] = [:]
    do throws(SedimentError) {
      for (number, member) in batch.members.enumerated()
      where member.value.count > Self.inlineValueByteCountMax {
        large[number] = try batch.withBytes(of: member.value) { (value) throws(SedimentError) in
          try writeExtents(value, isPacked: packedByteCount(value, member.state) != nil)
        }
      }
    } catch {
      lock.withLock {
        if let writer { for extents in large.values { giveBack(extents, writer) } }
      }
      throw error
    }
    return large
  }

  /// The last change of a key in a batch; those before it nobody may ever see, so the index is not told.
  private struct LastChange {
    /// Which member of the batch it is.
    let number: Int
    let hash: UInt64
    /// The record that the key has now.
    let old: RecordAccount?
    /// Where the value of that lies, if it is a large one.
    let oldPlace: ValuePlace?
  }

  /// A record of a batch that was appended.
  private struct Appended {
    let position: UInt64
    let byteCount: Int
  }

  private func append(
    _ batch: BatchMembers, _ large: [Int: WrittenExtents], _ packed: PackedMembers, _ writer: LogWriter,
    _ way: LogWriter.Way
  ) throws(SedimentError) {
    // Under the lock no dictionary is retired any more.
    var packed = packed
    packed.forget { transform, number in !mayStore(transform, batch.members[number].state) }
    var byteCount = Limits.recordFixedByteCount + Commit.byteCount
    for (number, member) in batch.members.enumerated() {
      if member.state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
      let valueByteCount = large[number]?.record.count ?? packed.byteCount(number) ?? member.value.count
      byteCount += Self.form(number, member, large, packed).byteCount(
        keyByteCount: member.key.count, valueByteCount: valueByteCount)
    }
    if byteCount > Limits.batchByteCountMax {
      throw .tooLarge(path, what: "batch", byteCount: byteCount, limit: Limits.batchByteCountMax)
    }
    let last = try lastChanges(batch)
    let storesNothing = batch.members.allSatisfy { $0.kind == .remove }
    try writer.makeRoom(byteCount, for: storesNothing ? removingPurpose : .storing)
    // From here on nothing is refused: what fails is the disk, and poisons.
    let appended = try appendRecords(batch, large, packed, writer, way)
    let isAlone = last.count == 1
    if !isAlone { publish(last, appended, batch) }
    for change in last { tellIndex(change, appended[change.number], batch.members[change.number], writer) }
    if !isAlone { unpublish() }
    reseedIfCrowded()
  }

  /// The last change of each key, with what the index has of it.
  private func lastChanges(_ batch: BatchMembers) throws(SedimentError) -> [LastChange] {
    let view = index.view
    var seen: [UInt64: [BatchMembers.Member]] = [:]
    seen.reserveCapacity(batch.members.count)
    var last: [LastChange] = []
    for (number, member) in batch.members.enumerated().reversed() {
      try batch.withBytes(of: member.key) { (key) throws(SedimentError) in
        let hash = view.hash(key, collection: member.state.number)
        if seen[hash]?.contains(where: { batch.isSameKey($0, member) }) ?? false { return }
        seen[hash, default: []].append(member)
        var probe = view.probe(hash)
        let old = try locate(key, hash, in: member.state.number, view, verifying: false, probe: &probe)
        last.append(LastChange(number: number, hash: hash, old: old?.account, oldPlace: old?.place))
        old?.release()
      }
    }
    return last
  }

  private static func form(
    _ number: Int, _ member: BatchMembers.Member, _ large: [Int: WrittenExtents], _ packed: PackedMembers
  ) -> RecordForm {
    RecordForm(
      kind: large[number] == nil ? member.kind : .putLarge, isBatched: true, collection: member.state.number,
      expiry: member.expiry, transform: large[number]?.transform ?? packed.transform(number))
  }

  private func appendRecords(
    _ batch: BatchMembers, _ large: [Int: WrittenExtents], _ packed: PackedMembers, _ writer: LogWriter,
    _ way: LogWriter.Way
  ) throws(SedimentError) -> [Appended] {
    var checksum = BatchChecksum()
    var appended: [Appended] = []
    appended.reserveCapacity(batch.members.count)
    for (number, member) in batch.members.enumerated() {
      let form = Self.form(number, member, large, packed)
      let before = unsafe writer.tail.pointee.offset
      try batch.withBytes(of: member.key) { (key) throws(SedimentError) in
        if let extents = large[number] {
          _ = try writer.append(form, key: key, value: unsafe extents.record.span.bytes, way)
          adopt(extents, writer)
        } else if let range = packed.range(number) {
          let value = unsafe packed.bytes.span.bytes.extracting(range)
          _ = try writer.append(form, key: key, value: value, way)
        } else {
          try batch.withBytes(of: member.value) { (value) throws(SedimentError) in
            _ = try writer.append(form, key: key, value: value, way)
          }
        }
      }
      writer.userByteCount &+= UInt64(member.key.count + member.value.count)
      if compresses, member.kind == .put {
        let storedByteCount = large[number]?.storedByteCount ?? packed.byteCount(number) ?? member.value.count
        member.state.compression.count(
          member.value.count, storedAs: storedByteCount, isCompressed: form.transform != nil)
      }
      // A batch has no more members than this counts: that was asked when they were added.
      _ = writer.addLastRecord(to: &checksum)
      let byteCount = unsafe Int(writer.tail.pointee.offset - before)
      appended.append(Appended(position: before, byteCount: byteCount))
    }
    try writer.append(.commit(checksum.commit!), way)
    return appended
  }

  // MARK: Telling the index

  private func tellIndex(
    _ change: LastChange, _ record: Appended, _ member: BatchMembers.Member, _ writer: LogWriter
  ) {
    var probe = index.view.probe(change.hash)
    if let old = change.old {
      // The entry that leads to the old record, which nobody moved meanwhile.
      while let entry = probe.next(), entry.position << 3 != old.position {}
      forget(old, member.state, writer)
      if let place = change.oldPlace { noteDeadExtents(place, writer) }
    }
    let position = record.position >> 3
    switch (member.kind == .remove, change.old != nil) {
    case (true, true): index.remove(probe)
    case (true, false): return
    case (false, true): index.replace(probe, position: position)
    case (false, false): index.insert(change.hash, position: position)
    }
    if member.kind != .remove {
      count(record.byteCount, member.state, expires: member.expiry != 0, writer)
    }
  }

  /// Shows readers what the keys were before, until the index was told all changes.
  private func publish(_ last: [LastChange], _ appended: [Appended], _ batch: BatchMembers) {
    var changes: [UInt64: [PublishedBatch.Change]] = [:]
    changes.reserveCapacity(last.count)
    for change in last {
      let isRemoved = batch.members[change.number].kind == .remove
      changes[change.hash, default: []].append(
        PublishedBatch.Change(
          before: change.old?.position ?? 0, after: isRemoved ? 0 : appended[change.number].position))
    }
    publish(changes)
  }

  private func publish(_ changes: [UInt64: [PublishedBatch.Change]]) {
    let address = unsafe Unmanaged.passRetained(PublishedBatch(changes)).toOpaque()
    publishedBatch.store(UInt(bitPattern: address), ordering: .releasing)
  }

  private func unpublish() {
    let address = publishedBatch.exchange(0, ordering: .acquiringAndReleasing)
    retired.retire(byteCount: 256) {
      guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return }
      unsafe Unmanaged<PublishedBatch>.fromOpaque(pointer).release()
    }
  }

  // MARK: Readers meanwhile

  /// What a key's newest record was before the batch that is being told to the index.
  ///
  /// In a reader's scope.
  @inline(never)
  func beforeBatch(
    _ address: UInt, _ key: RawSpan, _ hash: UInt64, _ collection: UInt32, _ found: FoundRecord?
  ) throws(SedimentError) -> FoundRecord? {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return found }
    // The batch lives until no reader is inside that could have loaded its address.
    let batch = unsafe Unmanaged<PublishedBatch>.fromOpaque(pointer).takeUnretainedValue()
    for change in batch.changes(of: hash) {
      if let found, change.after == found.position {
        found.release()
        return change.before == 0 ? nil : try verifiedRecord(at: change.before)
      }
      if found == nil, change.before != 0, let before = try verifiedRecord(at: change.before) {
        if before.view.collection == collection, before.view.hasKey(key) { return before }
        before.release()
      }
    }
    return found
  }

  private func verifiedRecord(at position: UInt64) throws(SedimentError) -> FoundRecord? {
    guard let found = try record(at: position) else { throw damaged(at: position) }
    guard !options.verifiesReads || found.view.isIntact(at: position, seed: found.segment.seed) else {
      found.release()
      throw damaged(at: position)
    }
    return found
  }
}
