internal import SedimentDisk
internal import SedimentFormat

// What follows if parts of a stored index turn out to be no good when the store is open (DESIGN.md 7, step 8).

extension StoreOpening {
  /// How an index and all that is counted of it are made from the log of a file, as at an opening without a stored index.
  ///
  /// Nothing must have been changed since the opening.
  func rebuilding(
    _ index: HashIndex, by log: RecoveredLog, _ file: StoreFile, byteCount: UInt64, _ volume: Volume,
    _ collections: CollectionTable, _ writer: Locked<LogWriter>?
  ) -> IndexFilling.Rebuilding {
    { [disk] () throws(SedimentError) in
      let keyHash = KeyHash(low: disk.random(), high: disk.random())
      let new = HashIndex(keyHash: keyHash) { $0.free() }
      let source = unsafe RecordSource(
        file, byteCount: byteCount, mapped: volume.base, mappedByteCount: volume.mappedByteCount)
      let built = try IndexBuild(log, of: file, usingStoredIndex: false).run(into: new, source)
      // Nobody else has the writer's permit before all of the index is there.
      index.takeOver(new, WritePermit())
      for state in collections.all {
        state.recount(built.collections[state.number] ?? IndexBuildResult.Keys(), WritePermit())
      }
      writer?.withLock { writer in
        writer.recount(built)
        // What was scanned now the next opening would scan again.
        writer.noteUnstored(built.scannedByteCount)
      }
    }
  }
}

extension LogWriter {
  /// Takes over what lives in each segment with records.
  mutating func recount(_ built: IndexBuildResult) {
    liveByteCount = 0
    for entry in catalogue.segments where entry.holdsRecords {
      guard let segment = slots.segment(at: UInt64(entry.identity.run.first)) else { continue }
      let found = built.live(in: entry.identity.generation) ?? IndexBuildResult.Live()
      segment.counts(permit).liveByteCount = Int(found.byteCount)
      segment.counts(permit).liveCount = Int(found.recordCount)
      liveByteCount += Int(found.byteCount)
      if found.recordCount == 0 { noteEmptied(segment) }
    }
    ledger.noteAllShrunk()
    noteBudget()
  }
}
