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
  private let queue: SerialQueue
  private let isCleared = Atomic(false)

  /// Whether the folder is removed when the storage ceases to be.
  public var clearsOnDeinit: Bool {
    get { isCleared.load(ordering: .relaxed) }
    set { isCleared.store(newValue, ordering: .relaxed) }
  }

  /// Creates a storage of a folder, whose files are read and written by the main disk storage or by one that is given.
  public init(
    folderURL: URL, diskStorage: Storage<URL, Data> = DiskStorage.main.asStorage(),
    filenameEncoder: Filename.Encoder = .standard
  ) {
    storageName = "disk-\(folderURL.lastPathComponent)"
    self.folderURL = folderURL
    self.diskStorage = diskStorage
    queue = (diskStorage.root?.storage as? DiskStorage)?.queue ?? SerialQueue()
    self.filenameEncoder = filenameEncoder
  }

  deinit {
    if clearsOnDeinit { clear() }
  }

  /// Removes the folder with all that is in it, before it returns.
  ///
  /// It waits for no call: what is being set may come to the folder afterwards. `removeAll` comes after what was asked
  /// before.
  public func clear() {
    ShallowsLog.note(Result { try folderURL.removeItem() }, "clear its folder", storageName)
  }

  /// Where the file of a name is; for a name that has none in the folder, where it would be.
  public func fileURL(forFilename filename: Filename) -> URL {
    let named = Filename(rawValue: filename.canonical)
    return (try? checkedURL(forFilename: filename))
      ?? folderURL.appendingPathComponent(
        filenameEncoder.encodedString(representing: named), isDirectory: false)
  }

  /// Where the file of a name is; an error if that were not below the folder, by its path or by a link on the way.
  func checkedURL(forFilename filename: Filename) throws(FilenameError) -> URL {
    let forms = filename.forms
    let url = try checkedURL(ofForm: forms[0])
    if forms.count == 1 || url.isEntry { return url }
    for form in forms.dropFirst() {
      let other = try checkedURL(ofForm: form)
      if other.isEntry { return other }
    }
    return url
  }

  private func checkedURL(ofForm filename: Filename) throws(FilenameError) -> URL {
    let path = try filename.path(encodedBy: filenameEncoder)
    var directory = folderURL
    for name in path.split(separator: "/").dropLast() {
      directory.appendPathComponent(String(name), isDirectory: false)
      guard (try? directory.entryType()) != .typeSymbolicLink else { throw .leavesFolder(filename) }
    }
    return folderURL.appendingPathComponent(path, isDirectory: false)
  }
}

extension DiskFolderStorage: Rooted {
  // Folders of one disk are not told apart: several may be made of one.
  @usableFromInline var root: StorageRoot? {
    diskStorage.root.map { root in
      StorageRoot(
        storage: root.storage, name: root.name + folderURL.standardizedFileURL.path, level: root.level)
    }
  }

  /// The bytes of a name's file.
  ///
  /// A link of that name is no value: it may lead out of the folder.
  public func answer(forKey filename: Filename) -> StorageAnswer<Data> {
    answer(for: filename) { url in
      guard (try? url.entryType()) != .typeSymbolicLink else {
        return .failure(CocoaError(.fileReadNoSuchFile, at: url, "A link has the name of the file."))
      }
      return diskStorage.answer(forKey: url)
    }
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
  @_disfavoredOverload
  public func keys() -> StorageKeys<Filename> {
    StorageKeys(answering: { self.answerContents().map { $0.map { $0.files.map(\.filename) } } })
  }

  /// All names that have a file, and the files.
  package func filenames() throws -> [(filename: Filename, url: URL)] { try contents().files }

  /// All that is in the folder.
  package func contents() throws -> FolderContents { try answerContents().wait() }

  private func answerContents() -> StorageAnswer<FolderContents> {
    guard let decode = filenameEncoder.decode else {
      return .failure(StorageError.notSupported(.keys, storageName: storageName))
    }
    let folderURL = folderURL
    return queue.answer { try FolderContents(of: folderURL, decode: decode) }
  }

  private func answer<Value>(
    for filename: Filename, _ body: (URL) -> StorageAnswer<Value>
  ) -> StorageAnswer<Value> {
    do { return body(try checkedURL(forFilename: filename)) } catch { return .failure(error) }
  }
}
