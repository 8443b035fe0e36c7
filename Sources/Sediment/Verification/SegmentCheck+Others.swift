internal import SedimentFormat

// Segments without records: large values, parts of the stored index, the window.

extension SegmentCheck {
  /// Holds the large values against their checksums, and what the records say of them against the catalogue.
  ///
  /// `isWhole` says that all records are there, so that what none of them leads to is nobody's.
  mutating func checkExtents(
    _ larges: [(place: ValuePlace, position: UInt64, isLive: Bool)], isWhole: Bool
  ) throws(SedimentError) {
    var pieces: [Generation: (piece: ValuePlace.Piece, isLive: Bool)] = [:]
    var lost: [ValuePlace.Piece] = []
    for large in larges {
      for piece in large.place.pieces {
        let wasLive = pieces[piece.extent.generation]?.isLive ?? false
        if wasLive, large.isLive { reportSharedExtent(at: large.position) }
        pieces[piece.extent.generation] = (piece, wasLive || large.isLive)
        let isKnown = catalogue.segments[piece.extent.generation]?.identity == piece.extent
        guard large.isLive, !isKnown else { continue }
        // A catalogue that breaks off early cannot know them all.
        guard survey.isComplete else {
          lost.append(piece)
          continue
        }
        let start = large.position * UInt64(Limits.unitByteCount)
        report.add(
          .inconsistent, start..<start + UInt64(Limits.unitByteCount),
          "A large value leads to bytes that the catalogue does not know. \(Advice.restore)")
      }
    }
    // Extents to which no record leads that counts; neighbours are told of together.
    var orphans = ByteRuns()
    for entry in entries where entry.identity.kind == .extent {
      checkHeader(entry)
      let found = pieces[entry.identity.generation]
      if let found, found.piece.extent == entry.identity {
        try checkExtent(found.piece, isLive: found.isLive)
      } else {
        try readUnchecked(entry.identity)
      }
      if found?.isLive != true { orphans.insert(entry.identity.run.byteRange) }
    }
    // What no catalogue keeps apart may overlap.
    var read = SlotRuns()
    for piece in lost {
      let slots = piece.extent.run.first..<piece.extent.run.end
      if read.overlaps(slots) { continue }
      read.insert(slots)
      try checkExtent(piece, isLive: true)
    }
    guard isWhole, survey.isComplete else { return }
    for range in orphans.runs {
      report.add(
        .orphaned, range,
        "No record leads to these \(range.count) bytes of large values, which were replaced, removed or cleared. A store "
          + "that is open or was not closed may not have come to freeing them; compaction does it.")
    }
  }

  private mutating func reportSharedExtent(at position: UInt64) {
    let start = position * UInt64(Limits.unitByteCount)
    report.add(
      .inconsistent, start..<start + UInt64(Limits.unitByteCount),
      "A large value leads to bytes that belong to another one as well. \(Advice.restore)")
  }

  private mutating func checkExtent(_ piece: ValuePlace.Piece, isLive: Bool) throws(SedimentError) {
    let extent = ExtentReading(piece, of: surveyed.file, surveyed.identity)
    let run = piece.extent.run.byteRange
    guard holes.admits(piece) else {
      report.add(
        .corrupt, run, "More large values lie in holes of the file than it can have. \(Advice.restore)")
      return try readUnchecked(piece.extent)
    }
    let table = check("The checksums of a large value", extent.tableRange) {
      () throws(SedimentError) in try extent.table()
    }
    // Bytes whose checksum is damaged itself may be right.
    for number in extent.chunks {
      _ = check("A large value", extent.range(ofChunk: number)) {
        () throws(SedimentError) in try extent.chunk(number, table)
      }
    }
    let end = extent.tableRange.upperBound
    var segment = VerificationReport.Segment(
      piece.extent, usedByteCount: end - run.lowerBound, isInUse: true)
    segment.liveByteCount = isLive ? piece.storedByteCount : 0
    segment.deadByteCount = isLive ? 0 : piece.storedByteCount
    report.segments.append(segment)
    try readRest(of: piece.extent, behind: end)
  }

  /// Reads a part of a large value, and tells if that cannot be or is not what was written.
  private mutating func check(
    _ what: String, _ range: Range<UInt64>, _ read: () throws(SedimentError) -> [UInt8]?
  ) -> [UInt8]? {
    do throws(SedimentError) {
      if let bytes = try read() { return bytes }
      report.add(.corrupt, range, "\(what) does not match what was written. \(Advice.restore)")
    } catch {
      report.add(.unreadable, range, "\(what) cannot be read by the disk. \(Advice.disk)")
    }
    return nil
  }

  /// Looks at the parts of the stored index and at the window, on which nothing depends once the log was read.
  mutating func checkCaches() throws(SedimentError) {
    let pages = IndexPartReading(surveyed.file, surveyed.identity)
    for part in catalogue.indexParts {
      // It is a cache that nothing waits for, so a crash may leave it torn, and that it is not whole is no damage.
      if unsafe (try? pages.read(part)) == nil {
        report.add(
          .torn, part.segment.run.byteRange,
          "A part of the stored index is not whole. Opening reads the log instead, which takes longer.")
      }
      try readUnchecked(part.segment)
    }
    if let window = catalogue.window { try readUnchecked(window) }
  }

  /// Adds a segment to the report of which no more can be told than whether the disk can read it.
  private mutating func readUnchecked(_ segment: SegmentIdentity) throws(SedimentError) {
    let run = segment.run.byteRange
    report.segments.append(
      VerificationReport.Segment(segment, usedByteCount: UInt64(run.count), isInUse: true))
    try readRest(of: segment, behind: run.lowerBound)
  }
}
