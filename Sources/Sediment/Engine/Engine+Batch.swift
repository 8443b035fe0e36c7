internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Engine {
  /// Makes all changes of a batch or none, across a crash and for readers.
  func commit(_ batch: BatchMembers, _ durability: SedimentDurability) throws(SedimentError) {
    if let failure = batch.failure { throw failure }
    if batch.isEmpty { return }
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
    if log.mappedByteCount == 0 {
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
  private func tellIndex(_ appended: [Appended], _ batch: BatchMembers, _ writer: LogWriter) {
    let isAlone = appended.count == 1
    if !isAlone { publish(changes(of: appended, batch)) }
    for record in appended { tellIndex(record, batch, writer) }
    if !isAlone { unpublish() }
  }

  private func tellIndex(_ record: Appended, _ batch: BatchMembers, _ writer: LogWriter) {
    batch.withBytes(of: record.member.key) { key in
      let state = record.member.state
      if record.member.kind != .remove {
        do throws(SedimentError) {
          try enter(
            key, record.hash, state, at: record.position, byteCount: record.byteCount,
            expires: record.member.expiry != 0, writer)
        } catch {
          preconditionFailure("telling the index cannot fail")
        }
        return
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
        let after = record.member.kind == .remove ? [] : [record.position]
        var same = changes[record.hash] ?? []
        if let place = same.firstIndex(where: { $0.before == before }) {
          same[place].after += after
        } else {
          same.append(PublishedBatch.Change(before: before, after: after))
        }
        changes[record.hash] = same
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
      if let found, change.after.contains(found.position) {
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
