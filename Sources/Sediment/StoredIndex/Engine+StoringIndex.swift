internal import SedimentDisk
internal import SedimentFormat

extension Engine {
  /// The bytes of the log that an opening scans without much ado.
  static var unstoredByteCountMin: UInt64 { 32 << 20 }
  /// A smaller index is made from the log as quickly as from parts.
  private static var storedKeyCountMin: Int { 4096 }
  /// The keys of a store without mapped memory whose index is stored: each of them takes a read of the file.
  private static var unmappedKeyCountMax: Int { 100_000 }

  // MARK: When

  /// Stores the index if the log has grown by enough since it was stored last.
  ///
  /// Under the lock.
  func planStoringIndex(_ writer: LogWriter) {
    guard writer.wantsIndexStored, !work.isStoringPlanned, let store = work.storeIndex else { return }
    let indexByteCount = UInt64(max(index.byteCount, 0))
    let limit = max(Self.unstoredByteCountMin, indexByteCount &* 16)
    // After an attempt that came to nothing it is higher.
    writer.unstored.byteCountMax = max(limit, work.unstoredByteCountWaited)
    guard writer.wantsIndexStored else { return }
    work.isStoringPlanned = true
    scheduler.schedule(store, after: 0)
  }

  func storeIndexInBackground() {
    guard !isForked, !conditions.isClosed, let writer else { return }
    let isStored = storeIndex { [conditions] in !conditions.isClosed }
    lock.withLock {
      work.isStoringPlanned = false
      let next = writer.unstoredByteCount &+ Self.unstoredByteCountMin
      work.unstoredByteCountWaited = isStored ? 0 : next
      writer.unstored.byteCountMax = max(next, Self.unstoredByteCountMin)
    }
  }

  /// Stores the index before the store is closed, if that saves the next opening more than a little.
  ///
  /// With nobody able to begin a change.
  func storeIndexAtClose() {
    let pays = lock.withLock {
      guard let writer, isHeadOpen, index.count >= Self.storedKeyCountMin else { return false }
      let liveByteCount = UInt64(max(writer.liveByteCount, 0))
      return writer.unstoredByteCount > max(1 << 20, liveByteCount / 16)
    }
    if pays, options.storesIndex { _ = storeIndex { true } }
  }

  // MARK: How

  /// Writes the index to the file and lets the log adopt it; false, with nothing changed, if that cannot be done now.
  ///
  /// It is only there to make the next opening quicker, so that it could not be done is nobody's error. `mayGoOn` is
  /// asked under the lock before anything is changed.
  func storeIndex(while mayGoOn: () -> Bool) -> Bool {
    storingLock.withLock {
      guard let writer, !index.isCrowded, index.count <= storedKeyCountMax else { return false }
      let moment: IndexMoment? = maintenanceLock.withLock {
        lock.withLock {
          guard mayGoOn(), writer.poison == nil, (try? prepareStoring(writer)) != nil else { return nil }
          return indexMoment(writer)
        }
      }
      guard let moment else { return false }
      var parts = IndexPartWriting(self, writer, moment)
      let isWritten = (try? parts.run(while: mayGoOn)) ?? false
      return lock.withLock {
        if isWritten, mayGoOn(), adopt(parts.parts, moment, writer) { return true }
        if writer.poison == nil { parts.giveBack() }
        return false
      }
    }
  }

  private var storedKeyCountMax: Int {
    log.mappedByteCount == 0 ? Self.unmappedKeyCountMax : .max
  }

  /// Sees to what an opening needs before its first change; at a close nobody else does any more.
  ///
  /// Under the lock.
  private func prepareStoring(_ writer: LogWriter) throws(SedimentError) {
    if isPrepared { return }
    if !conditions.isClosed {
      _ = try checkWritable()
      return
    }
    guard isHeadOpen else { throw .closed(path) }
    try writer.prepare()
    isPrepared = true
  }

  /// Appends the change by which the new parts are there and the ones before are not.
  ///
  /// Under the lock.
  private func adopt(_ parts: [IndexPartEntry], _ moment: IndexMoment, _ writer: LogWriter) -> Bool {
    guard writer.poison == nil, index.view.keyHash == moment.keyHash else { return false }
    let old = writer.catalogue.indexParts
    let entries =
      parts.map { CatalogueEntry.indexPart($0) }
      + old.map { CatalogueEntry.freed(slot: $0.segment.run.first, generation: $0.segment.generation) }
    guard CatalogueChange(entries) != nil, let sequence = try? change(entries, for: .storing, writer) else {
      return false
    }
    for part in parts { writer.unadoptedSlotCount -= part.segment.run.count }
    let tag = Readers.advance()
    for part in old {
      writer.release(part.segment.run, part.segment.generation, freedBy: sequence, tag: tag)
    }
    writer.noteUnstored(0, asOf: moment.appendedByteCount)
    return true
  }
}
