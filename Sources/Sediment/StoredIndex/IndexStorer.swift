internal import SedimentDisk
internal import SedimentFormat

/// Stores the index in the file, so that the next opening is quicker.
@safe
final class IndexStorer: AboveReader, Sendable {
  let reader: Reader
  let log: Log
  let compactor: Compactor
  let writer: Locked<LogWriter>?

  init(_ compactor: Compactor) {
    reader = compactor.log.reader
    log = compactor.log
    self.compactor = compactor
    writer = compactor.writer
  }
}

extension IndexStorer {
  /// A smaller index is made from the log as quickly as from parts.
  private static var storedKeyCountMin: Int { 4096 }

  func storeIndexInBackground() {
    guard lifetime.isUsable, let writer else { return }
    let isDue = writer.withLock { writer in
      // The index may have been stored meanwhile, or have grown.
      writer.plans.isStoringPlanned = false
      guard writer.wantsIndexStored else { return false }
      let pause = writer.pauseBeforeStoring(keyCount: index.count)
      if pause > 0 { background.planStoringIndex(after: pause, &writer) }
      return pause == 0
    }
    guard isDue else { return }
    let isStored = storeIndex { [lifetime] in !lifetime.isClosed }
    let now = reader.disk.monotonicClock()
    writer.withLock { writer in
      let next = writer.unstoredByteCount &+ Background.unstoredByteCountMin
      writer.plans.unstoredByteCountWaited = isStored ? 0 : next
      writer.unstored.byteCountMax = max(next, Background.unstoredByteCountMin)
      writer.unstored.attemptedAt = now
    }
  }

  /// Stores the index before the store is closed, if that saves the next opening more than a little.
  ///
  /// With nobody able to begin a change.
  func storeIndexAtClose() {
    guard let writer, options.storesIndex, index.count >= Self.storedKeyCountMin else { return }
    guard (try? log.prepare(atClose: true)) != nil else { return }
    let pays = writer.withLock { writer in
      let liveByteCount = UInt64(max(writer.liveByteCount, 0))
      return writer.unstoredByteCount > max(1 << 20, liveByteCount / 16)
    }
    if pays { _ = storeIndex { true } }
  }

  // MARK: How

  /// Writes the index to the file and lets the log adopt it; false, with nothing changed, if that cannot be done now.
  ///
  /// It is only there to make the next opening quicker, so that it could not be done is nobody's error. `mayGoOn` is
  /// asked with the writer before anything is changed.
  func storeIndex(while mayGoOn: () -> Bool) -> Bool {
    compactor.storingLock.withLock {
      guard let writer, let compaction = compactor.compaction else { return false }
      // At a close that was done before. It waits until the index is complete.
      if !lifetime.isClosed, (try? log.prepare()) == nil { return false }
      if index.isCrowded { return false }
      let moment = compaction.withLock { _ in
        writer.withLock { writer -> IndexMoment? in
          guard mayGoOn(), writer.poison == nil else { return nil }
          return IndexMoment(writer, index.view)
        }
      }
      guard let moment else { return false }
      var parts = IndexPartWriting(reader, writer, compaction, log.returned, moment)
      let isWritten = (try? parts.run(while: mayGoOn)) ?? false
      return writer.withLock { writer in
        isWritten && mayGoOn() && adopt(&parts, moment, &writer)
      }
    }
  }

  /// Appends the change by which the new parts are there and the ones before are not.
  private func adopt(_ written: inout IndexPartWriting, _ moment: IndexMoment, _ writer: inout LogWriter)
    -> Bool
  {
    guard writer.poison == nil, index.view.keyHash == moment.keyHash else { return false }
    let parts = written.parts
    let old = writer.catalogue.indexParts
    let entries =
      parts.map { CatalogueEntry.indexPart($0) }
      + old.map { CatalogueEntry.freed(slot: $0.segment.run.first, generation: $0.segment.generation) }
    guard CatalogueChange(entries) != nil, let sequence = try? log.change(entries, for: .storing, &writer)
    else {
      return false
    }
    for part in parts { writer.space.adopt(part.segment.run, from: &written.reservation) }
    writer.free(old.map(\.segment), by: sequence)
    writer.noteUnstored(0, asOf: moment.appendedByteCount)
    return true
  }
}

/// How much of the log the stored index does not know, by the bytes that were ever appended or moved, and when the
/// background may store it.
package struct UnstoredLog {
  /// How much had ever been appended or moved when the index knew all of it, as it were.
  fileprivate var knownTotal: UInt64 = 0
  /// The bytes from which on the index should be stored in the background.
  var byteCountMax = UInt64.max
  /// When the last attempt to store it ended; at first when the store was opened, or nil if that had to scan so much
  /// that storing does not wait.
  package var attemptedAt: UInt64?

  /// Of so many nanoseconds for each key storing takes about a fiftieth, nearly all of it for the records' heads.
  private static let nanosecondsPerKey: UInt64 = 5_000

  package init() {}

  /// For how many nanoseconds an index of so many keys must not be stored yet.
  package func pause(at now: UInt64, keyCount: Int) -> UInt64 {
    guard let attemptedAt else { return 0 }
    let wanted = UInt64(keyCount) &* Self.nanosecondsPerKey
    let passed = now &- attemptedAt
    return passed < wanted ? wanted - passed : 0
  }
}

extension LogWriter {
  /// The bytes of records that an opening would scan if this one crashed now; some more where segments were freed.
  var unstoredByteCount: UInt64 { writtenTotal &- unstored.knownTotal }

  /// Whether the index should be stored in the background, and that is not planned.
  var wantsIndexStored: Bool { unstoredByteCount > unstored.byteCountMax && !plans.isStoringPlanned }

  /// For how many nanoseconds an index of so many keys must not be stored yet.
  func pauseBeforeStoring(keyCount: Int) -> UInt64 {
    unstored.pause(at: disk.monotonicClock(), keyCount: keyCount)
  }

  /// Notes how much of the log the stored index does not know at this moment, or did not when so much had ever been
  /// appended and moved.
  mutating func noteUnstored(_ byteCount: UInt64, asOf mark: UInt64? = nil) {
    unstored.knownTotal = (mark ?? writtenTotal) &- byteCount
  }
}
