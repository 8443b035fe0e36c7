extension SedimentStore {
  /// What the store holds; for one that is only read, the log's end is read again for it.
  package func survey() throws -> StoreSurvey {
    var survey = StoreSurvey(statistics: statistics, segments: segments)
    guard !engine.lifetime.isForked, engine.log.writer == nil else { return survey }
    survey.add(try LogReading(StoreFile(engine.log.volume.file.file)).run(), engine.log.slots)
    return survey
  }
}
