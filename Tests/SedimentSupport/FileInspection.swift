package import Sediment
package import SedimentDisk

/// What a file says of itself, slot by slot, without opening it as a store and without writing to it.
///
/// It trusts no catalogue: segments are found by their headers, in ascending order, each slot under one segment.
package struct FileInspection {
  package let head: Head
  package let byteCount: UInt64
  package let segments: [FileGlance.Segment]

  /// Inspects the file at a path; what the window has of the log is shown in its place.
  package static func inspect(path: String, on disk: any Disk) throws -> FileInspection {
    let glance = try FileGlance(path: path, on: disk)
    let head = try glance.head()
    glance.layWindow()
    return FileInspection(
      head: head, byteCount: try glance.byteCount(),
      segments: try glance.segmentHeaders(of: head).map { try glance.segment($0, of: head) })
  }
}
