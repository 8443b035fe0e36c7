internal import SedimentDisk
internal import SedimentFormat

extension StoreOpening {
  /// Runs `body` with a file that is open for reading, and that nobody changes meanwhile.
  static func reading<Result>(
    _ path: String, on disk: any Disk, _ body: (StoreFile) throws -> Result
  ) throws -> Result {
    let file = try disk.openFile(path, .read)
    // Closing releases the lock, too.
    defer { try? file.close() }
    let opening = StoreOpening(path: path, options: SedimentOptions(readOnly: true), disk: disk)
    let ticket = try opening.takeLocks(file)
    defer { ticket.giveBack() }
    return try body(file)
  }
}

extension SedimentError {
  /// The error for a file that has nothing of a store.
  static func foreign(_ path: String) -> SedimentError {
    SedimentError(
      .foreign, path: path,
      message: "It is not a file of Sediment. Check the path; the file was left as it is.")
  }
}
