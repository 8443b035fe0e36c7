internal import SedimentFormat

/// Holds the final catalogue against the file (DESIGN.md 7, step 7): its segments must lie in the file, and those
/// adopted below the watermark must have the headers that it describes.
struct HeaderComparison {
  let surveyed: SurveyedFile
  let watermark: LogPosition

  /// Throws for the first segment, by its generation, that is not what the catalogue says.
  func run(
    _ catalogue: Catalogue, adoptedAt: [Generation: LogPosition], end: LogPosition
  ) throws(SedimentError) {
    let entries = catalogue.segments.values.sorted { $0.identity.generation < $1.identity.generation }
    // Nothing depends on the header of the window, nor on the window once the log was read.
    for entry in entries where entry.identity.kind != .window {
      try checkPlace(entry, end: end)
      if let position = adoptedAt[entry.identity.generation], position >= watermark { continue }
      try checkHeader(entry)
    }
  }

  private func checkPlace(_ entry: SegmentEntry, end: LogPosition) throws(SedimentError) {
    let range = entry.identity.run.byteRange
    let isTail = entry.identity.generation == end.generation
    let needed = isTail ? end.offset.byteOffset : entry.end?.byteOffset ?? range.upperBound
    guard needed <= surveyed.byteCount else {
      throw surveyed.damaged("the file ends before a segment does", at: range.lowerBound)
    }
  }

  private func checkHeader(_ entry: SegmentEntry) throws(SedimentError) {
    guard entry.identity.kind != .index else { return }
    if let error = try surveyed.headerFault(of: entry) {
      throw SedimentError(error, path: surveyed.file.path, offset: entry.identity.run.byteRange.lowerBound)
    }
  }
}

extension SurveyedFile {
  /// The header that lies where a segment begins.
  func header(of segment: SegmentIdentity) throws(SedimentError) -> Result<SegmentHeader, FormatError> {
    let bytes = try file.bytes(at: segment.run.byteRange.lowerBound, count: SegmentHeader.byteCount)
    do throws(FormatError) {
      let header = try SegmentHeader.decode(unsafe bytes.span.bytes, in: identity, at: segment.run.first)
      guard header.identity == segment else { throw FormatError(.segmentHeader, .field(.identity)) }
      return .success(header)
    } catch {
      return .failure(error)
    }
  }

  /// What is wrong with the header of a segment that the catalogue describes; nil for nothing.
  func headerFault(of entry: SegmentEntry) throws(SedimentError) -> FormatError? {
    switch try header(of: entry.identity) {
    case .failure(let error): return error
    case .success(let header):
      if !entry.holdsRecords { return nil }
      if header.base != entry.base { return FormatError(.segmentHeader, .field(.base)) }
      return header.floor == entry.floor ? nil : FormatError(.segmentHeader, .field(.floor))
    }
  }
}
