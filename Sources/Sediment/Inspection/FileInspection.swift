package import SedimentDisk
package import SedimentFormat

/// What a file says of itself, slot by slot, without opening it as a store and without writing to it.
///
/// It trusts no catalogue: segments are found by their headers, in ascending order, each slot under one segment.
package struct FileInspection: Sendable {
  package let head: Head
  package let byteCount: UInt64
  package let segments: [Segment]

  /// A segment that has a good header.
  package struct Segment: Sendable {
    package let header: SegmentHeader
    /// The records from its beginning on, up to the first that is not good.
    package let records: [Record]
    /// Why the records end where they do, where it is not at the segment's end.
    package let ending: FormatError?
  }

  /// A good record.
  package struct Record: Sendable {
    package let offset: UnitOffset
    package let header: RecordHeader
    /// What it says, if it is a control record.
    package let control: ControlRecord?
  }

  /// Inspects the file at a path.
  package static func inspect(path: String, on disk: any Disk) throws(SedimentError) -> FileInspection {
    let file = try disk.openFile(path, .read)
    defer { try? file.close() }
    let head = try Head.read(from: file)
    // What the window has of the log is shown in its place; that the log is damaged is not for this to tell.
    _ = try? LogReading(file).run()
    let byteCount = try file.byteCount()
    return FileInspection(
      head: head, byteCount: byteCount,
      segments: try segments(of: file, identity: head.leading.identity, byteCount: byteCount))
  }

  private static func segments(
    of file: StoreFile, identity: FileIdentity, byteCount: UInt64
  ) throws(SedimentError) -> [Segment] {
    var segments: [Segment] = []
    for header in try headers(of: file, identity: identity, byteCount: byteCount) {
      segments.append(try segment(header, of: file, identity: identity, byteCount: byteCount))
    }
    return segments
  }

  /// The good headers of segments in ascending order, each slot under one segment.
  static func headers(
    of file: StoreFile, identity: FileIdentity, byteCount: UInt64
  ) throws(SedimentError) -> [SegmentHeader] {
    var headers: [SegmentHeader] = []
    let slotCount = min(byteCount / UInt64(Limits.slotByteCount), UInt64(Limits.fileSlotCountMax))
    var slot = UInt64(Limits.headSlotCount)
    while slot < slotCount {
      let bytes = try file.bytes(at: slot * UInt64(Limits.slotByteCount), count: SegmentHeader.byteCount)
      guard
        let header = try? SegmentHeader.decode(
          unsafe bytes.span.bytes, in: identity, at: UInt32(truncatingIfNeeded: slot))
      else {
        slot += 1
        continue
      }
      headers.append(header)
      slot = UInt64(header.identity.run.end)
    }
    return headers
  }

  /// The records of a segment whose header is known.
  static func segment(
    _ header: SegmentHeader, of file: StoreFile, identity: FileIdentity, byteCount: UInt64
  ) throws(SedimentError) -> Segment {
    switch header.identity.kind {
    case .extent, .index, .window: return Segment(header: header, records: [], ending: nil)
    case .hot, .survivors: break
    }
    // A header may claim more than the file has.
    let range = header.identity.run.byteRange.clamped(to: 0..<byteCount)
    let bytes = try file.bytes(at: range.lowerBound, count: range.count)
    var scan = RecordScan(header, in: identity)
    var records: [Record] = []
    while let record = scan.next(in: unsafe bytes.span.bytes) { records.append(record) }
    return Segment(header: header, records: records, ending: scan.ending)
  }
}

/// Goes through the records of a segment, from its header to the first that is not good.
struct RecordScan {
  private let seed: Checksum
  private let base: SequenceNumber
  private let start: UInt64
  private var position = SegmentHeader.byteCount
  /// Why the scan ended; nil while it goes on, and where the segment was full.
  private(set) var ending: FormatError?

  init(_ header: SegmentHeader, in file: FileIdentity) {
    seed = header.identity.seed(in: file)
    base = header.base
    start = header.identity.run.byteRange.lowerBound
  }

  /// The next record of the segment whose bytes are given, nil at the end.
  mutating func next(in segment: RawSpan) -> FileInspection.Record? {
    guard ending == nil, position < segment.byteCount,
      let offset = UnitOffset(byteOffset: start + UInt64(position))
    else { return nil }
    do throws(FormatError) {
      let bytes = segment.extracting(position..<segment.byteCount)
      let header = try RecordHeader.decode(bytes, at: RecordPlace(seed: seed, base: base, offset: offset))
      let control =
        header.kind == .control
        ? try ControlRecord.decode(
          bytes.extracting(header.valueRange), isBatched: header.isBatched) : nil
      position += header.byteCount
      return FileInspection.Record(offset: offset, header: header, control: control)
    } catch {
      ending = error
      return nil
    }
  }
}
