extension SedimentError {
  /// The error for a file whose sound parts contradict each other, or that lacks what was known to be on it.
  static func damaged(_ reason: String, path: String, offset: UInt64) -> SedimentError {
    SedimentError(
      .damaged, path: path, offset: offset,
      message: "\(reason.capitalizedFirst). Keep the file as it is; restore a backup, or salvage it.")
  }

  /// The error for a number of the file that cannot rise any more.
  static func exhausted(_ what: String, path: String) -> SedimentError {
    SedimentError(
      .exhausted, path: path, message: "The file's \(what) are used up. Back it up into a new file.")
  }

  /// The error for a sync that failed: whatever it says, space is not what is missing.
  static func failedSync(_ error: SedimentError) -> SedimentError {
    SedimentError(
      .inputOutput, path: error.path, offset: error.offset, systemError: error.systemError?.cause,
      message:
        "The medium may lack what was written last. Close the file, look after the disk and open it again.")
  }
}
