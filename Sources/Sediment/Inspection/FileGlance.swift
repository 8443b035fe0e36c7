package import SedimentDisk
package import SedimentFormat

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

  /// The good headers of segments in ascending order, each slot under one segment; also of those not in use any more.
  package func segmentHeaders(of head: Head) throws(SedimentError) -> [SegmentHeader] {
    try FileInspection.headers(of: file, identity: head.leading.identity, byteCount: try file.byteCount())
  }

  /// The records of a segment from its beginning on, up to the first that is not good.
  package func segment(_ header: SegmentHeader, of head: Head) throws(SedimentError) -> FileInspection.Segment
  {
    try FileInspection.segment(
      header, of: file, identity: head.leading.identity, byteCount: try file.byteCount())
  }
}
