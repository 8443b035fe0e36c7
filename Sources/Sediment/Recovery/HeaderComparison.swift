internal import SedimentDisk
internal import SedimentFormat

/// Holds the final catalogue against the file (DESIGN.md 7, step 7): its segments must lie in the file, and those
/// adopted below the watermark must have the headers that it describes.
struct HeaderComparison {
  let file: StoreFile
  let identity: FileIdentity
  let fileByteCount: UInt64
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
    guard needed <= fileByteCount else {
      throw .damaged("the file ends before a segment does", path: file.path, offset: range.lowerBound)
    }
  }

  private func checkHeader(_ entry: SegmentEntry) throws(SedimentError) {
    guard entry.identity.kind != .index else { return }
    let start = entry.identity.run.byteRange.lowerBound
    let bytes = try file.bytes(at: start, count: SegmentHeader.byteCount)
    do throws(FormatError) {
      let header = try SegmentHeader.decode(
        unsafe bytes.span.bytes, in: identity, at: entry.identity.run.first)
      guard header.identity == entry.identity else { throw FormatError(.segmentHeader, .field(.identity)) }
      guard entry.holdsRecords else { return }
      guard header.base == entry.base else { throw FormatError(.segmentHeader, .field(.base)) }
      guard header.floor == entry.floor else { throw FormatError(.segmentHeader, .field(.floor)) }
    } catch {
      throw SedimentError(error, path: file.path, offset: start)
    }
  }
}
