internal import SedimentDisk
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

  private init() {}

  /// Reads the log as opening does and, if that fails, from each of the superblocks as far as that goes.
  ///
  /// Throws only if the file is of a newer version.
  static func read(_ file: StoreFile, _ superblocks: [Superblock]) throws(SedimentError) -> LogSurvey {
    var survey = LogSurvey()
    do throws(SedimentError) {
      let log = try LogReading(file).run()
      survey.recovered = log
      (survey.catalogue, survey.tail, survey.end) = (log.catalogue, log.tail, log.end)
      survey.watermark = log.watermark
      survey.isComplete = true
    } catch {
      if error.code == .newer { throw error }
      survey.failure = error
      try survey.readPart(file, superblocks, watermark: superblocks.map(\.watermark).max())
    }
    return survey
  }

  /// Takes what the superblock gives that leads furthest; `known` is what is known to be on the medium besides.
  mutating func readPart(
    _ file: StoreFile, _ superblocks: [Superblock], watermark known: LogPosition?
  ) throws(SedimentError) {
    let fileByteCount = try file.byteCount()
    for block in superblocks {
      guard let replay = Self.replay(file, block, fileByteCount) else { continue }
      let progress = replay.progress
      if let end, end >= progress.end { continue }
      (catalogue, tail, end) = (replay.catalogue, progress.tail, progress.end)
      watermark = [known, replay.found.watermark].compactMap(\.self).max()
      let isBehindKnown = watermark.map { $0 <= progress.end } ?? true
      isComplete = replay.isWhole && isBehindKnown && !Self.goesOn(behind: replay.log, file, fileByteCount)
    }
  }

  /// A replay, and whether it came to the end of the log without finding it damaged.
  private struct PartialReplay {
    let log: LogReplay
    let isWhole: Bool

    var catalogue: Catalogue { log.catalogue }
    var progress: LogReplay.Progress { log.progress }
    var found: LogReplay.Findings { log.found }
  }

  private static func replay(
    _ file: StoreFile, _ block: Superblock, _ fileByteCount: UInt64
  ) -> PartialReplay? {
    let read = try? CheckpointReading.read(block, from: file, fileByteCount: fileByteCount)
    guard let checkpoint = read ?? readWithoutHeader(file, block, fileByteCount) else { return nil }
    var replay = LogReplay(checkpoint, synced: block.watermark, closedEnd: block.closedEnd)
    if (try? replay.run()) != nil { return PartialReplay(log: replay, isWhole: true) }
    // What the damaged record did may be half done, so everything is done again up to there.
    let end = replay.progress.end
    replay = LogReplay(checkpoint, synced: block.watermark, closedEnd: block.closedEnd)
    return (try? replay.run(upTo: end)) == nil ? nil : PartialReplay(log: replay, isWhole: false)
  }

  /// Whether there is evidence that the log once went on behind where it was found to end.
  private static func goesOn(
    behind replay: LogReplay, _ file: StoreFile, _ fileByteCount: UInt64
  ) -> Bool {
    var search = EvidenceSearch(behind: replay, in: file, fileByteCount: fileByteCount, isClosed: false)
    do throws(SedimentError) {
      return try search.run() != nil
    } catch {
      return true
    }
  }

  // MARK: Without the segment's header

  /// The checkpoint of a superblock whose segment has lost its header, by the entry that the first part has of it.
  private static func readWithoutHeader(
    _ file: StoreFile, _ block: Superblock, _ fileByteCount: UInt64
  ) -> CheckpointReading? {
    let start = block.checkpoint.byteOffset
    let limit = min(block.segment.run.byteRange.upperBound, fileByteCount)
    guard start < limit else { return nil }
    var window = CarefulWindow(file)
    window.load(from: start, limit: min(limit, start + UInt64(2 * FileWindow.pieceByteCount)))
    let place = RecordPlace(
      seed: block.segment.seed(in: block.identity), base: .zero, offset: block.checkpoint)
    let bytes = unsafe window.buffer.span.bytes.extracting(0..<window.byteCount)
    guard let header = try? RecordHeader.decode(bytes, at: place),
      case .checkpointPart(let part)? = try? ControlRecord.decode(bytes.extracting(header.valueRange))
    else { return nil }
    for entry in part.entries {
      guard case .segment(let segment) = entry, segment.identity == block.segment else { continue }
      return try? CheckpointReading.read(
        block, from: file, fileByteCount: fileByteCount, base: segment.base)
    }
    return nil
  }
}
