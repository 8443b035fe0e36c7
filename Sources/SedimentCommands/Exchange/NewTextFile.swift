internal import SedimentDisk

/// A file that is written under a hidden name and gets its own once it is whole and on the disk.
///
/// A file that has the name already stays as it is, and what fails leaves nothing behind.
struct NewTextFile {
  let writer: OutputWriter
  private let path: String
  private let temporaryPath: String
  private let disk = SystemDisk()

  init(at path: String) throws {
    self.path = path
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    temporaryPath = "\(path[..<start]).\(path[start...]).new-\(String(disk.random(), radix: 16))"
    if PathStatus.isTaken(path) { throw Self.exists(path) }
    writer = OutputWriter(try Descriptor.creating(temporaryPath, calledBy: path))
  }

  /// Gives the file its name.
  func finish() throws {
    do {
      try writer.flush()
      try writer.descriptor.sync()
      do throws(DiskError) {
        try disk.rename(temporaryPath, to: path, .keepExisting)
        try disk.syncDirectory(of: path)
      } catch {
        throw error.code == .exists ? Self.exists(path) : ToolFailure(.inputOutput, "\(error)")
      }
    } catch {
      remove()
      throw error
    }
    writer.descriptor.close()
  }

  /// Removes what was written so far.
  func remove() {
    writer.descriptor.close()
    try? disk.remove(temporaryPath)
  }

  private static func exists(_ path: String) -> ToolFailure {
    .usage("\(path): there is a file of that name already; remove it, or choose another name")
  }
}
