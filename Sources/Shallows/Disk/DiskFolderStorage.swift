public import Foundation
internal import Synchronization

/// A storage of the files of one folder: names are the keys, and the files' bytes the values.
///
/// An encoder makes a file's name of each key. No file outside the folder is touched, whatever the key.
public final class DiskFolderStorage: AnsweringStorage, Sendable {
  /// The name: `disk-` and that of the folder.
  public let storageName: String
  /// The folder; it is made when the first value is set.
  public let folderURL: URL
  /// What makes the names of the files.
  public let filenameEncoder: Filename.Encoder
  private let diskStorage: Storage<URL, Data>
  /// Where the whole folder is listed and cleared: after what was asked of it before, if the disk storage has the queue.
  private let queue: DiskQueue
  private let isCleared = Atomic(false)

  /// Whether the folder is removed when the storage ceases to be.
  public var clearsOnDeinit: Bool {
    get { isCleared.load(ordering: .relaxed) }
    set { isCleared.store(newValue, ordering: .relaxed) }
  }

  /// Creates a storage of a folder, whose files are read and written by a storage of one's own making.
  public convenience init(
    folderURL: URL, diskStorage: Storage<URL, Data>, filenameEncoder: Filename.Encoder = .standard
  ) {
    self.init(folderURL, diskStorage, DiskQueue(), filenameEncoder)
  }

  /// Creates a storage of a folder.
  public convenience init(
    folderURL: URL, diskStorage: DiskStorage = .main, filenameEncoder: Filename.Encoder = .standard
  ) {
    self.init(folderURL, diskStorage.asStorage(), diskStorage.queue, filenameEncoder)
  }

  private init(_ folderURL: URL, _ disk: Storage<URL, Data>, _ queue: DiskQueue, _ encoder: Filename.Encoder)
  {
    storageName = "disk-\(folderURL.lastPathComponent)"
    self.folderURL = folderURL
    diskStorage = disk
    self.queue = queue
    filenameEncoder = encoder
  }

  deinit {
    if clearsOnDeinit { clear() }
  }

  /// Removes the folder with all that is in it, before it returns.
  public func clear() {
    let folderURL = folderURL
    let cleared = Result { try queue.answer { try folderURL.removeItem() }.wait() }
    ShallowsLog.note(cleared, "clear its folder", storageName)
  }

  /// Where the file of a name is; for a name that has none in the folder, where it would be.
  public func fileURL(forFilename filename: Filename) -> URL {
    folderURL.appendingPathComponent(
      filenameEncoder.encodedString(representing: filename), isDirectory: false)
  }

  private func checkedURL(forFilename filename: Filename) throws -> URL {
    folderURL.appendingPathComponent(try filename.path(encodedBy: filenameEncoder), isDirectory: false)
  }
}

extension DiskFolderStorage {
  /// The bytes of a name's file.
  public func answer(forKey filename: Filename) -> StorageAnswer<Data> {
    answer(for: filename) { diskStorage.answer(forKey: $0) }
  }

  /// Gives a name's file its bytes, all or none of them.
  public func answer(
    setting data: Data, forKey filename: Filename, expiry: StorageExpiry
  ) -> StorageAnswer<Void> {
    answer(for: filename) { diskStorage.answer(setting: data, forKey: $0, expiry: expiry) }
  }

  /// Removes a name's file.
  public func answer(removing filename: Filename) -> StorageAnswer<Void> {
    answer(for: filename) { diskStorage.answer(removing: $0) }
  }

  /// Removes everything in the folder, also what is no value of the storage; the folder stays.
  public func answerRemovingAll() -> StorageAnswer<Void> {
    let folderURL = folderURL
    return queue.answer { try folderURL.removeContents() }
  }

  /// All names that have a file, in no order; the sequence fails where the encoder is custom.
  public func keys() -> StorageKeys<Filename> {
    StorageKeys(of: { try self.filenames().map(\.filename) })
  }

  /// All names that have a file, and the files.
  package func filenames() throws -> [(filename: Filename, url: URL)] { try contents().files }

  /// All that is in the folder.
  package func contents() throws -> FolderContents {
    guard let decode = filenameEncoder.decode else {
      throw StorageError.notSupported(.keys, storageName: storageName)
    }
    let folderURL = folderURL
    return try queue.answer { try FolderContents(of: folderURL, decode: decode) }.wait()
  }

  private func answer<Value>(
    for filename: Filename, _ body: (URL) -> StorageAnswer<Value>
  ) -> StorageAnswer<Value> {
    do { return body(try checkedURL(forFilename: filename)) } catch { return .failure(error) }
  }
}
