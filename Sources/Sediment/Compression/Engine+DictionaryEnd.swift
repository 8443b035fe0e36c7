internal import SedimentFormat
internal import Synchronization

// The end of dictionaries: none is given up as long as a value needs it.

extension Engine {
  /// The numbers of the dictionaries that no value is compressed with any more.
  ///
  /// Under the lock.
  private func retiredDictionaries(_ writer: LogWriter) -> Set<UInt32> {
    guard trainsDictionaries else { return [] }
    return Set(
      writer.catalogue.dictionaries.values.lazy
        .filter { [collections, unbornDictionaries] in
          !unbornDictionaries.contains($0.number)
            && collections.numbered($0.collection)?.compression.dictionaryNumber != $0.number
        }
        .map(\.number))
  }

  /// Gives up the retired dictionaries that no record of the index names.
  ///
  /// Looks at all records, so it is done only if there are any such, and much was written since the last time or
  /// `always` says so. With the lock of maintenance: what is being moved to other places names none that is not
  /// looked at.
  func endDictionaries(_ writer: LogWriter, always: Bool = false) throws(SedimentError) {
    forgetEndedDictionaries()
    let candidates = lock.withLock { () -> Set<UInt32> in
      let written = writer.writtenTotal
      guard always || written - censusTotal >= UInt64(max(writer.liveByteCount / 2, 1 << 20)) else {
        return []
      }
      let retired = retiredDictionaries(writer)
      if !retired.isEmpty { censusTotal = written }
      return retired
    }
    if candidates.isEmpty { return }
    var needed: Set<UInt32> = []
    forgetEntries(where: { entry in note(entry, in: &needed) }, while: { !conditions.isClosed && !isForked })
    {
      _ in
    }
    do throws(SedimentError) {
      for number in candidates.subtracting(needed).sorted() { try end(number) }
      forgetEndedDictionaries()
    } catch  where error.code == .outOfSpace {
      // It takes no more room than before.
    }
  }

  /// Frees dictionaries that are given up and that no reader can need any more.
  private func forgetEndedDictionaries() {
    if endedDictionaries.isEmpty { return }
    let oldest = Readers.oldestEpoch(in: domain)
    for (number, tag) in endedDictionaries where tag < oldest { dictionaries.remove(number, retired) }
    endedDictionaries.removeAll { $0.tag < oldest }
  }

  /// Notes the dictionary that the record of an entry names; false, since the entry is to stay.
  private func note(_ entry: IndexEntry, in needed: inout Set<UInt32>) -> Bool {
    guard let found = try? record(at: entry.position << 3) else { return false }
    defer { found.release() }
    if let transform = found.view.transform, transform.dictionary != 0 { needed.insert(transform.dictionary) }
    return false
  }

  /// Removes a dictionary's record and its entry, as a batch.
  private func end(_ number: UInt32) throws(SedimentError) {
    try lock.withLock { () throws(SedimentError) in
      let writer = try checkWritable()
      guard writer.catalogue.dictionaries[number] != nil else { return }
      let form = RecordForm(kind: .remove, isBatched: true, collection: CollectionEntry.dictionaries)
      let key = DictionaryEntry.key(number)
      let byteCount =
        form.byteCount(keyByteCount: key.count, valueByteCount: 0)
        + Self.byteCount(of: CatalogueChange([.dictionaryGone(number: number)])!)
        + Limits.recordFixedByteCount + Commit.byteCount
      try writer.makeRoom(byteCount, for: .goingOn)
      let view = index.view
      let hash = unsafe view.hash(key.span.bytes, collection: CollectionEntry.dictionaries)
      var probe = view.probe(hash)
      let old = try locate(
        unsafe key.span.bytes, hash, in: CollectionEntry.dictionaries, view, verifying: false, probe: &probe)
      defer { old?.release() }
      var batch = BatchChecksum()
      _ = try writer.append(form, key: unsafe key.span.bytes, value: RawSpan(), .stored)
      _ = writer.addLastRecord(to: &batch)
      try appendMember(.dictionaryGone(number: number), &batch, writer)
      try writer.append(.commit(batch.commit!), .stored)
      if let old {
        old.segment.liveByteCount -= old.view.byteCount
        old.segment.liveCount -= 1
        writer.liveByteCount -= old.view.byteCount
        index.remove(probe)
      }
    }
    // Whoever has found a record that names it may still be inside.
    endedDictionaries.append((number, Readers.advance()))
  }
}
