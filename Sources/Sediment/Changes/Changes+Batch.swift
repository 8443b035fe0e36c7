internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Changes {
  /// Makes all changes of a batch or none, across a crash and for readers.
  func commit(_ batch: BatchMembers, _ durability: WrittenDurability) throws(SedimentError) {
    if let failure = batch.failure { throw failure }
    if batch.isEmpty { return }
    if batch.hasLongMember {
      try lifetime.check()
      do throws(SedimentError) {
        if !pace.isFree { compactor.keepPace() }
        return try commitOnce(batch, largerThan: log.inlineValueByteCountMax, durability)
      } catch  where error.code == .outOfSpace {
        // Room may be there, but not in a row.
      }
    }
    try compactor.makingSpace(forStoring: batch.valueByteCount, recordOf: batch.longestKeyByteCount) {
      () throws(SedimentError) in
      try commitOnce(batch, largerThan: nil, durability)
    }
  }

  /// Makes the batch, with extents for values of more bytes; with nil, for all that do not fit into a slot with their
  /// keys.
  private func commitOnce(
    _ batch: BatchMembers, largerThan byteCountMax: Int?, _ durability: WrittenDurability
  ) throws(SedimentError) {
    try lifetime.check()
    var reservation = Reservation(returned)
    let large = try writeExtents(of: batch, largerThan: byteCountMax, &reservation)
    let packed = compressor.pack(batch, besides: large)
    try log.transact(durability) { (writer) throws(SedimentError) in
      try append(batch, large, &reservation, packed, &writer, LogWriter.Way(durability))
    }
  }

  /// Writes the members that are too large for records to slots of their own.
  private func writeExtents(
    of batch: BatchMembers, largerThan byteCountMax: Int?, _ reservation: inout Reservation
  ) throws(SedimentError) -> [Int: WrittenExtents] {
    var large: [Int: WrittenExtents] = [:]
    // Most batches need not be looked through for them.
    guard batch.hasLongMember else { return large }
    for (number, member) in batch.members.enumerated() where member.needsExtents(above: byteCountMax) {
      large[number] = try batch.withValue(of: member) { (value) throws(SedimentError) in
        try writeExtents(
          value, besides: member.keyByteCount,
          isPacked: compressor.packedByteCount(value, batch.state(of: member)) != nil, &reservation)
      }
    }
    return large
  }

  private func append(
    _ batch: BatchMembers, _ large: [Int: WrittenExtents], _ reservation: inout Reservation,
    _ packed: PackedMembers, _ writer: inout LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) {
    // While this has the writer no dictionary is retired any more.
    var packed = packed
    packed.forget { transform, number in
      !compressor.mayStore(transform, batch.state(of: batch.members[number]), writer)
    }
    for state in batch.states where state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
    let images = images(of: batch, large, packed)
    let byteCount = images.byteCount + Self.commitByteCount
    if byteCount > Limits.batchByteCountMax {
      throw .tooLarge(path, what: "batch", byteCount: byteCount, limit: Limits.batchByteCountMax)
    }
    for extents in large.values { try log.overwriteRest(of: extents.place, writer) }
    let changes = try lastChanges(batch, writer.recordsInWindow)
    var room = try writer.takeRoom(
      byteCount, for: batch.putCount == 0 ? removingPurpose : .storing,
      recordCount: batch.members.count + 1,
      hasAlone: LogWriter.isLong(keyOf: batch.longestKeyByteCount)
    ) { number in
      number < batch.members.count
        ? Self.form(number, batch.members[number], large, packed).byteCount : Self.commitByteCount
    } isAlone: { number in
      number < batch.members.count && LogWriter.isLong(keyOf: batch.members[number].keyByteCount)
    }
    let positions = try append(images, in: &room, of: batch, large, &reservation, packed, &writer, way)
    for number in 0..<changes.count where batch.members[changes[number].number].kind != .remove {
      changes[number].after = positions[changes[number].number]
    }
    let isAlone = changes.count == 1
    if !isAlone { publish(changes) }
    tellIndex(changes, batch, &writer)
    if !isAlone { unpublish() }
    if changes.count < batch.members.count {
      noteReplaced(changes, batch, positions, &writer) {
        Self.form($0, batch.members[$0], large, packed).byteCount
      }
    }
    if !large.isEmpty { tellExtents(large, changes, batch, &writer) }
    contents.reseedIfCrowded(&writer)
  }

  /// Counts the extents of the last changes; those of other members, to which no record leads that counts, are freed.
  private func tellExtents(
    _ large: [Int: WrittenExtents], _ changes: BatchChanges, _ batch: BatchMembers, _ writer: inout LogWriter
  ) {
    var replaced = large
    for number in 0..<changes.count {
      let member = changes[number].number
      guard let extents = replaced.removeValue(forKey: member) else { continue }
      batch.state(of: batch.members[member]).countExtents(Int(extents.place.slotCount), writer.permit)
    }
    for member in replaced.keys.sorted() {
      contents.noteDeadExtents(replaced[member]?.place, of: nil, &writer)
    }
  }

  /// The last change of each key, with what the index has of it.
  ///
  /// In groups, so that waits for memory overlap as they do when many keys are read together.
  private func lastChanges(_ batch: BatchMembers, _ window: RecordsInWindow) throws(SedimentError)
    -> BatchChanges
  {
    let changes = BatchChanges(memberCount: batch.members.count)
    let homes = UnsafeMutablePointer<IndexHome>.allocate(capacity: KeyGroup.countMax)
    defer { unsafe homes.deallocate() }
    var end = batch.members.count
    while end > 0 {
      let start = max(end - KeyGroup.countMax, 0)
      unsafe try addChanges(start..<end, batch, changes, homes, window)
      end = start
    }
    return changes
  }

  /// Adds the changes of a group of members, last to first; `homes` is memory for where the searches for them begin.
  private func addChanges(
    _ members: Range<Int>, _ batch: BatchMembers, _ changes: BatchChanges,
    _ homes: UnsafeMutablePointer<IndexHome>, _ window: RecordsInWindow
  ) throws(SedimentError) {
    let view = index.view
    let first = changes.count
    for number in members.reversed() {
      let member = batch.members[number]
      let key = unsafe RawSpan(_unsafeBytes: batch.key(of: member))
      let home = view.home(key, collection: member.collection)
      home.prefetch()
      unsafe (homes + (changes.count &- first)).initialize(to: home)
      _ = changes.add(number, home.hash) { batch.isSameKey(batch.members[$0], member) }
    }
    for number in first..<changes.count {
      guard let place = KeySearch(unsafe homes[number &- first]).place else { continue }
      reader.prefetchHead(place.entry)
      changes[number].entryPlace = place.slot
    }
    for number in first..<changes.count {
      // What has no entry that agrees has no record.
      guard let place = changes[number].entryPlace else { continue }
      let member = batch.members[changes[number].number]
      let entry = IndexEntry(rawValue: place.loadAsWriter())
      let key = unsafe RawSpan(_unsafeBytes: batch.key(of: member))
      if let found = reader.keyRecordInPlace(key, entry, member.collection, inWindow: window) {
        changes.note(found, ofChange: number)
      } else {
        try locate(key, in: member.collection, view, ofChange: number, changes, window)
      }
    }
  }

  /// Looks for the record of a change's key wherever it lies.
  @inline(never)
  private func locate(
    _ key: RawSpan, in collection: UInt32, _ view: IndexView, ofChange number: Int, _ changes: BatchChanges,
    _ window: RecordsInWindow
  ) throws(SedimentError) {
    var probe = view.probe(changes[number].hash)
    let found = try reader.locate(
      key, in: collection, verifying: false, forChange: true, inWindow: window, probe: &probe)
    changes[number].entryPlace = found == nil ? nil : probe.found
    if let found { changes.note(found, ofChange: number) }
    found?.release()
  }

  /// What the record of a member says of itself, and how long it is.
  @inline(__always)
  private static func form(
    _ number: Int, _ member: BatchMembers.Member, _ large: [Int: WrittenExtents], _ packed: PackedMembers
  ) -> (form: RecordForm, byteCount: Int) {
    var form = member.form
    // Most batches need not be asked for each member.
    if large.isEmpty && packed.isEmpty {
      return (
        form, form.byteCount(keyByteCount: member.keyByteCount, valueByteCount: member.valueByteCount)
      )
    }
    var valueByteCount = member.valueByteCount
    if let extents = large[number] {
      form.kind = .putLarge
      form.transform = extents.transform
      valueByteCount = extents.record.count
    } else if let transform = packed.transform(number) {
      form.transform = transform
      valueByteCount = packed.byteCount(number) ?? valueByteCount
    }
    return (form, form.byteCount(keyByteCount: member.keyByteCount, valueByteCount: valueByteCount))
  }

  /// The records of a batch: those that were laid out when it was collected, unless some are stored otherwise.
  private func images(
    of batch: BatchMembers, _ large: [Int: WrittenExtents], _ packed: PackedMembers
  ) -> GrowingMemory {
    if large.isEmpty, packed.isEmpty { return batch.images }
    let images = GrowingMemory(room: 4096)
    for (number, member) in batch.members.enumerated() {
      let form = Self.form(number, member, large, packed).form
      let key = unsafe RawSpan(_unsafeBytes: batch.key(of: member))
      if let extents = large[number] {
        images.append(form, key: key, value: unsafe extents.record.span.bytes)
      } else if let range = packed.range(number) {
        images.append(form, key: key, value: unsafe packed.bytes.span.bytes.extracting(range))
      } else {
        batch.withValue(of: member) { _ = images.append(form, key: key, value: $0) }
      }
    }
    return images
  }

  private static var commitByteCount: Int { RecordForm.byteCount(ofControl: Commit.byteCount) }

  /// Appends the records of a batch, and the commit, to one segment or several; the result is where each begins.
  private func append(
    _ images: GrowingMemory, in room: inout LogWriter.BatchRoom, of batch: BatchMembers,
    _ large: [Int: WrittenExtents], _ reservation: inout Reservation, _ packed: PackedMembers,
    _ writer: inout LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) -> [UInt64] {
    if room.next == 0 { try writer.goOn(inNextOf: &room) }
    var checksum = BatchChecksum()
    var positions: [UInt64] = []
    positions.reserveCapacity(batch.members.count)
    // The end of the log once what is laid out up to `end` is stored; from which byte on that is still to be done, and with
    // which record the next segment begins.
    var tail = writer.tail
    var (end, pending, next) = (0, 0, room.next)
    var counts = BatchCounts()
    // Only a batch that goes on in another segment can be written in part.
    let moment = next == .max ? nil : writer.moment
    do throws(SedimentError) {
      for (number, member) in batch.members.enumerated() {
        let (form, byteCount) = Self.form(number, member, large, packed)
        if number == next {
          try writer.store(pending..<end, of: images, upTo: tail, way)
          writer.note(&counts)
          pending = end
          try writer.goOn(inNextOf: &room)
          (tail, next) = (writer.tail, room.next)
        }
        positions.append(writer.place(end..<end &+ byteCount, of: images, form, &checksum, at: &tail))
        end &+= byteCount
        counts.count(form.kind, byteCount)
      }
      let commit = ControlRecord.commit(checksum.commit!).encode()!
      let form = RecordForm(kind: .control)
      let record = images.append(form, key: RawSpan(), value: unsafe commit.span.bytes)
      defer { images.removeAll(from: end) }
      if batch.members.count == next {
        try writer.store(pending..<end, of: images, upTo: tail, way)
        writer.note(&counts)
        pending = end
        try writer.goOn(inNextOf: &room)
        tail = writer.tail
      }
      _ = writer.place(record, of: images, form, &checksum, at: &tail)
      try writer.store(pending..<record.upperBound, of: images, upTo: tail, way)
    } catch {
      if pending > 0, let moment { throw writer.fail(error, backTo: moment) }
      throw error
    }
    writer.note(&counts)
    for extents in large.values { contents.adopt(extents, &reservation, &writer) }
    writer.catalogue.numbers.totals.userByteCount &+= UInt64(batch.keyByteCount + batch.valueByteCount)
    if compresses { countCompression(of: batch, large, packed, writer) }
    return positions
  }

  private func countCompression(
    of batch: BatchMembers, _ large: [Int: WrittenExtents], _ packed: PackedMembers,
    _ writer: borrowing LogWriter
  ) {
    for (number, member) in batch.members.enumerated() where member.kind == .put {
      let storedByteCount = large[number]?.storedByteCount ?? packed.byteCount(number)
      batch.state(of: member).compression.count(
        member.valueByteCount, storedAs: storedByteCount ?? member.valueByteCount,
        isCompressed: large[number]?.transform != nil || packed.transform(number) != nil, writer.permit)
    }
  }
}
