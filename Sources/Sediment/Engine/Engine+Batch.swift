internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Engine {
  /// Makes all changes of a batch or none, across a crash and for readers.
  func commit(_ batch: BatchMembers, _ durability: SedimentDurability) throws(SedimentError) {
    if let failure = batch.failure { throw failure }
    if batch.isEmpty { return }
    try checkReadable()
    let large = try writeExtents(of: batch)
    lock.lock()
    let sequence: UInt64
    do throws(SedimentError) {
      let writer = try checkWritable()
      try append(batch, large, writer, durability == .synced ? .written : .stored)
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
          try writeExtents(value)
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

  /// A record of a batch that was appended.
  private struct Appended {
    let member: BatchMembers.Member
    let hash: UInt64
    let position: UInt64
    let byteCount: Int
  }

  private func append(
    _ batch: BatchMembers, _ large: [Int: WrittenExtents], _ writer: LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) {
    var byteCount = Limits.recordFixedByteCount + Commit.byteCount
    for (number, member) in batch.members.enumerated() {
      if member.state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
      byteCount += Self.form(member, isLarge: large[number] != nil).byteCount(
        keyByteCount: member.key.count, valueByteCount: large[number]?.record.count ?? member.value.count)
    }
    if byteCount > Limits.batchByteCountMax {
      throw .tooLarge(path, what: "batch", byteCount: byteCount, limit: Limits.batchByteCountMax)
    }
    let storesNothing = batch.members.allSatisfy { $0.kind == .remove }
    try writer.makeRoom(byteCount, for: storesNothing ? .goingOn : .storing)
    if !log.isWhollyMapped {
      let view = index.view
      for member in batch.members {
        try batch.withBytes(of: member.key) { (key) throws(SedimentError) in
          try checkIndexed(key, view.hash(key, collection: member.state.number), member.state)
        }
      }
    }
    // From here on nothing is refused: what fails is the disk, and poisons.
    let appended = try appendRecords(batch, large, writer, way)
    tellIndex(appended, batch, writer)
  }

  private static func form(_ member: BatchMembers.Member, isLarge: Bool) -> RecordForm {
    RecordForm(
      kind: isLarge ? .putLarge : member.kind, isBatched: true, collection: member.state.number,
      expiry: member.expiry)
  }

  private func appendRecords(
    _ batch: BatchMembers, _ large: [Int: WrittenExtents], _ writer: LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) -> [Appended] {
    let view = index.view
    var checksum = BatchChecksum()
    var appended: [Appended] = []
    appended.reserveCapacity(batch.members.count)
    for (number, member) in batch.members.enumerated() {
      let form = Self.form(member, isLarge: large[number] != nil)
      let before = unsafe writer.tail.pointee.offset
      let hash = try batch.withBytes(of: member.key) { (key) throws(SedimentError) in
        if let extents = large[number] {
          _ = try writer.append(form, key: key, value: unsafe extents.record.span.bytes, way)
          adopt(extents, writer)
        } else {
          try batch.withBytes(of: member.value) { (value) throws(SedimentError) in
            _ = try writer.append(form, key: key, value: value, way)
          }
        }
        writer.userByteCount &+= UInt64(member.key.count + member.value.count)
        return view.hash(key, collection: member.state.number)
      }
      // A batch has no more members than this counts: that was asked when they were added.
      _ = writer.addLastRecord(to: &checksum)
      let byteCount = unsafe Int(writer.tail.pointee.offset - before)
      appended.append(Appended(member: member, hash: hash, position: before, byteCount: byteCount))
    }
    try writer.append(.commit(checksum.commit!), way)
    return appended
  }

  // MARK: Telling the index

  /// Lets the index lead to what a batch appended, in a way that readers see all of it at once.
  ///
  /// Of each key it is told the last change alone: what came before in the batch nobody may ever see.
  private func tellIndex(_ appended: [Appended], _ batch: BatchMembers, _ writer: LogWriter) {
    if appended.count == 1 {
      tellIndex(appended[0], batch, writer)
    } else {
      let last = lastOfEachKey(appended, batch)
      publish(changes(of: last, batch))
      for record in last { tellIndex(record, batch, writer) }
      unpublish()
    }
    reseedIfCrowded()
  }

  /// The records behind which the batch has no other of the same key.
  private func lastOfEachKey(_ appended: [Appended], _ batch: BatchMembers) -> [Appended] {
    var seen: [UInt64: [BatchMembers.Member]] = [:]
    seen.reserveCapacity(appended.count)
    var last: [Appended] = []
    for record in appended.reversed() {
      let same = seen[record.hash] ?? []
      if same.contains(where: { batch.isSameKey($0, record.member) }) { continue }
      seen[record.hash] = same + [record.member]
      last.append(record)
    }
    return last
  }

  private func tellIndex(_ record: Appended, _ batch: BatchMembers, _ writer: LogWriter) {
    batch.withBytes(of: record.member.key) { key in
      let state = record.member.state
      if record.member.kind != .remove {
        return enter(
          key, record.hash, state, at: record.position, byteCount: record.byteCount,
          expires: record.member.expiry != 0, writer)
      }
      let view = index.view
      var probe = view.probe(record.hash)
      let old = try? locate(key, record.hash, in: state.number, view, verifying: false, probe: &probe)
      guard let old else { return }
      forget(old, state, writer)
      index.remove(probe)
      old.release()
    }
  }

  private func changes(of appended: [Appended], _ batch: BatchMembers) -> [UInt64: [PublishedBatch.Change]] {
    var changes: [UInt64: [PublishedBatch.Change]] = [:]
    let view = index.view
    for record in appended {
      batch.withBytes(of: record.member.key) { key in
        var probe = view.probe(record.hash)
        let number = record.member.state.number
        let old = try? locate(key, record.hash, in: number, view, verifying: false, probe: &probe)
        defer { old?.release() }
        let before = old?.position ?? 0
        let after = record.member.kind == .remove ? 0 : record.position
        changes[record.hash, default: []].append(PublishedBatch.Change(before: before, after: after))
      }
    }
    return changes
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
