// What the command, the interface for C and tests ask of a store beyond its public interface.

package import SedimentDisk
internal import Synchronization

extension SedimentStore {
  /// Writes a checkpoint, from which the next recovery begins, as the background does when one is due.
  package func checkpoint() throws {
    try engine.log.checkpoint()
  }

  /// Stores the index in the file, as the background does when it is due; false if that is not possible now.
  @discardableResult
  package func storeIndex() throws -> Bool {
    try engine.lifetime.check()
    return engine.indexStorer.storeIndex { [lifetime = engine.lifetime] in !lifetime.isClosed }
  }

  /// Gives a collection, or with nil the default one, a dictionary of the caller's.
  package func addDictionary(_ bytes: [UInt8], toCollection name: String?) throws {
    let keys = try name.map { try collection($0) } ?? defaultCollection
    guard let level = engine.compressor.level else { return }
    try engine.trainer.addDictionary(bytes, for: keys.state, level: level)
  }

  /// Throws `closed` or `forked` if the store cannot be used.
  package func checkUsable() throws(SedimentError) {
    try engine.lifetime.check()
  }

  /// Whether a write or sync has failed, so that no change is taken until the file was closed and opened again.
  package var hasFailed: Bool {
    // In a fork's child a lock that another thread had would stay taken.
    engine.lifetime.isForked ? false : engine.log.writer?.withLock { writer in writer.poison != nil } ?? false
  }

  /// The disk that has the file.
  package var disk: any Disk { reader.disk }

  /// The number of the last change, or 0 in a store that is only read.
  package var lastSequence: UInt64 { engine.log.lastSequence }

  /// What the store holds; for one that is only read, the log's end is read again for it.
  package func survey() throws -> StoreSurvey {
    var survey = StoreSurvey(statistics: statistics, segments: segments)
    guard !engine.lifetime.isForked, engine.log.writer == nil else { return survey }
    survey.add(try LogReading(StoreFile(engine.log.volume.file.file)).run(), engine.log.slots)
    return survey
  }

  /// What of the store's accounts is not as it should be, in words; see `AccountCheck`.
  ///
  /// It goes through the whole index and through all records; others wait meanwhile. Of a store that is closed, poisoned or
  /// only read nothing is told.
  package func accountFindings(isAlone: Bool = true) -> [String] {
    guard let compaction = engine.compactor.compaction, let writer = engine.log.writer,
      !engine.lifetime.isForked
    else { return [] }
    do throws(SedimentError) {
      try engine.reader.completeIndex()
    } catch {
      return error.code == .closed ? [] : ["the index cannot be completed: \(error)"]
    }
    return compaction.withLock { compaction in
      let check = compaction.accountCheck(isAlone: isAlone)
      return writer.withLock { writer in
        engine.lifetime.isClosed || writer.poison != nil ? [] : check.findings(&writer, readsSegments: true)
      }
    }
  }

  /// The background jobs that wait for their time or run, in words; none at rest.
  package var pendingJobs: [String] { engine.background.pendingJobs.map { "\($0)" } }

  /// What the background has left undone though none of its jobs is planned any more, in words; see `Engine`.
  package func restFindings(isHeld: Bool = false) -> [String] { engine.restFindings(isHeld: isHeld) }

  /// How many segments a backup keeps from being used again.
  package var pinnedGenerationCount: Int {
    engine.log.writer?.withLock { writer in writer.space.pinnedCount } ?? 0
  }
}

extension SedimentCollection {
  /// Calls a closure with each key and value that can be read, as `forEach` does, and another one with the error of each
  /// record that cannot.
  package func forEachReadable(
    _ body: (RawSpan, RawSpan) throws -> Void, failed: (SedimentError) throws -> Void
  ) throws {
    try store.reader.forEachReadable(state, body, failed)
  }

  /// Throws what a call with the collection would, if it cannot be used.
  package func checkUsable() throws(SedimentError) {
    try store.checkUsable()
    if state.isDropped.load(ordering: .relaxed) { throw .dropped(store.path) }
  }
}
