internal import SedimentDisk
internal import SedimentFormat

extension SedimentError {
  /// Whether something could not be read, for good or this time.
  var isOfReading: Bool { code == .damaged || systemError?.operation == .read }

  static func closed(_ path: String) -> SedimentError {
    SedimentError(.closed, path: path, message: "The store was closed. Open it again to use it.")
  }

  static func forked(_ path: String) -> SedimentError {
    SedimentError(
      .forked, path: path,
      message: "The store belongs to the process that this one was forked from. Open it only after the fork.")
  }

  static func readOnly(_ path: String) -> SedimentError {
    SedimentError(
      .readOnly, path: path,
      message: "The store was opened for reading. Open it without readOnly to change it.")
  }

  static func fileTooLarge(_ path: String) -> SedimentError {
    SedimentError(
      .outOfSpace, path: path,
      message: "The file has reached the largest size that the format or the disk allows. Remove something.")
  }

  static func capReached(_ path: String, _ byteCount: UInt64) -> SedimentError {
    let least = byteCount < 512 << 10 ? ": half a MiB is the least that makes sense" : ""
    return SedimentError(
      .outOfSpace, path: path,
      message: "The file may take \(byteCount) bytes and is full. Remove something, or allow it more\(least)."
    )
  }

  /// The error of a change that found no room, with how many freed bytes come back once readers and backups end.
  func naming(byteCountOfReaders: UInt64, ofBackups byteCountOfBackups: UInt64) -> SedimentError {
    guard byteCountOfReaders > 0 || byteCountOfBackups > 0 else { return self }
    var message = message
    if byteCountOfReaders > 0 {
      message +=
        " \(byteCountOfReaders) freed bytes come back once closures that read in place have returned, and pinned values"
        + " are given back."
    }
    if byteCountOfBackups > 0 { message += " \(byteCountOfBackups) come back once a backup has ended." }
    return SedimentError(
      code, path: path, offset: offset, systemError: systemError?.cause, message: message)
  }

  static func permissions(_ path: String, _ permissions: UInt16) -> SedimentError {
    SedimentError(
      .invalidArgument, path: path,
      message:
        "A file cannot have the permissions 0\(String(permissions, radix: 8)). Choose some from 0600, with which the"
        + " owner may read and write, to 0777.")
  }

  static func zeroInPath(_ path: String) -> SedimentError {
    SedimentError(
      .invalidArgument, path: path,
      message: "The path has a zero byte in it, at which the system would end it. Choose another.")
  }

  static func noFileName(_ path: String) -> SedimentError {
    SedimentError(
      .notFound, path: path, message: "The path does not end with the name of a file. Add one to it.")
  }

  static func cancelled(_ path: String) -> SedimentError {
    SedimentError(
      .cancelled, path: path, message: "It was stopped before its end. Begin it again when it suits.")
  }

  static func dropped(_ path: String) -> SedimentError {
    SedimentError(
      .collectionDropped, path: path,
      message: "The collection was dropped. Ask the store for it again to make a new one.")
  }

  static func tooLarge(_ path: String, what: String, byteCount: Int, limit: Int) -> SedimentError {
    SedimentError(
      .tooLarge, path: path,
      message: "A \(what) of \(byteCount) bytes is larger than the limit of \(limit) bytes. Split it.")
  }

  static func tooMany(_ path: String, changeCount: Int, limit: Int) -> SedimentError {
    SedimentError(
      .tooLarge, path: path,
      message: "A batch of \(changeCount) changes is larger than the limit of \(limit) changes. Split it.")
  }

  static func undecodable(_ path: String, _ type: Any.Type) -> SedimentError {
    SedimentError(
      .undecodable, path: path, message: "The value is not a \(type). Retrieve it as bytes to look at it.")
  }

  /// The error that every later change throws once a write or sync failed.
  init(poisonedBy error: SedimentError) {
    self.init(
      .outcomeUnknown, path: error.path, offset: error.offset, systemError: error.systemError?.cause,
      message:
        "The disk failed, and what was not synced before may be lost. Close the store, look after the disk, and open "
        + "it again; reading goes on until then.")
  }

  /// The error of a record that a read found damaged.
  static func damagedRecord(_ path: String, offset: UInt64) -> SedimentError {
    SedimentError(
      .damaged, path: path, offset: offset,
      message: "A record is damaged. Other keys can be read; restore a backup, or salvage the file.")
  }

  /// The error for a file that has nothing of a store.
  static func foreign(_ path: String) -> SedimentError {
    SedimentError(
      .foreign, path: path,
      message: "It is not a file of Sediment. Check the path; the file was left as it is.")
  }
}

// MARK: Of other errors

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
    case .nameTooLong:
      (.invalidArgument, "The path, or a name in it, is longer than the system takes. Choose a shorter one.")
    case .accessDenied, .notPermitted, .readOnlyFileSystem:
      (.accessDenied, "The file cannot be used with this process's rights. Check its owner and mode.")
    case .symbolicLink:
      (.foreign, "Symbolic links in the path lead round in a circle. Name the store's own file.")
    case .isDirectory, .invalidArgument:
      (.foreign, "It is not a regular file. Name the store's own file, not a directory, pipe or device.")
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
      (
        .inputOutput,
        "No more files can be open. Close some, or raise the limit of this process for open files."
      )
    default:
      (.inputOutput, "The operating system could not do it.")
    }
  }

  /// The error of bytes of the file that cannot be decoded.
  init(_ error: FormatError, path: String, offset: UInt64) {
    let isNewer = if case .newer = error.fault { true } else { false }
    let advice =
      isNewer ? "Use the version of Sediment that wrote the file, or later." : Advice.restore
    self.init(
      isNewer ? .newer : .damaged, path: path, offset: offset,
      message: "\(error.description.capitalizedFirst). \(advice)")
  }
}

extension String {
  /// The string with its first letter in upper case.
  var capitalizedFirst: String {
    prefix(1).uppercased() + dropFirst()
  }
}
