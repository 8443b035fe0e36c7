extension SedimentStore {
  /// What of the store's accounts is not as it should be, in words; see `AccountCheck`.
  ///
  /// It goes through the whole index and through all records; others wait meanwhile. Of a store that is closed, poisoned or
  /// only read nothing is told.
  package func accountFindings(isAlone: Bool = true) -> [String] {
    guard let compaction = engine.compactor.compaction, let writer = engine.log.writer,
      !engine.lifetime.isForked
    else { return [] }
    return compaction.withLock { compaction in
      let check = compaction.accountCheck(isAlone: isAlone)
      return writer.withLock { writer in
        engine.lifetime.isClosed || writer.poison != nil ? [] : check.findings(&writer, readsSegments: true)
      }
    }
  }
}
