package import SedimentFormat

/// Reads the log of an open file and writes nothing (DESIGN.md 7, steps 2 to 7).
package struct LogReading {
  private let file: StoreFile

  /// Where the window has what the log has not, it is laid over the file.
  package init(_ file: StoreFile) {
    self.file = file
  }

  /// The log as it counts; an error if the file is foreign, newer, damaged or cannot be read.
  ///
  /// With `leavingHeaders`, the headers of a clean log's segments are left to the caller. Records from `limit` on, where a
  /// record begins or the log ends, do not count. With `forgettingUnwritten`, a file that was not closed is read as the disk
  /// has it: the cache may have what the medium lacks, and never would get.
  package func run(
    leavingHeaders: Bool = false, upTo limit: LogPosition? = nil, forgettingUnwritten: Bool = false
  ) throws(SedimentError) -> RecoveredLog {
    let head = try Head.read(from: file)
    if forgettingUnwritten, head.leading.state == .open { file.forgetUnwritten() }
    let byteCount = try file.byteCount()
    var replay = try replay(head, byteCount: byteCount)
    try replay.run(upTo: limit)
    let surveyed = replay.reader.surveyed
    let watermark = max(head.watermark, replay.found.watermark ?? head.watermark)
    // A mark behind it may say that it was synced: then the window has what the medium has lost.
    if let first = replay.reader.firstFromRing, first < watermark {
      throw surveyed.damaged("what was known to be on the medium is not there", at: first.offset.byteOffset)
    }
    // The numbers of what does not count must not come again either.
    var highestSequence = max(replay.catalogue.highestSequence, replay.reader.lastSequence ?? .zero)
    var highestGeneration = max(replay.catalogue.highestGeneration, replay.reader.segment.generation)
    var ending = replay.reader.ending
    let sideEnd = try SideCheck(surveyed).run(replay.found, from: watermark, to: replay.progress.end)
    if sideEnd < replay.progress.end {
      replay = try self.replay(head, byteCount: byteCount)
      try replay.run(upTo: sideEnd)
      ending = FormatError(.valuePlace, .checksum)
    }
    let progress = replay.progress
    let end = progress.end
    guard end >= head.watermark else {
      throw surveyed.damaged(
        "what was known to be on the medium is not there: \(ending?.description ?? "the log ends")",
        at: end.offset.byteOffset)
    }
    let isClean = end == head.leading.closedEnd
    var search = EvidenceSearch(behind: replay)
    // Behind a log that is closed nothing was appended (invariant 7), so that can wait until something is to be.
    if !isClean { try search.check() }
    highestSequence = max(highestSequence, search.highestSequence)
    highestGeneration = max(highestGeneration, search.highestGeneration)
    let headers = try headers(of: replay, in: surveyed, watermark)
    let areLeft = leavingHeaders && isClean
    if !areLeft { try headers.run() }
    return RecoveredLog(
      head: head, catalogue: replay.catalogue, end: end, tail: progress.tail,
      lastSequence: progress.lastSequence ?? progress.tail.base, watermark: watermark, isClean: isClean,
      checkpoint: LogPosition(head.leading.segment.generation, head.leading.checkpoint),
      replayedByteCount: progress.byteCount, replayedRecordCount: progress.recordCount, ending: ending,
      clock: max(replay.found.clock, replay.catalogue.numbers.clocks.highest),
      highestSequence: highestSequence, highestGeneration: highestGeneration,
      patched: file.isPatched ? file : nil, unsecured: unsecured(replay, watermark, surveyed.byteCount),
      uncheckedHeaders: areLeft ? headers : nil, uncheckedEnd: isClean ? search.postponed : nil)
  }

  /// A replay from the checkpoint that the leading superblock names.
  private func replay(_ head: Head, byteCount: UInt64) throws(SedimentError) -> LogReplay {
    LogReplay(
      try CheckpointReading.read(head.leading, from: file, byteCount: byteCount),
      synced: head.watermark, closedEnd: head.leading.closedEnd)
  }

  /// Holds the final catalogue against the file: its segments must lie in the file (DESIGN.md 7, step 7).
  ///
  /// The result is those that must have the headers that it describes, since they were adopted below the watermark.
  private func headers(
    of replay: LogReplay, in surveyed: SurveyedFile, _ watermark: LogPosition
  ) throws(SedimentError) -> HeaderCheck {
    let end = replay.progress.end
    // Nothing depends on the window once the log was read.
    for entry in replay.catalogue.segments where entry.identity.kind != .window {
      let range = entry.identity.run.byteRange
      let isTail = entry.identity.generation == end.generation
      let needed = isTail ? end.offset.byteOffset : entry.end?.byteOffset ?? range.upperBound
      guard needed <= surveyed.byteCount else {
        throw surveyed.damaged("the file ends before a segment does", at: range.lowerBound)
      }
    }
    return HeaderCheck(
      surveyed: surveyed, segments: replay.catalogue.segments,
      uncertain: Set(replay.found.adoptedAt.lazy.filter { $0.value >= watermark }.map(\.key)))
  }

  private func unsecured(
    _ replay: LogReplay, _ watermark: LogPosition, _ fileByteCount: UInt64
  ) -> RecoveredLog.Unsecured {
    var unsecured = RecoveredLog.Unsecured(
      fileByteCount: fileByteCount,
      stretches: replay.progress.chain.filter { $0.identity.generation >= watermark.generation })
    for (unit, piece) in replay.found.sides
    where unit >= watermark && replay.found.freedAt[piece.generation] == nil {
      switch piece {
      case .extent(let piece): unsecured.extents.append(piece)
      case .survivors(let entry):
        let start = entry.identity.recordRange.lowerBound
        unsecured.stretches.append(
          LogStretch(
            header: SegmentHeader(identity: entry.identity, base: entry.base, floor: entry.floor),
            start: start, end: entry.end ?? start, adoptedAt: unit))
      }
    }
    return unsecured
  }
}

