internal import SedimentFormat

// The end of dictionaries: none is given up as long as a value needs it.

extension Compaction {
  /// The numbers of the dictionaries that no value is compressed with any more.
  private func retiredDictionaries(_ writer: borrowing LogWriter) -> Set<UInt32> {
    guard compressor.trainsDictionaries || erasingCount > 0 else { return [] }
    var retired: Set<UInt32> = []
    for entry in writer.catalogue.dictionaries.values
    where !writer.unsyncedDictionaries.contains(entry.number) {
      let state = collections.numbered(entry.collection)
      if state?.compression.dictionaryNumber(writer.permit) != entry.number { retired.insert(entry.number) }
    }
    return retired
  }

  /// Gives up the retired dictionaries that no record of the index names.
  ///
  /// Looks at all records, so it is done only if there are any such, and much was written since the last time or
  /// `always` says so. No exchange is under way: what is being moved to other places names none that is not
  /// looked at.
  func endDictionaries(always: Bool = false) throws(SedimentError) {
    // What an earlier call has given up readers may have left meanwhile.
    retired.collect()
    let candidates = writer.withLock { writer -> Set<UInt32> in
      let written = writer.writtenTotal
      guard always || written &- writer.censusTotal >= UInt64(max(writer.liveByteCount / 2, 1 << 20)) else {
        return []
      }
      let retired = retiredDictionaries(writer)
      if !retired.isEmpty { writer.censusTotal = written }
      return retired
    }
    guard !candidates.isEmpty, let needed = neededDictionaries() else { return }
    do throws(SedimentError) {
      for number in candidates.subtracting(needed).sorted() { try end(number) }
      retired.collect()
    } catch  where error.code == .outOfSpace {
      // It takes no more room than before.
    }
  }

  /// The numbers of the dictionaries that records of the index name; nil if not all of them could be looked at.
  private func neededDictionaries() -> Set<UInt32>? {
    var needed: Set<UInt32> = []
    var walk = IndexWalk()
    while lifetime.isUsable {
      Readers.enter(domain)
      defer { Readers.leave() }
      switch walk.advance(in: index.view) {
      case .entries:
        for entry in walk.entries {
          guard let number = try? dictionaryNumber(of: entry) else { return nil }
          if number != 0 { needed.insert(number) }
        }
      case .rebuilt: needed = []
      case .ended: return needed
      }
    }
    return nil
  }

  /// The number of the dictionary that the record of an entry names, or 0; nil if there is none that makes sense.
  ///
  /// In a reader's scope.
  private func dictionaryNumber(of entry: IndexEntry) throws(SedimentError) -> UInt32? {
    guard let found = try reader.record(at: entry.position << 3) else { return nil }
    defer { found.release() }
    return found.view.transform?.dictionary ?? 0
  }

  /// Removes a dictionary's record and its entry, as a batch.
  private func end(_ number: UInt32) throws(SedimentError) {
    try log.withWriter { (writer) throws(SedimentError) in
      guard writer.catalogue.dictionaries[number] != nil else { return }
      let key = DictionaryEntry.key(number)
      let view = index.view
      let hash = unsafe view.hash(key.span.bytes, collection: CollectionEntry.dictionaries)
      var probe = view.probe(hash)
      let old = try reader.locate(
        unsafe key.span.bytes, in: CollectionEntry.dictionaries, verifying: false, probe: &probe)
      defer { old?.release() }
      _ = try contents.append(.remove, number, RawSpan(), for: .goingOn, &writer) { _ in
        .dictionaryGone(number: number)
      }
      if let old {
        writer.noteDead(old.segment, byteCount: old.view.byteCount)
        index.remove(probe, writer.permit)
      }
    }
    // Whoever has found a record that names it may still be inside.
    retired.retirePassingList { [dictionaries] retired in
      if let retired { dictionaries.remove(number, retired) }
    }
  }
}
