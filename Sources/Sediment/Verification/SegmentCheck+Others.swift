internal import SedimentFormat

// Segments without records: large values, parts of the stored index, the window.

extension SegmentCheck {
  /// Holds the large values against their checksums, and what the records say of them against the catalogue.
  ///
  /// `isWhole` says that all records are there, so that what none of them leads to is nobody's.
  func checkExtents(
    _ entries: [SegmentEntry], _ larges: [(place: ValuePlace, position: UInt64, isLive: Bool)], isWhole: Bool,
    _ report: inout VerificationReport, _ meter: inout ProgressMeter
  ) throws(SedimentError) {
    var pieces: [Generation: (piece: ValuePlace.Piece, isLive: Bool)] = [:]
    var lost: [ValuePlace.Piece] = []
    for large in larges {
      for piece in large.place.pieces {
        let wasLive = pieces[piece.extent.generation]?.isLive ?? false
        pieces[piece.extent.generation] = (piece, wasLive || large.isLive)
        let isKnown = catalogue.segments[piece.extent.generation]?.identity == piece.extent
        guard large.isLive, !isKnown else { continue }
        lost.append(piece)
        // A catalogue that breaks off early cannot know them all.
        guard survey.isComplete else { continue }
        let start = large.position * UInt64(Limits.unitByteCount)
        report.add(
          .inconsistent, start..<start + UInt64(Limits.unitByteCount),
          "A large value leads to bytes that the catalogue does not know. \(Advice.restore)")
      }
    }
    for entry in entries where entry.identity.kind == .extent {
      checkHeader(entry, &report)
      if let (piece, isLive) = pieces[entry.identity.generation], piece.extent == entry.identity {
        try checkExtent(piece, isLive: isLive, &report, &meter)
      } else {
        let run = entry.identity.run.byteRange
        report.segments.append(
          VerificationReport.Segment(entry.identity, usedByteCount: UInt64(run.count), isInUse: true))
        try readRest(of: entry.identity, behind: run.lowerBound, &report, &meter)
      }
    }
    for piece in lost where !survey.isComplete {
      try checkExtent(piece, isLive: true, &report, &meter)
    }
    guard isWhole, survey.isComplete else { return }
    noteOrphans(entries.map(\.identity).filter { pieces[$0.generation]?.isLive != true }, &report)
  }

  /// Tells of the extents among some segments, to which no record leads that counts; neighbours are told of together.
  private func noteOrphans(_ segments: [SegmentIdentity], _ report: inout VerificationReport) {
    var ranges = ByteRanges()
    for segment in segments where segment.kind == .extent { ranges.insert(segment.run.byteRange) }
    for range in ranges.ranges {
      report.add(
        .orphaned, range,
        "No record leads to these \(range.count) bytes of large values, which were replaced, removed or cleared. A store "
          + "that is open or was not closed may not have come to freeing them; compaction does it.")
    }
  }

  private func checkExtent(
    _ piece: ValuePlace.Piece, isLive: Bool, _ report: inout VerificationReport, _ meter: inout ProgressMeter
  ) throws(SedimentError) {
    let extent = ExtentReading(piece, of: surveyed.file, surveyed.identity)
    let table = Self.check("The checksums of a large value", extent.tableRange, &report) {
      () throws(SedimentError) in try extent.table()
    }
    // Bytes whose checksum is damaged itself may be right.
    for number in extent.chunks {
      _ = Self.check("A large value", extent.range(ofChunk: number), &report) {
        () throws(SedimentError) in try extent.chunk(number, table)
      }
    }
    let end = extent.tableRange.upperBound
    let start = piece.extent.run.byteRange.lowerBound
    var segment = VerificationReport.Segment(piece.extent, usedByteCount: end - start, isInUse: true)
    segment.liveByteCount = isLive ? piece.storedByteCount : 0
    segment.deadByteCount = isLive ? 0 : piece.storedByteCount
    report.segments.append(segment)
    try readRest(of: piece.extent, behind: end, &report, &meter)
  }

  /// Reads a part of a large value, and tells if that cannot be or is not what was written.
  private static func check(
    _ what: String, _ range: Range<UInt64>, _ report: inout VerificationReport,
    _ read: () throws(SedimentError) -> [UInt8]?
  ) -> [UInt8]? {
    do throws(SedimentError) {
      if let bytes = try read() { return bytes }
      report.add(.corrupt, range, "\(what) does not match what was written. \(Advice.restore)")
    } catch {
      report.add(.unreadable, range, "\(what) cannot be read by the disk. \(Advice.disk)")
    }
    return nil
  }

  /// Looks at the parts of the stored index and at the window.
  func checkCaches(
    _ report: inout VerificationReport, _ meter: inout ProgressMeter
  ) throws(SedimentError) {
    var identities: [SegmentIdentity] = []
    for part in catalogue.indexParts {
      checkIndexPart(part, &report)
      identities.append(part.segment)
    }
    if let window = catalogue.window {
      // Nothing depends on it once the log was read.
      identities.append(window)
    }
    for identity in identities {
      let run = identity.run.byteRange
      report.segments.append(
        VerificationReport.Segment(identity, usedByteCount: UInt64(run.count), isInUse: true))
      try readRest(of: identity, behind: run.lowerBound, &report, &meter)
    }
  }

  /// Looks at one part of the stored index.
  ///
  /// It is a cache that nothing waits for, so a crash may leave it torn, and that it is not whole is no damage.
  private func checkIndexPart(_ part: IndexPartEntry, _ report: inout VerificationReport) {
    let pages = IndexPartReading(surveyed.file, surveyed.identity)
    if case .some = unsafe try? pages.read(part) { return }
    let run = part.segment.run.byteRange
    report.add(
      .torn, run,
      "A part of the stored index is not whole. Opening reads the log instead, which takes longer.")
  }
}
