internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Engine {
  /// The collection of a name, which is created if it is not there.
  func collection(_ name: [UInt8]) throws(SedimentError) -> CollectionState {
    try checkReadable()
    if let state = collections.named(name) { return state }
    guard CollectionEntry.isName(name) else {
      throw SedimentError(
        .invalidArgument, path: path,
        message: "A collection's name has 1 to 255 bytes of UTF-8 without a zero byte. Choose another.")
    }
    return try makingSpace(forStoring: name.count) { () throws(SedimentError) in try makeCollection(name) }
  }

  private func makeCollection(_ name: [UInt8]) throws(SedimentError) -> CollectionState {
    let (state, sequence) = try withWriter { (writer) throws(SedimentError) in
      if let state = collections.named(name) { return (state, 0 as UInt64) }
      let number = writer.catalogue.numbers.nextCollection
      let entry = CollectionEntry(
        number: number, clearedAt: SequenceNumber(writer.tail.sequence + 1)!, name: name)
      guard let entry else {
        throw SedimentError(
          .tooLarge, path: path, message: "The file has had as many collections as it can have in its life.")
      }
      let sequence = try change([.collection(entry)], for: .storing, &writer)
      let state = CollectionState(number: number, name: name, clearedAt: sequence)
      collections.add(state)
      planSync(&writer, options.durability)
      return (state, sequence)
    }
    if options.durability == .synced { try waitForSync(sequence) }
    return state
  }

  /// Removes all keys of a collection by one small record.
  @usableFromInline
  func clear(_ state: CollectionState, _ durability: SedimentDurability) throws(SedimentError) {
    try changeCollections(durability) { (writer, purpose) throws(SedimentError) in
      if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
      let sequence = try change([.collectionCleared(number: state.number)], for: purpose, &writer)
      state.clear(at: sequence, writer.permit)
      planSweep(&writer)
    }
  }

  /// Removes a collection with all its keys; false if there is none of that name.
  func drop(_ name: [UInt8], _ durability: SedimentDurability) throws(SedimentError) -> Bool {
    var wasThere = false
    try changeCollections(durability) { (writer, purpose) throws(SedimentError) in
      // Without one the call still waits for the sync: the change that removed it may not be durable yet.
      guard let state = collections.named(name) else { return }
      wasThere = true
      _ = try change([.collectionDropped(number: state.number)], for: purpose, &writer)
      collections.remove(state)
      state.isDropped.store(true, ordering: .releasing)
      SchedulePoint.reach(.published)
      // Whoever has the collection still must find no dictionary that may come to an end.
      state.compression.use(nil, writer.permit)
      state.clear(at: .max, writer.permit)
      planSweep(&writer)
    }
    return wasThere
  }

  /// Removes all keys of all collections by one small record.
  func clearEverything(_ durability: SedimentDurability) throws(SedimentError) {
    try changeCollections(durability) { (writer, purpose) throws(SedimentError) in
      // Afterwards it would be too late to refuse.
      let dictionaries = try dictionaryRecords(writer)
      let sequence = try change([.everythingCleared], for: purpose, &writer)
      for state in collections.all { state.clear(at: sequence, writer.permit) }
      forgetEverything(but: dictionaries, &writer)
      planMaintenance(&writer)
    }
  }

  /// Makes a change that kills many records at once: where no room can be made for it, it takes what frees them later
  /// of the reserve.
  private func changeCollections(
    _ durability: SedimentDurability,
    _ body: (inout LogWriter, SlotSpace.Purpose) throws(SedimentError) -> Void
  ) throws(SedimentError) {
    try checkReadable()
    let sequence: UInt64
    do throws(SedimentError) {
      sequence = try makingSpace(forStoring: 0) { () throws(SedimentError) in
        try changeCollectionsOnce(durability, .removing, body)
      }
    } catch  where error.code == .outOfSpace {
      sequence = try changeCollectionsOnce(durability, .goingOn, body)
    }
    if durability == .synced { try waitForSync(sequence) }
  }

  private func changeCollectionsOnce(
    _ durability: SedimentDurability, _ purpose: SlotSpace.Purpose,
    _ body: (inout LogWriter, SlotSpace.Purpose) throws(SedimentError) -> Void
  ) throws(SedimentError) -> UInt64 {
    try withWriter { (writer) throws(SedimentError) in
      try body(&writer, purpose)
      planSync(&writer, durability)
      return writer.tail.countedSequence
    }
  }

  /// Appends a catalogue change and makes the catalogue follow; the result is the sequence of its last record.
  ///
  /// It never needs more than single free slots: what is too long for the record of one slot is a batch.
  func change(
    _ entries: [CatalogueEntry], for purpose: SlotSpace.Purpose, _ writer: inout LogWriter
  ) throws(SedimentError) -> UInt64 {
    if entries.count > 1, entries.reduce(0, { $0 + $1.byteCount }) > writer.changeByteCountMax {
      return try changeInParts(entries, &writer)
    }
    let change = CatalogueChange(entries)!
    try writer.makeRoom(Self.byteCount(of: change), for: purpose)
    // Making room may have appended a seal; a new collection says its own record's sequence.
    let sequence = SequenceNumber(writer.tail.sequence + 1)!
    try append(CatalogueChange(entries.map { $0.at(sequence) })!, isBatched: false, &writer)
    return sequence.rawValue
  }

  /// Appends a catalogue change as the members of a batch, of which all hold or none.
  ///
  /// It takes single slots from the reserve where it has to.
  private func changeInParts(
    _ entries: [CatalogueEntry], _ writer: inout LogWriter
  ) throws(SedimentError) -> UInt64 {
    var parts: [[CatalogueEntry]] = []
    var byteCount = writer.changeByteCountMax
    for entry in entries {
      if byteCount + entry.byteCount > writer.changeByteCountMax {
        parts.append([])
        byteCount = 0
      }
      parts[parts.count - 1].append(entry)
      byteCount += entry.byteCount
    }
    let changes = parts.map { CatalogueChange($0)! }
    let byteCounts = changes.map(Self.byteCount) + [Limits.recordFixedByteCount + Commit.byteCount]
    // A call that fails between two members would leave a batch in the log that goes on with something else.
    var room = try writer.takeRoom(forEachOf: byteCounts, for: .goingOn)
    var batch = BatchChecksum()
    for (number, change) in changes.enumerated() {
      if number == room.next { try writer.goOn(inNextOf: &room, roomFor: byteCounts[number]) }
      try append(change, isBatched: true, &writer)
      // A batch counts up to a million members.
      _ = writer.addLastRecord(to: &batch)
    }
    if changes.count == room.next { try writer.goOn(inNextOf: &room, roomFor: byteCounts[changes.count]) }
    try writer.append(.commit(batch.commit!), .stored)
    return writer.tail.sequence
  }

  /// Appends a catalogue change for which there is room, and makes the catalogue follow.
  func append(_ change: CatalogueChange, isBatched: Bool, _ writer: inout LogWriter) throws(SedimentError) {
    let sequence = SequenceNumber(writer.tail.sequence + 1)!
    try writer.append(.catalogueChange(change), isBatched: isBatched, .stored)
    do throws(Catalogue.Contradiction) {
      try writer.catalogue.apply(change, at: sequence)
    } catch {
      preconditionFailure("the writer contradicts its own catalogue: \(error.reason)")
    }
    for case .freed(_, let generation) in change.entries { writer.ledger.remove(generation) }
  }

  /// The bytes of a change's record.
  static func byteCount(of change: CatalogueChange) -> Int {
    RecordForm(kind: .control).byteCount(keyByteCount: 0, valueByteCount: change.encode().count)
  }

  /// Empties the index at once; what it led to is dead, but for dictionaries.
  private func forgetEverything(but dictionaries: [DictionaryRecord], _ writer: inout LogWriter) {
    let keyHash = KeyHash(low: disk.random(), high: disk.random())
    // Compaction asks the index without the lock: a dictionary that it does not find there for a moment is lost.
    index.removeAll(
      keyHash: keyHash, but: dictionaries.map { ($0.hash(by: keyHash), $0.position) }, writer.permit)
    for entry in writer.catalogue.segments.values {
      guard let segment = slots.segment(at: UInt64(entry.identity.run.first)) else { continue }
      segment.counts(writer.permit).liveByteCount = 0
      segment.counts(writer.permit).liveCount = 0
      writer.noteEmptied(segment)
    }
    writer.liveByteCount = 0
    for dictionary in dictionaries { count(dictionary, &writer) }
    writer.ledger.noteAllShrunk()
    writer.noteDead(writer.catalogue.segments.values.lazy.map(\.identity).filter { $0.kind == .extent })
  }
}

extension CatalogueEntry {
  /// The entry as a record of that sequence says it.
  func at(_ sequence: SequenceNumber) -> CatalogueEntry {
    guard case .collection(let entry) = self else { return self }
    return .collection(CollectionEntry(number: entry.number, clearedAt: sequence, name: entry.name)!)
  }
}
