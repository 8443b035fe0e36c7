/// A call of the operating system that failed: what was tried, on which file, at which position, and the error.
public struct DiskError: Error, Hashable, Sendable {
  /// What was tried.
  public let operation: DiskOperation
  /// The file or directory, by the path that the caller gave.
  public let path: String
  /// The position in the file; nil if the call has none.
  public let offset: UInt64?
  /// The system's own error.
  public let code: SystemErrorCode

  /// Creates an error of its parts.
  public init(_ operation: DiskOperation, path: String, offset: UInt64? = nil, code: SystemErrorCode) {
    self.operation = operation
    self.path = path
    self.offset = offset
    self.code = code
  }
}

extension DiskError: CustomStringConvertible {
  /// A sentence for people, without any contents of the file.
  public var description: String {
    let place = offset.map { " at byte \($0)" } ?? ""
    return "cannot \(operation.rawValue)\(place) '\(path)': \(code)"
  }
}

/// The calls of `Disk`, `DiskFile` and `FileMapping`; the raw values are the words of a message.
public enum DiskOperation: String, Hashable, Sendable, CaseIterable {
  /// `Disk.open`.
  case open
  /// `Disk.rename`.
  case rename
  /// `Disk.remove`.
  case remove
  /// `Disk.syncDirectory`.
  case syncDirectory = "sync the directory of"
  /// `Disk.createDirectories`.
  case createDirectories = "make the directory of"
  /// `DiskFile.byteCount`.
  case byteCount = "measure"
  /// `DiskFile.read`.
  case read
  /// `DiskFile.write`.
  case write
  /// `DiskFile.allocate`.
  case allocate = "reserve space"
  /// `DiskFile.punchHole`.
  case punchHole = "release space"
  /// `DiskFile.dataRange`.
  case findData = "look for data"
  /// `DiskFile.truncate`.
  case truncate = "resize"
  /// `DiskFile.sync`.
  case sync
  /// `DiskFile.reserveMapping`, `FileMapping.expose` and `FileMapping.conceal`.
  case map
  /// `DiskFile.clone`.
  case clone
  /// `DiskFile.lock` and `unlock`.
  case lock
  /// `DiskFile.close`.
  case close
}
