internal import SedimentFormat

extension Contents {
  /// Takes what a scan has counted of a store that was not changed yet, instead of what stored accounts have said.
  func recount(_ built: IndexBuildResult) {
    let permit = WritePermit()
    for state in collections.all {
      let keys = built.collections[state.number] ?? IndexBuildResult.Keys()
      state.recount(CollectionState.Counts(keys), permit)
    }
    writer?.withLock { writer in
      writer.recount(built.segments)
      // What was scanned now the next opening would scan again.
      writer.noteUnstored(built.scannedByteCount)
    }
  }
}

extension CollectionState.Counts {
  /// What was counted of the keys of a collection.
  init(_ keys: IndexBuildResult.Keys) {
    self.init(
      keys: Int(clamping: keys.count), expiring: Int(clamping: keys.expiringCount),
      extentSlots: Int(clamping: keys.extentSlotCount))
  }
}

extension LogWriter {
  /// Takes over what lives in each segment with records.
  mutating func recount(_ live: [Generation: IndexBuildResult.Live]) {
    liveByteCount = 0
    for entry in catalogue.segments.values where entry.holdsRecords {
      guard let segment = slots.segment(at: UInt64(entry.identity.run.first)) else { continue }
      let found = live[entry.identity.generation] ?? IndexBuildResult.Live()
      segment.counts(permit).liveByteCount = Int(found.byteCount)
      segment.counts(permit).liveCount = Int(found.recordCount)
      liveByteCount += Int(found.byteCount)
      if found.recordCount == 0 { noteEmptied(segment) }
    }
    ledger.noteAllShrunk()
    noteBudget()
  }
}
