public import Foundation

/// A storage of files: their URLs are the keys, their bytes the values.
///
/// Files are read and written away from the caller's thread, one call after another in the order of the calls, and
/// completions are called there. A file is replaced as a whole: whatever happens, it has its old bytes or its new ones.
/// A missing file is no value, and so is anything else of its name, such as a directory or a pipe; a file that is there
/// and cannot be read fails with the system's error.
public final class DiskStorage: AnsweringStorage, Sendable {
  /// What setting may fail with.
  public enum Error: Swift.Error, CustomStringConvertible {
    /// There can be no such file: its directory is missing, may not be written to, or a directory has its name.
    case cantCreateFile
    /// The directory of the file is missing, and could not be made because of the error.
    case cantCreateDirectory(any Swift.Error)

    /// What it is, and what to do about it.
    public var description: String {
      switch self {
      case .cantCreateFile:
        "The file cannot be created: see that its directory exists and may be written to, and has no directory of "
          + "that name in it."
      case .cantCreateDirectory(let error):
        "The directory of the file cannot be created; see what is in its way: \(error)"
      }
    }
  }

  /// The storage of folders that are given none of their own.
  public static let main = DiskStorage()

  let queue = SerialQueue()
  private let creatingDirectories: Bool

  /// The name of all of them.
  public var storageName: String { "disk" }

  /// Creates a storage that makes the missing directories of a file that is set, unless told not to.
  public init(creatingDirectories: Bool = true) {
    self.creatingDirectories = creatingDirectories
  }

  /// The bytes of a file.
  public func answer(forKey key: URL) -> StorageAnswer<Data> {
    queue.answer { try key.readFile() }
  }

  /// Gives a file its bytes, all or none of them, which never expire.
  public func answer(setting value: Data, forKey key: URL, expiry: StorageExpiry) -> StorageAnswer<Void> {
    guard expiry == .never else {
      return .failure(StorageError.notSupported(.expiry, storageName: storageName))
    }
    let creatingDirectories = creatingDirectories
    return queue.answer { try key.writeFile(value, creatingDirectories: creatingDirectories) }
  }

  /// Removes a file; it is no failure if there is none, and a directory of its name stays.
  public func answer(removing key: URL) -> StorageAnswer<Void> {
    queue.answer { try key.removeFile() }
  }

  /// Fails: nobody knows which files are meant.
  public func answerRemovingAll() -> StorageAnswer<Void> {
    .failure(StorageError.notSupported(.removingAll, storageName: storageName))
  }

  /// The directory that a file is in.
  public static func directoryURL(of fileURL: URL) -> URL { fileURL.deletingLastPathComponent() }
}
