internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Changes {
  /// The collection of a name, which is created if it is not there.
  func collection(_ name: [UInt8]) throws(SedimentError) -> CollectionState {
    try lifetime.check()
    if let state = collections.named(name) { return state }
    guard CollectionEntry.isName(name) else {
      throw SedimentError(
        .invalidArgument, path: path,
        message: "A collection's name has 1 to 255 bytes of UTF-8 without a zero byte. Choose another.")
    }
    return try compactor.makingSpace(forStoring: name.count) { () throws(SedimentError) in
      try log.transact(durability) { (writer) throws(SedimentError) in
        if let state = collections.named(name) { return state }
        let number = writer.catalogue.numbers.nextCollection
        let entry = CollectionEntry(
          number: number, clearedAt: SequenceNumber(writer.tail.sequence + 1)!, name: name)
        guard let entry else {
          throw SedimentError(
            .tooLarge, path: path, message: "The file has had as many collections as it can have in its life."
          )
        }
        let sequence = try log.change([.collection(entry)], for: .storing, &writer)
        let state = CollectionState(number: number, name: name, clearedAt: sequence)
        collections.add(state)
        return state
      }
    }
  }

  /// Removes all keys of a collection by one small record.
  @usableFromInline
  func clear(_ state: CollectionState, _ durability: WrittenDurability) throws(SedimentError) {
    try changeCollections(durability) { (writer, purpose) throws(SedimentError) in
      if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
      let sequence = try log.change([.collectionCleared(number: state.number)], for: purpose, &writer)
      planSweep(of: state, &writer)
      state.clear(at: sequence, writer.permit)
    }
  }

  /// Lets the index be swept of the keys that a collection has, which is about to be cleared.
  ///
  /// Of a collection without keys the index has nothing, but for what an earlier sweep has yet to take out.
  private func planSweep(of state: CollectionState, _ writer: inout LogWriter) {
    if state.keyCount > 0 { background.planSweep(of: CollectionTags(state.number), &writer) }
  }

  /// Removes a collection with all its keys; false if there is none of that name.
  func drop(_ name: [UInt8], _ durability: WrittenDurability) throws(SedimentError) -> Bool {
    var wasThere = false
    try changeCollections(durability) { (writer, purpose) throws(SedimentError) in
      // Without one the call still waits for the sync: the change that removed it may not be durable yet.
      guard let state = collections.named(name) else { return }
      wasThere = true
      _ = try log.change([.collectionDropped(number: state.number)], for: purpose, &writer)
      collections.remove(state)
      state.isDropped.store(true, ordering: .releasing)
      SchedulePoint.reach(.published)
      // Whoever has the collection still must find no dictionary that may come to an end.
      state.compression.use(nil, writer.permit)
      planSweep(of: state, &writer)
      state.clear(at: .max, writer.permit)
    }
    return wasThere
  }

  /// Removes all keys of all collections by one small record.
  func clearEverything(_ durability: WrittenDurability) throws(SedimentError) {
    try changeCollections(durability) { (writer, purpose) throws(SedimentError) in
      // Afterwards it would be too late to refuse.
      let dictionaries = try contents.dictionaryRecords(writer)
      let sequence = try log.change([.everythingCleared], for: purpose, &writer)
      for state in collections.all { state.clear(at: sequence, writer.permit) }
      forgetEverything(but: dictionaries, &writer)
      background.planMaintenance(&writer)
    }
  }

  /// Makes a change that kills many records at once: where no room can be made for it, it takes what frees them later
  /// of the reserve.
  private func changeCollections(
    _ durability: WrittenDurability,
    _ body: (inout LogWriter, SlotSpace.Purpose) throws(SedimentError) -> Void
  ) throws(SedimentError) {
    try lifetime.check()
    do throws(SedimentError) {
      try compactor.makingSpace(forStoring: 0) { () throws(SedimentError) in
        try log.transact(durability) { (writer) throws(SedimentError) in try body(&writer, .removing) }
      }
    } catch  where error.code == .outOfSpace {
      try log.transact(durability) { (writer) throws(SedimentError) in try body(&writer, .goingOn) }
    }
  }

  /// Empties the index at once; what it led to is dead, but for dictionaries.
  private func forgetEverything(but dictionaries: [DictionaryRecord], _ writer: inout LogWriter) {
    let keyHash = KeyHash(low: disk.random(), high: disk.random())
    // Compaction asks the index without the lock: a dictionary that it does not find there for a moment is lost.
    index.removeAll(
      keyHash: keyHash, but: dictionaries.map { ($0.hash(by: keyHash), $0.position) }, writer.permit)
    for entry in writer.catalogue.segments {
      guard let segment = slots.segment(at: UInt64(entry.identity.run.first)) else { continue }
      segment.counts(writer.permit).liveByteCount = 0
      segment.counts(writer.permit).liveCount = 0
      writer.noteEmptied(segment)
    }
    writer.liveByteCount = 0
    for dictionary in dictionaries { contents.count(dictionary, &writer) }
    writer.ledger.noteAllShrunk()
    writer.noteDead(writer.catalogue.segments.lazy.map(\.identity).filter { $0.kind == .extent })
  }
}
