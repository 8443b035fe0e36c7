internal import SedimentFormat

/// Reads the log of an open file and writes nothing (DESIGN.md 7, steps 2 to 7).
package struct LogReading {
  private let file: StoreFile

  /// Where the window has what the log has not, it is laid over the file.
  package init(_ file: StoreFile) {
    self.file = file
  }

  /// The log as it counts; an error if the file is foreign, newer, damaged or cannot be read.
  package func run() throws(SedimentError) -> RecoveredLog {
    let head = try Head.read(from: file)
    let checkpoint = try CheckpointReading.read(
      head.leading, from: file, byteCount: try file.byteCount())
    let surveyed = checkpoint.replay.surveyed
    var replay = LogReplay(checkpoint, synced: head.watermark, closedEnd: head.leading.closedEnd)
    try replay.run()
    let watermark = max(head.watermark, replay.found.watermark ?? head.watermark)
    // A mark behind it may say that it was synced: then the window has what the medium has lost.
    if let first = replay.reader.firstFromRing, first < watermark {
      throw surveyed.damaged("what was known to be on the medium is not there", at: first.offset.byteOffset)
    }
    let firstSeen = Seen(replay)
    var ending = replay.reader.ending
    var side = SideCheck(surveyed, end: replay.progress.end)
    let sideEnd = try side.run(replay.found, from: watermark)
    if sideEnd < replay.progress.end {
      replay = LogReplay(checkpoint, synced: head.watermark, closedEnd: head.leading.closedEnd)
      try replay.run(upTo: sideEnd)
      ending = FormatError(.valuePlace, .checksum)
    }
    let end = replay.progress.end
    guard end >= head.watermark else {
      throw surveyed.damaged(
        "what was known to be on the medium is not there: \(ending?.description ?? "the log ends")",
        at: end.offset.byteOffset)
    }
    // Behind a log that ends where a close has left it no headers are looked for.
    var search = EvidenceSearch(behind: replay, isClosed: end == head.leading.closedEnd)
    if try search.run() != nil {
      throw surveyed.damaged(
        "the log breaks off before its known end: \(replay.reader.ending?.description ?? "")",
        at: end.offset.byteOffset)
    }
    try HeaderComparison(surveyed: surveyed, watermark: watermark)
      .run(replay.catalogue, adoptedAt: replay.found.adoptedAt, end: end)
    return log(replay, head, watermark, ending, firstSeen.joined(with: search), surveyed.byteCount)
  }

  /// The highest numbers that were seen in the log, whether they count or not.
  private struct Seen {
    var sequence: SequenceNumber
    var generation: Generation

    init(_ replay: LogReplay) {
      sequence = max(replay.catalogue.highestSequence, replay.reader.lastSequence ?? .zero)
      generation = max(replay.catalogue.highestGeneration, replay.reader.segment.generation)
    }

    func joined(with search: EvidenceSearch) -> Seen {
      var joined = self
      joined.sequence = max(sequence, search.highestSequence)
      joined.generation = max(generation, search.highestGeneration)
      return joined
    }
  }

  // MARK: The result

  private func log(
    _ replay: LogReplay, _ head: Head, _ watermark: LogPosition, _ ending: FormatError?, _ seen: Seen,
    _ fileByteCount: UInt64
  ) -> RecoveredLog {
    let progress = replay.progress
    return RecoveredLog(
      head: head, catalogue: replay.catalogue, end: progress.end, tail: progress.tail,
      lastSequence: progress.lastSequence ?? progress.tail.base, watermark: watermark,
      isClean: progress.end == head.leading.closedEnd,
      checkpoint: LogPosition(head.leading.segment.generation, head.leading.checkpoint),
      replayedByteCount: progress.byteCount, replayedRecordCount: progress.recordCount, ending: ending,
      cut: progress.end, clock: max(replay.found.clock, replay.catalogue.numbers.clocks.highest),
      highestSequence: seen.sequence, highestGeneration: seen.generation,
      patched: file.isPatched ? file : nil, unsecured: unsecured(replay, watermark, fileByteCount))
  }

  private func unsecured(
    _ replay: LogReplay, _ watermark: LogPosition, _ fileByteCount: UInt64
  ) -> RecoveredLog.Unsecured {
    let chain = replay.progress.chain
    var stretches: [RecoveredLog.Stretch] = []
    for (number, segment) in chain.enumerated() where segment.identity.generation >= watermark.generation {
      let end = number + 1 < chain.count ? chain[number + 1].seal?.end.offset : replay.progress.end.offset
      let isNew = segment.seal.map { $0.start >= watermark } ?? false
      stretches.append(
        RecoveredLog.Stretch(
          identity: segment.identity, base: segment.base, start: segment.start, end: end ?? segment.start,
          predecessor: isNew ? segment.seal?.end : nil))
    }
    let extents = replay.found.larges.filter { $0.unit >= watermark }.flatMap(\.place.pieces)
      .filter { replay.found.freedAt[$0.extent.generation] == nil }
    let survivors = replay.found.survivors.filter {
      $0.unit >= watermark && replay.found.freedAt[$0.entry.identity.generation] == nil
    }
    return RecoveredLog.Unsecured(
      fileByteCount: fileByteCount, chain: stretches, extents: extents, survivors: survivors.map(\.entry))
  }
}

extension Superblock {
  /// Where a close has left the log; nil if it was not closed.
  var closedEnd: LogPosition? { state == .closed ? watermark : nil }
}
