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

  /// Inspects the file at a path; what the window has of the log is shown in its place.
  package static func inspect(path: String, on disk: any Disk) throws(SedimentError) -> FileInspection {
    let glance = try FileGlance(path: path, on: disk)
    let head = try glance.head()
    glance.layWindow()
    return FileInspection(
      head: head, byteCount: try glance.byteCount(),
      segments: try glance.segmentHeaders(of: head).map { (header) throws(SedimentError) in
        try glance.segment(header, of: head)
      })
  }
}

/// An open file of a store that is looked at piece by piece, without a lock and without writing to it.
///
/// A process that has the store open may change it meanwhile: what is seen was there, each piece at its own moment.
package final class FileGlance: Sendable {
  private let file: StoreFile

  /// Opens the file at a path for reading.
  package init(path: String, on disk: any Disk) throws(SedimentError) {
    file = try disk.openFile(path, .read)
  }

  deinit {
    try? file.close()
  }

  /// The two superblocks as they are now.
  package func head() throws(SedimentError) -> Head {
    try Head.read(from: file)
  }

  /// The length of the file.
  package func byteCount() throws(SedimentError) -> UInt64 {
    try file.byteCount()
  }

  /// Who opened the file last for writing; nil if that cannot be told.
  package func owner() -> OwnerNote? {
    guard let bytes = try? file.bytes(at: OwnerNote.byteOffset, count: OwnerNote.byteCount) else {
      return nil
    }
    return try? OwnerNote.decode(unsafe bytes.span.bytes)
  }

  /// Lays what the window has of the log over the file; that the log is damaged is not for this to tell.
  fileprivate func layWindow() {
    _ = try? LogReading(file).run()
  }

  /// The good headers of segments in ascending order, each slot under one segment; also of those not in use any more.
  package func segmentHeaders(of head: Head) throws(SedimentError) -> [SegmentHeader] {
    SegmentWalk(file, byteCount: try file.byteCount(), head.leading.identity).disjoint
  }

  /// The records of a segment from its beginning on, up to the first that is not good.
  package func segment(
    _ header: SegmentHeader, of head: Head
  ) throws(SedimentError) -> FileInspection.Segment {
    var records: [FileInspection.Record] = []
    guard header.identity.kind == .hot || header.identity.kind == .survivors else {
      return FileInspection.Segment(header: header, records: [], ending: nil)
    }
    let surveyed = SurveyedFile(
      file: file, identity: head.leading.identity, byteCount: try file.byteCount())
    var cursor = RecordCursor(surveyed, header.identity, base: header.base)
    var ending: FormatError?
    while ending == nil {
      let offset = UnitOffset(byteOffset: cursor.position) ?? .zero
      guard let found = try cursor.next() else { break }
      do throws(FormatError) {
        let record = try found.get()
        records.append(
          FileInspection.Record(offset: offset, header: record, control: try cursor.control(record)))
      } catch {
        ending = error
      }
    }
    return FileInspection.Segment(header: header, records: records, ending: ending)
  }
}