extension Superblock {
  /// Where a close has left the log; nil if it was not closed.
  var closedEnd: LogPosition? { state == .closed ? watermark : nil }
}

/// What reading the log came to (DESIGN.md 7, steps 2 to 7): the catalogue at its end, and where that is.
///
/// Nothing was written for it. Unless the log is clean, `Securing` makes it durable before anything is served.
package struct RecoveredLog: Sendable {
  /// The two superblocks.
  package internal(set) var head: Head
  /// The catalogue at the log's end, the entry of the tail counted up to there.
  package internal(set) var catalogue: Catalogue
  /// Behind the last record that counts.
  package internal(set) var end: LogPosition
  /// The segment that the log ends in; what it holds is in the catalogue's entry.
  package internal(set) var tail: SegmentEntry
  /// The sequence of the last record that counts.
  package internal(set) var lastSequence: SequenceNumber
  /// Everything below it was known to be on the medium when the log was read.
  package internal(set) var watermark: LogPosition
  /// Whether the log was closed in order and nothing needs to be done to it.
  package internal(set) var isClean: Bool
  /// Where the checkpoint begins that was used, or that securing the log made.
  package internal(set) var checkpoint: LogPosition
  /// Behind how many bytes of records the next checkpoint will have to replay so far.
  package internal(set) var replayedByteCount: UInt64
  package internal(set) var replayedRecordCount: UInt64
  /// Why the log ends where it does; nil where its segment is full to its end.
  package internal(set) var ending: FormatError?
  /// The latest wall clock that a mark or the catalogue tells, in milliseconds.
  package let clock: UInt64
  /// The highest numbers that anything seen names: after a cut, the next are far above.
  package internal(set) var highestSequence: SequenceNumber
  package internal(set) var highestGeneration: Generation
  /// The file with what its window has laid over the log; nil if that is nothing, or was written to its place.
  package internal(set) var patched: StoreFile?
  /// What stands above the watermark, for `Securing`.
  var unsecured: Unsecured
  /// What is still to be asked of the file, nil if it was; the second before anything is appended.
  let uncheckedHeaders: HeaderCheck?
  let uncheckedEnd: EvidenceSearch?

  /// What is to be written again, since reading it proved only that the cache has it.
  struct Unsecured: Sendable {
    let fileByteCount: UInt64
    /// Records of the hot log, and of the survivors adopted at or above the watermark that the catalogue still holds.
    var stretches: [LogStretch] = []
    /// The extents of puts at or above the watermark that the catalogue still holds.
    var extents: [ValuePlace.Piece] = []
  }
}

/// Asks whether segments have the headers that the catalogue describes (DESIGN.md 7, step 7).
struct HeaderCheck: Sendable {
  fileprivate let surveyed: SurveyedFile
  fileprivate let segments: SegmentEntries
  /// Those of which it is not known that their headers are on the medium.
  fileprivate let uncertain: Set<Generation>

  private var rows: [[SegmentEntry]] { segments.ordered.rows }

  /// Another thread reads the headers of so many parts of each row; a header takes about a microsecond.
  private static let partCount = 4

  /// Checks while something else is done, which is thrown away if a header is no good.
  func run<Result>(beside body: () throws(SedimentError) -> Result) throws(SedimentError) -> Result {
    if rows.count <= 1 { return try run(before: body) }
    let check = SharedWork(count: rows.count * Self.partCount) { (number) throws(SedimentError) in
      let (row, part) = (rows[number / Self.partCount], number % Self.partCount)
      let start = row.count * part / Self.partCount
      try run(row[start..<row.count * (part + 1) / Self.partCount])
      return true
    }
    do throws(SedimentError) {
      let result = try body()
      _ = try check.end()
      return result
    } catch {
      _ = try check.end()
      throw error
    }
  }

  func run<Result>(before body: () throws(SedimentError) -> Result) throws(SedimentError) -> Result {
    try run()
    return try body()
  }

  fileprivate func run() throws(SedimentError) {
    for row in rows { try run(row[...]) }
  }

  private func run(_ some: ArraySlice<SegmentEntry>) throws(SedimentError) {
    for entry in some {
      // Nothing depends on the headers of these.
      if entry.identity.kind == .window || entry.identity.kind == .index { continue }
      if uncertain.contains(entry.identity.generation) { continue }
      guard let error = try surveyed.headerFault(of: entry) else { continue }
      throw SedimentError(
        error, path: surveyed.file.path, offset: entry.identity.run.byteRange.lowerBound)
    }
  }
}

/// A run of records of one segment.
struct LogStretch: Sendable {
  let header: SegmentHeader
  let start: UnitOffset
  var end: UnitOffset
  /// Where the record stands that names the segment; nil where the log was read from a checkpoint on.
  var adoptedAt: LogPosition?

  var identity: SegmentIdentity { header.identity }
}
