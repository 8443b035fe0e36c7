package import SedimentDisk
package import SedimentFormat

/// An open file of a store that is looked at piece by piece, without a lock and without writing to it.
///
/// A process that has the store open may change it meanwhile: what is seen was there, each piece at its own moment.
package final class FileGlance: Sendable {
  private let file: StoreFile

  /// Opens the file at a path for reading.
  package init(path: String, on disk: any Disk) throws(SedimentError) {
    file = try disk.openFile(try disk.storePath(path), .read)
  }

  deinit {
    try? file.close()
  }

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
    file.ownerNote()
  }

  /// Lays what the window has of the log over the file; that the log is damaged is not for this to tell.
  package func layWindow() {
    _ = try? LogReading(file).run()
  }

  /// The good headers of segments in ascending order, each slot under one segment; also of those not in use any more.
  package func segmentHeaders(of head: Head) throws(SedimentError) -> [SegmentHeader] {
    try SegmentWalk(file, byteCount: try file.byteCount(), head.leading.identity).disjoint
  }

  /// The records of a segment from its beginning on, up to the first that is not good.
  package func segment(_ header: SegmentHeader, of head: Head) throws(SedimentError) -> Segment {
    var records: [Record] = []
    guard header.identity.kind.holdsRecords else {
      return Segment(header: header, records: [], ending: nil)
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
          Record(offset: offset, header: record, control: try cursor.control(record)))
      } catch {
        ending = error
      }
    }
    return Segment(header: header, records: records, ending: ending)
  }
}
