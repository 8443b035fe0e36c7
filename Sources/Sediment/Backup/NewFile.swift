internal import SedimentDisk
internal import SedimentFormat

/// A file that is written under a temporary name in its directory and gets its own once it is whole and durable.
///
/// Whatever fails before, nothing is left behind, and a file that has the name already stays as it is.
struct NewFile {
  let disk: any Disk
  let path: String
  /// The hidden name beside it.
  let temporaryPath: String

  /// Throws `exists` if something has the name already, be it a link that leads nowhere.
  init(at path: String, on disk: any Disk) throws(SedimentError) {
    guard SystemPath.isWhole(path) else { throw .zeroInPath(path) }
    guard SystemPath.namesFile(path) else { throw .noFileName(path) }
    self.disk = disk
    self.path = path
    temporaryPath = FileCreation.temporaryPath(for: path, number: disk.random())
    guard isFree() else { throw SedimentError(DiskError(.open, path: path, code: .exists)) }
  }

  /// Whether nothing has the name; in the end only the renaming can tell.
  private func isFree() -> Bool {
    do throws(DiskError) {
      let file = try disk.open(path, .read)
      try? file.close()
      return false
    } catch {
      // Links on the way that lead round in a circle are told where the file is made.
      if error.code == .symbolicLink { return (try? disk.target(of: path)) == path }
      return error.code != .isDirectory && error.code != .invalidArgument
    }
  }

  /// Gives the file its name, durably; it must have been synced.
  func finish() throws(SedimentError) {
    try onDisk { () throws(DiskError) in
      do throws(DiskError) {
        try disk.rename(temporaryPath, to: path, .keepExisting)
      } catch {
        throw DiskError(.rename, path: path, code: error.code)
      }
      do throws(DiskError) {
        try disk.secureNames(of: path)
      } catch {
        // Nobody knows of it yet, and it may be gone after a power failure.
        try? disk.remove(path)
        throw error
      }
    }
  }

  /// An error under the file's own name where it is about the hidden one, which nobody knows.
  func named(_ error: SedimentError) -> SedimentError {
    error.path == temporaryPath ? error.ofNewFile(path) : error
  }

  /// Removes what was written under the temporary name.
  func remove() {
    try? disk.remove(temporaryPath)
  }
}
