internal import SedimentFormat

/// The log of a file as far as it can be had, whether the file can be opened or not.
struct LogSurvey {
  /// What opening would come to; nil if it fails.
  private(set) var recovered: RecoveredLog?
  /// Why opening would fail.
  private(set) var failure: SedimentError?
  /// The catalogue at `end`; nil if there is no checkpoint.
  private(set) var catalogue: Catalogue?
  /// The entry of the segment that the log ends in, and where that is.
  private(set) var tail: SegmentEntry?
  private(set) var end: LogPosition?
  /// The highest position that a superblock or mark knows to be on the medium.
  private(set) var watermark: LogPosition?
  /// Whether nothing is known of the log behind `end`.
  private(set) var isComplete = false

  /// A survey that knows nothing.
  init() {}

  /// Where the records of a segment of the catalogue end; nil if that is not known.
  func end(of entry: SegmentEntry) -> UInt64? {
    if let end = entry.end { return end.byteOffset }
    guard isComplete, let end, end.generation == entry.identity.generation else { return nil }
    return end.offset.byteOffset
  }

  /// Up to where a superblock or mark says that a segment of the log was on the medium.
  func leastEnd(of segment: SegmentIdentity) -> UInt64 {
    guard let watermark, watermark.generation == segment.generation else { return 0 }
    return min(watermark.offset.byteOffset, segment.run.byteRange.upperBound)
  }

  /// Reads the log as opening does and, if that fails, from each of the superblocks as far as that goes.
  ///
  /// Throws only if the file is of a newer version, or if the caller stops it.
  static func read(
    _ file: StoreFile, _ superblocks: [Superblock], byteCount: UInt64
  ) throws(SedimentError) -> LogSurvey {
    var survey = LogSurvey()
    do throws(SedimentError) {
      let log = try LogReading(file).run()
      survey.recovered = log
      (survey.catalogue, survey.tail, survey.end) = (log.catalogue, log.tail, log.end)
      survey.watermark = log.watermark
      survey.isComplete = true
    } catch {
      if error.code == .newer || error.code == .cancelled { throw error }
      survey.failure = error
      survey.readPart(
        file, superblocks, byteCount: byteCount, watermark: superblocks.map(\.watermark).max())
    }
    return survey
  }

  /// Takes what the superblock gives that leads furthest; `known` is what is known to be on the medium besides.
  mutating func readPart(
    _ file: StoreFile, _ superblocks: [Superblock], byteCount: UInt64, watermark known: LogPosition?
  ) {
    for block in superblocks {
      guard let (replay, isWhole) = Self.replay(file, block, byteCount) else { continue }
      let progress = replay.progress
      if let end, end >= progress.end { continue }
      (catalogue, tail, end) = (replay.catalogue, progress.tail, progress.end)
      watermark = [known, replay.found.watermark].compactMap(\.self).max()
      let isBehindKnown = watermark.map { $0 <= progress.end } ?? true
      isComplete = isWhole && isBehindKnown && !Self.goesOn(behind: replay)
    }
  }

  /// A replay, and whether it came to the end of the log without finding it damaged.
  private static func replay(
    _ file: StoreFile, _ block: Superblock, _ byteCount: UInt64
  ) -> (replay: LogReplay, isWhole: Bool)? {
    let read = try? CheckpointReading.read(block, from: file, byteCount: byteCount)
    guard let checkpoint = read ?? readWithoutHeader(file, block, byteCount) else { return nil }
    var replay = LogReplay(checkpoint, synced: block.watermark, closedEnd: block.closedEnd)
    if (try? replay.run()) != nil { return (replay, true) }
    // What the damaged record did may be half done, so everything is done again up to there.
    let end = replay.progress.end
    replay = LogReplay(checkpoint, synced: block.watermark, closedEnd: block.closedEnd)
    return (try? replay.run(upTo: end)) == nil ? nil : (replay, false)
  }

  /// Whether there is evidence that the log once went on behind where it was found to end.
  private static func goesOn(behind replay: LogReplay) -> Bool {
    var search = EvidenceSearch(behind: replay)
    do throws(SedimentError) {
      return try search.run() != nil
    } catch {
      return true
    }
  }

  /// The checkpoint of a superblock whose segment has lost its header, by the entry that the first part has of it.
  private static func readWithoutHeader(
    _ file: StoreFile, _ block: Superblock, _ byteCount: UInt64
  ) -> CheckpointReading? {
    let surveyed = SurveyedFile(file: file, identity: block.identity, byteCount: byteCount)
    var cursor = RecordCursor(
      surveyed, block.segment, base: .zero, from: block.checkpoint.byteOffset, isCareful: true)
    guard case .success(let header)? = try? cursor.next(),
      case .checkpointPart(let part)? = try? cursor.control(header)
    else { return nil }
    for entry in part.entries {
      guard case .segment(let segment) = entry, segment.identity == block.segment else { continue }
      return try? CheckpointReading.read(block, from: file, byteCount: byteCount, base: segment.base)
    }
    return nil
  }
}
