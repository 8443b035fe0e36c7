internal import SedimentDisk
internal import SedimentFormat

extension SedimentError {
  /// The error of a failed call of the operating system.
  init(_ error: DiskError) {
    let (code, message) = Self.meaning(of: error.code)
    self.init(code, path: error.path, offset: error.offset, systemError: error, message: message)
  }

  /// The same error for a file that was to be made, with its final path: the caller does not know the hidden name that
  /// the file has first, and what is missing is the directory.
  func ofNewFile(_ path: String) -> SedimentError {
    let message =
      switch code {
      case .notFound: "The directory in which it should be made is not there. Check the path, or make it."
      case .accessDenied:
        "No file can be made there with this process's rights. Check the owner and mode of the directory."
      default: message
      }
    return SedimentError(code, path: path, offset: offset, systemError: systemError?.cause, message: message)
  }

  private static func meaning(of code: SystemErrorCode) -> (Code, String) {
    switch code {
    case .notFound:
      (.notFound, "There is no such file. Check the path, or let it be created.")
    case .notDirectory:
      (.notFound, "There is no such file: a part of its path is a file, not a directory. Check the path.")
    case .exists:
      (.exists, "There is a file of that name already. Open it, or choose another name.")
    case .noSpace, .quotaExceeded:
      (.outOfSpace, "The disk is full. Free some space and try again; what was stored is safe.")
    case .fileTooLarge:
      (
        .outOfSpace,
        "The system lets the file grow no further. Raise the limit of this process for the size of files, or set a"
          + " capacity below it."
      )
    case .accessDenied, .readOnlyFileSystem:
      (.accessDenied, "The file cannot be used with this process's rights. Check its owner and mode.")
    case .isDirectory, .symbolicLink, .invalidArgument:
      (.foreign, "It is not a regular file. Name the store's own file, not a directory, link or device.")
    default:
      (.inputOutput, "The operating system could not do it.")
    }
  }

  /// The error of bytes of the file that cannot be decoded.
  init(_ error: FormatError, path: String, offset: UInt64) {
    switch error.fault {
    case .newer:
      self.init(
        .newer, path: path, offset: offset,
        message:
          "\(error.description.capitalizedFirst). Use the version of Sediment that wrote the file, or later.")
    case .absent, .truncated, .checksum, .field:
      self.init(
        .damaged, path: path, offset: offset,
        message:
          "\(error.description.capitalizedFirst). Keep the file as it is; restore a backup, or salvage it.")
    }
  }
}

extension String {
  /// The string with its first letter in upper case.
  var capitalizedFirst: String {
    prefix(1).uppercased() + dropFirst()
  }
}
